extension [UInt8] {
    mutating func appendInteger<Value: FixedWidthInteger>(_ value: Value) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    mutating func appendString(_ text: String) {
        appendInteger(UInt32(truncatingIfNeeded: text.utf8.count))
        append(contentsOf: text.utf8)
    }

    mutating func appendAttributes(_ attributes: [MCAPAttribute]) {
        let size = attributes.reduce(0) { $0 + 8 + $1.key.utf8.count + $1.value.utf8.count }
        appendInteger(UInt32(truncatingIfNeeded: size))
        for attribute in attributes {
            appendString(attribute.key)
            appendString(attribute.value)
        }
    }

    mutating func appendChannelNumbers(_ numbers: [MCAPChannelNumber]) {
        appendInteger(UInt32(truncatingIfNeeded: 10 * numbers.count))
        for number in numbers {
            appendInteger(number.channelID)
            appendInteger(number.value)
        }
    }

    /// Appends a record; `appendBody` appends its body.
    mutating func appendRecord(_ opcode: MCAPOpcode, _ appendBody: (inout [UInt8]) -> Void) {
        let start = count
        append(opcode.rawValue)
        appendInteger(UInt64(0))
        appendBody(&self)
        let length = UInt64(count - start - MCAPFormat.recordHeaderBytes)
        withUnsafeMutableBytes { $0.storeBytes(of: length.littleEndian, toByteOffset: start + 1, as: UInt64.self) }
    }

    mutating func append(_ header: MCAPHeader) {
        appendRecord(.header) {
            $0.appendString(header.profile)
            $0.appendString(header.library)
        }
    }

    mutating func append(_ schema: MCAPSchema) {
        appendRecord(.schema) {
            $0.appendInteger(schema.id)
            $0.appendString(schema.name)
            $0.appendString(schema.encoding)
            $0.appendInteger(UInt32(truncatingIfNeeded: schema.data.count))
            $0.append(contentsOf: schema.data)
        }
    }

    mutating func append(_ channel: MCAPChannel) {
        appendRecord(.channel) {
            $0.appendInteger(channel.id)
            $0.appendInteger(channel.schemaID)
            $0.appendString(channel.topic)
            $0.appendString(channel.messageEncoding)
            $0.appendAttributes(channel.metadata)
        }
    }

    mutating func append(_ index: MCAPMessageIndex) {
        appendRecord(.messageIndex) {
            $0.appendInteger(index.channelID)
            $0.appendInteger(UInt32(truncatingIfNeeded: 16 * index.entries.count))
            $0.reserveCapacity($0.count + 16 * index.entries.count)
            for entry in index.entries {
                $0.appendInteger(entry.logTime)
                $0.appendInteger(entry.offset)
            }
        }
    }

    mutating func append(_ index: MCAPChunkIndex) {
        appendRecord(.chunkIndex) {
            $0.appendInteger(index.messageStartTime)
            $0.appendInteger(index.messageEndTime)
            $0.appendInteger(index.chunkStartOffset)
            $0.appendInteger(index.chunkLength)
            $0.appendChannelNumbers(index.messageIndexOffsets)
            $0.appendInteger(index.messageIndexLength)
            $0.appendString(index.compression)
            $0.appendInteger(index.compressedSize)
            $0.appendInteger(index.uncompressedSize)
        }
    }

    mutating func append(_ statistics: MCAPStatistics) {
        appendRecord(.statistics) {
            $0.appendInteger(statistics.messageCount)
            $0.appendInteger(statistics.schemaCount)
            $0.appendInteger(statistics.channelCount)
            $0.appendInteger(statistics.attachmentCount)
            $0.appendInteger(statistics.metadataCount)
            $0.appendInteger(statistics.chunkCount)
            $0.appendInteger(statistics.messageStartTime)
            $0.appendInteger(statistics.messageEndTime)
            $0.appendChannelNumbers(statistics.channelMessageCounts)
        }
    }

    mutating func append(_ metadata: MCAPMetadata) {
        appendRecord(.metadata) {
            $0.appendString(metadata.name)
            $0.appendAttributes(metadata.metadata)
        }
    }

    mutating func append(_ index: MCAPMetadataIndex) {
        appendRecord(.metadataIndex) {
            $0.appendInteger(index.offset)
            $0.appendInteger(index.length)
            $0.appendString(index.name)
        }
    }

    mutating func append(_ index: MCAPAttachmentIndex) {
        appendRecord(.attachmentIndex) {
            $0.appendInteger(index.offset)
            $0.appendInteger(index.length)
            $0.appendInteger(index.logTime)
            $0.appendInteger(index.createTime)
            $0.appendInteger(index.dataSize)
            $0.appendString(index.name)
            $0.appendString(index.mediaType)
        }
    }

    mutating func append(_ offset: MCAPSummaryOffset) {
        appendRecord(.summaryOffset) {
            $0.appendInteger(offset.groupOpcode)
            $0.appendInteger(offset.groupStart)
            $0.appendInteger(offset.groupLength)
        }
    }

    mutating func append(_ end: MCAPDataEnd) {
        appendRecord(.dataEnd) { $0.appendInteger(end.dataSectionCRC) }
    }
}
