/// Reads messages of a layout from CDR.
struct DynamicCDRReader {
    private var decoder: CDRDecoder
    private var remainingMessages = SchemaLimits.nestedMessages
    /// The bytes of a unit of a wstring: 4 by Fast CDR 1 and CycloneDDS, 2 by Fast CDR 2.
    private let wideUnitSize: Int

    init(_ bytes: UnsafeRawBufferPointer, wideUnitSize: Int) throws(CDRError) {
        decoder = try CDRDecoder(bytes)
        self.wideUnitSize = wideUnitSize
    }

    mutating func root(_ layout: MessageLayout) throws(CDRError) -> DynamicMessage {
        let result = try message(layout)
        try decoder.finish()
        return result
    }

    private mutating func message(_ layout: MessageLayout) throws(CDRError) -> DynamicMessage {
        guard remainingMessages > 0 else {
            throw decoder.error("at most \(SchemaLimits.nestedMessages) nested messages", "more", back: 0)
        }
        remainingMessages -= 1
        // A message without fields is one byte.
        if layout.fields.isEmpty { _ = try decoder.take(1, elementSize: 1) }
        var values: [DynamicValue] = []
        values.reserveCapacity(layout.fields.count)
        for field in layout.fields {
            do throws(CDRError) {
                values.append(try value(field))
            } catch { throw error.inside(field.name) }
        }
        return DynamicMessage(layout: layout, values: values)
    }

    private mutating func value(_ field: FieldLayout) throws(CDRError) -> DynamicValue {
        let count: Int
        switch field.shape {
        case .single: return try single(field.element)
        case .array(let fixed):
            count = fixed
            guard decoder.remainingBytes / field.element.minimumSize >= count else {
                throw decoder.error("\(count) elements", "\(decoder.remainingBytes) bytes", back: 0)
            }
        case .sequence(let limit):
            count = try decoder.readCount(minimumSize: field.element.minimumSize)
            if let limit, count > limit { throw decoder.error("at most \(limit) elements", "\(count)", back: 4) }
        }
        switch field.element {
        case .number(let kind): return try numbers(kind.storage, count)
        case .string(let bound):
            var values: [String] = []
            values.reserveCapacity(count)
            for _ in 0..<count {
                do throws(CDRError) {
                    values.append(try string(bound))
                } catch { throw error.inside("[\(values.count)]") }
            }
            return .strings(values)
        case .message(let layout):
            var values: [DynamicMessage] = []
            values.reserveCapacity(min(count, remainingMessages))
            for _ in 0..<count {
                do throws(CDRError) {
                    values.append(try message(layout))
                } catch { throw error.inside("[\(values.count)]") }
            }
            return .messages(values)
        }
    }

    private mutating func numbers<P: PackedPrimitive>(_ type: P.Type, _ count: Int) throws(CDRError) -> DynamicValue {
        P.value(try P.decode(count: count, from: &decoder))
    }

    private mutating func single(_ element: FieldLayout.Element) throws(CDRError) -> DynamicValue {
        switch element {
        case .message(let layout): return .message(try message(layout))
        case .string(let bound): return .string(try string(bound))
        case .number(let kind): return try number(kind)
        }
    }

    private mutating func number(_ kind: NumberKind) throws(CDRError) -> DynamicValue {
        switch kind {
        case .bool:
            let byte = try bits(1)
            guard byte <= 1 else { throw decoder.error("a bool of 0 or 1", "\(byte)", back: 1) }
            return .bool(byte == 1)
        case .byte, .char, .uint8: return .unsigned(try bits(1))
        case .uint16: return .unsigned(try bits(2))
        case .uint32: return .unsigned(try bits(4))
        case .uint64: return .unsigned(try bits(8))
        case .int8: return .integer(Int64(Int8(truncatingIfNeeded: try bits(1))))
        case .int16: return .integer(Int64(Int16(truncatingIfNeeded: try bits(2))))
        case .int32: return .integer(Int64(Int32(truncatingIfNeeded: try bits(4))))
        case .int64: return .integer(Int64(truncatingIfNeeded: try bits(8)))
        case .float32: return .float32(Float(bitPattern: UInt32(truncatingIfNeeded: try bits(4))))
        case .float64: return .float64(Double(bitPattern: try bits(8)))
        }
    }

    /// Reads an aligned number of that many bytes.
    private mutating func bits(_ size: Int) throws(CDRError) -> UInt64 {
        let bytes = try decoder.take(1, elementSize: size)
        switch size {
        case 1: return UInt64(bytes[0])
        case 2: return UInt64(inOrder(bytes.loadUnaligned(as: UInt16.self)))
        case 4: return UInt64(inOrder(bytes.loadUnaligned(as: UInt32.self)))
        default: return inOrder(bytes.loadUnaligned(as: UInt64.self))
        }
    }

    private func inOrder<I: FixedWidthInteger>(_ value: I) -> I { decoder.isBigEndian ? value.byteSwapped : value }

    private mutating func string(_ bound: StringBound) throws(CDRError) -> String {
        let start = decoder.offset
        let text = bound.isWide ? try wideString() : try String.decode(from: &decoder)
        guard bound.admits(text) else {
            let unit = bound.isWide ? "units" : "bytes"
            throw decoder.error(
                "a string of at most \(bound.limit ?? 0) \(unit)",
                "\(bound.isWide ? text.utf16.count : text.utf8.count)",
                back: decoder.offset - start
            )
        }
        return text
    }

    /// Reads the count of UTF-16 units and these, each in two or four bytes; there is no final NUL.
    private mutating func wideString() throws(CDRError) -> String {
        let count = try decoder.readCount(minimumSize: wideUnitSize)
        let bytes = try decoder.take(count, elementSize: wideUnitSize)
        var units: [UInt16] = []
        units.reserveCapacity(count)
        for index in 0..<count {
            let unit: UInt32
            if wideUnitSize == 2 {
                unit = UInt32(inOrder(bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)))
            } else {
                unit = inOrder(bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
            }
            guard let unit = UInt16(exactly: unit) else {
                throw decoder.error("UTF-16", "the unit \(unit)", back: (count - index) * wideUnitSize)
            }
            units.append(unit)
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw decoder.error("UTF-16", "an unpaired surrogate", back: count * wideUnitSize)
        }
        return text
    }
}

extension MessageSchema {
    /// Reads CDR of either byte order, with its header; the value is a message.
    ///
    /// The width of the units of a wstring is not in the data: four bytes are tried first, then two.
    package func decode(cdr bytes: UnsafeRawBufferPointer) throws(CDRError) -> DynamicValue {
        do throws(CDRError) {
            var reader = try DynamicCDRReader(bytes, wideUnitSize: 4)
            return .message(try reader.root(layout))
        } catch {
            guard layout.hasWideStrings, var narrow = try? DynamicCDRReader(bytes, wideUnitSize: 2),
                let message = try? narrow.root(layout)
            else { throw error }
            return .message(message)
        }
    }

    /// Reads CDR of either byte order, with its header; the value is a message.
    package func decode(cdr bytes: [UInt8]) throws(CDRError) -> DynamicValue {
        try bytes.withUnsafeBufferPointer { (buffer) throws(CDRError) in
            try decode(cdr: UnsafeRawBufferPointer(buffer))
        }
    }
}
