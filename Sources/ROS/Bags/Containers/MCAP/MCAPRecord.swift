/// A record of any kind, with its fields in the specification's order; large data stay in the file.
package enum MCAPRecord: Hashable, Sendable {
    case header(MCAPHeader)
    case footer(MCAPFooter)
    case schema(MCAPSchema)
    case channel(MCAPChannel)
    case message(MCAPMessage)
    case chunk(MCAPChunk)
    case messageIndex(MCAPMessageIndex)
    case chunkIndex(MCAPChunkIndex)
    case attachment(MCAPAttachment)
    case attachmentIndex(MCAPAttachmentIndex)
    case statistics(MCAPStatistics)
    case metadata(MCAPMetadata)
    case metadataIndex(MCAPMetadataIndex)
    case summaryOffset(MCAPSummaryOffset)
    case dataEnd(MCAPDataEnd)
    /// An unknown record kind, or one for private use by applications (0x80 and above).
    case unknown(opcode: UInt8)

    /// Reads the fields of a record and leaves the reader behind the last one; large data need not be in memory.
    ///
    /// - Parameters:
    ///   - place: Where the record begins.
    ///   - reader: Reads the bytes after the record's opcode and length; the data of Message, Chunk and Attachment may
    ///     be missing.
    ///   - bodyByteCount: The size of the whole body.
    /// - Throws: The first field that does not fit in the record.
    static func parse(
        _ opcode: UInt8,
        at place: MCAPPlace,
        _ reader: inout MCAPFieldReader,
        bodyByteCount: Int
    ) throws(MCAPProblem) -> MCAPRecord {
        let bodyOffset = place.advanced(by: MCAPFormat.recordHeaderBytes).offset
        switch MCAPOpcode(rawValue: opcode) {
        case .header: return .header(try reader.record())
        case .footer: return .footer(try reader.record())
        case .schema: return .schema(try reader.record())
        case .channel: return .channel(try reader.record())
        case .message:
            var message: MCAPMessage = try reader.record()
            message.byteCount = bodyByteCount - reader.position
            message.place = place
            return .message(message)
        case .chunk:
            var chunk: MCAPChunk = try reader.record()
            chunk.recordsOffset = bodyOffset + reader.position
            return .chunk(chunk)
        case .messageIndex: return .messageIndex(try reader.record())
        case .chunkIndex: return .chunkIndex(try reader.record())
        case .attachment:
            var attachment: MCAPAttachment = try reader.record()
            attachment.dataOffset = bodyOffset + reader.position
            return .attachment(attachment)
        case .attachmentIndex: return .attachmentIndex(try reader.record())
        case .statistics: return .statistics(try reader.record())
        case .metadata: return .metadata(try reader.record())
        case .metadataIndex: return .metadataIndex(try reader.record())
        case .summaryOffset: return .summaryOffset(try reader.record())
        case .dataEnd: return .dataEnd(try reader.record())
        case nil: return .unknown(opcode: opcode)
        }
    }
}

/// The first bytes of a file, by which its kind is told.
package enum MagicNumber {
    /// True if a file begins with a magic number of which two bytes at most are damaged.
    package static func begins(_ head: some Collection<UInt8>, with magic: [UInt8]) -> Bool {
        head.count >= magic.count && zip(head, magic).count { $0 != $1 } <= 2
    }
}

/// The kinds of records of an MCAP file (MCAP specification, "Records").
package enum MCAPOpcode: UInt8, Sendable, CaseIterable {
    case header = 0x01
    case footer = 0x02
    case schema = 0x03
    case channel = 0x04
    case message = 0x05
    case chunk = 0x06
    case messageIndex = 0x07
    case chunkIndex = 0x08
    case attachment = 0x09
    case attachmentIndex = 0x0A
    case statistics = 0x0B
    case metadata = 0x0C
    case metadataIndex = 0x0D
    case summaryOffset = 0x0E
    case dataEnd = 0x0F

    /// The specification's name of a record kind, or its number.
    package static func name(_ opcode: UInt8) -> String {
        guard let known = MCAPOpcode(rawValue: opcode) else {
            return "record 0x" + (opcode < 16 ? "0" : "") + String(opcode, radix: 16, uppercase: true)
        }
        let name = "\(known)"
        return name.prefix(1).uppercased() + name.dropFirst()
    }
}

/// The constants of the MCAP format.
package enum MCAPFormat {
    /// The first and the last bytes of a file: 0x89 "MCAP" "0" CR LF.
    package static let magic: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]
    /// The size of opcode and length, which precede each record's body.
    package static let recordHeaderBytes = 9
    /// The size of a Message's fields before its data.
    package static let messageHeaderBytes = 22
    /// The size of a Footer with its record header.
    package static let footerBytes = 29
    /// The size of a DataEnd with its record header.
    package static let dataEndBytes = 13
}

/// How the records of a chunk are compressed.
package enum MCAPCompression: String, Sendable, CaseIterable {
    case none
    case lz4
    case zstd

    /// The text of `Chunk.compression`.
    package var fieldText: String { self == .none ? "" : rawValue }

    /// The compression that the text of `Chunk.compression` names.
    package init?(fieldText: String) {
        switch fieldText {
        case "": self = .none
        case "lz4": self = .lz4
        case "zstd": self = .zstd
        default: return nil
        }
    }
}

/// A position: an offset in the file, or in the uncompressed content of the chunk at that offset.
package struct MCAPPlace: Hashable, Sendable, CustomStringConvertible {
    package var offset: Int
    package var innerOffset: Int?

    package init(offset: Int, innerOffset: Int? = nil) {
        self.offset = offset
        self.innerOffset = innerOffset
    }

    /// The position some bytes further in the same space.
    package func advanced(by count: Int) -> MCAPPlace {
        if let innerOffset { return MCAPPlace(offset: offset, innerOffset: innerOffset &+ count) }
        return MCAPPlace(offset: offset &+ count)
    }

    package var description: String {
        innerOffset.map { "offset \($0) of the chunk at \(offset)" } ?? "offset \(offset)"
    }
}

/// A violation of the specification in an MCAP file.
package struct MCAPProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package var place: MCAPPlace
    /// The record and its field, in the specification's words: "Chunk.uncompressed_size".
    package var what: String
    package var expected: String
    package var found: String

    package init(_ what: String, at place: MCAPPlace, expected: String, found: String) {
        self.place = place
        self.what = what
        self.expected = expected
        self.found = found
    }

    /// The magic number at the beginning or the end of a file is another.
    static func magic(at offset: Int, found: String = "other bytes") -> MCAPProblem {
        MCAPProblem("magic", at: MCAPPlace(offset: offset), expected: "89 4D 43 41 50 30 0D 0A", found: found)
    }

    package var description: String { "\(what): \(place): expected \(expected), found \(found)" }
}

/// The problems of a file; only the first ones are kept, all are counted.
package struct MCAPProblems: Sendable {
    /// The maximum number that is kept.
    package static let limit = 1000
    package private(set) var list: [MCAPProblem] = []
    /// The number of all problems, kept or not.
    package private(set) var count = 0
    private let known: Set<MCAPProblem>

    /// - Parameter known: Problems that are reported elsewhere.
    init(excluding known: [MCAPProblem] = []) {
        self.known = Set(known)
    }

    mutating func add(_ problem: MCAPProblem?) {
        guard let problem, !known.contains(problem) else { return }
        count += 1
        if list.count < Self.limit { list.append(problem) }
    }

    mutating func add(_ problems: [MCAPProblem]) {
        for problem in problems { add(problem) }
    }
}
