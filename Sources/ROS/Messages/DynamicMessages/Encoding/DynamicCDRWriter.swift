/// Writes messages of a layout as XCDR1, little endian, gaps zero.
struct DynamicCDRWriter {
    private(set) var bytes: [UInt8]
    /// From where alignment counts: the first byte after the header.
    private let start: Int
    /// The bytes of a unit of a wstring.
    private let wideUnitSize: Int

    init(bytes: consuming [UInt8], wideUnitSize: Int) {
        self.bytes = bytes
        for index in 0..<4 { self.bytes.append(CDREncoder.header[index]) }
        start = self.bytes.count
        self.wideUnitSize = wideUnitSize
    }

    consuming func finish() -> [UInt8] { bytes }

    mutating func message(_ message: DynamicMessage, _ layout: MessageLayout) throws(DynamicValueError) {
        guard message.layout === layout || message.layout.typeName == layout.typeName,
            message.values.count == layout.fields.count
        else { throw DynamicValueError(expected: "a \(layout.typeName)", found: "a \(message.layout.typeName)") }
        // IDL has no empty structures.
        if layout.fields.isEmpty { bytes.append(0) }
        for index in layout.fields.indices {
            do throws(DynamicValueError) {
                try value(message.values[index], layout.fields[index])
            } catch { throw error.inside(layout.fields[index].name) }
        }
    }

    private mutating func value(_ value: DynamicValue, _ field: FieldLayout) throws(DynamicValueError) {
        if field.shape == .single { return try single(value, field) }
        guard let count = value.count else { throw field.mismatch(value) }
        switch field.shape {
        case .single: break
        case .array(let fixed):
            guard count == fixed else { throw field.mismatch(value) }
        case .sequence(let limit):
            guard count <= limit ?? Int(UInt32.max) else { throw field.mismatch(value) }
            append(UInt64(count), size: 4)
        }
        switch (field.element, value) {
        case (.number(let kind), _): try numbers(value, kind.storage, field)
        case (.string(let bound), .strings(let texts)):
            for index in texts.indices {
                guard bound.admits(texts[index]) else {
                    throw field.mismatch(.string(texts[index])).inside("[\(index)]")
                }
                try string(texts[index], bound)
            }
        case (.message(let layout), .messages(let messages)):
            for index in messages.indices {
                do throws(DynamicValueError) {
                    try message(messages[index], layout)
                } catch { throw error.inside("[\(index)]") }
            }
        default: throw field.mismatch(value)
        }
    }

    private mutating func numbers<P: PackedPrimitive>(
        _ value: DynamicValue,
        _ type: P.Type,
        _ field: FieldLayout
    ) throws(DynamicValueError) {
        guard let values = P.array(value) else { throw field.mismatch(value) }
        guard !values.isEmpty else { return }
        align(to: P.minimumSize)
        try reserve(values.count * P.minimumSize)
        values.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    private mutating func single(_ value: DynamicValue, _ field: FieldLayout) throws(DynamicValueError) {
        switch (field.element, value) {
        case (.message(let layout), .message(let nested)): try message(nested, layout)
        case (.string(let bound), .string(let text)):
            guard bound.admits(text) else { throw field.mismatch(value) }
            try string(text, bound)
        case (.number(.bool), .bool(let value)): bytes.append(value ? 1 : 0)
        case (.number(.float32), .float32(let value)): append(UInt64(value.bitPattern), size: 4)
        case (.number(.float64), .float64(let value)): append(value.bitPattern, size: 8)
        case (.number(let kind), .integer(let number)) where kind.isSigned:
            let spare = 64 - kind.size * 8
            guard (number << spare) >> spare == number else { throw field.mismatch(value) }
            append(UInt64(bitPattern: number), size: kind.size)
        case (.number(let kind), .unsigned(let number)) where kind.isUnsigned:
            let spare = 64 - kind.size * 8
            guard (number << spare) >> spare == number else { throw field.mismatch(value) }
            append(number, size: kind.size)
        default: throw field.mismatch(value)
        }
    }

    private mutating func string(_ text: String, _ bound: StringBound) throws(DynamicValueError) {
        if bound.isWide {
            let units = text.utf16
            append(UInt64(units.count), size: 4)
            try reserve(units.count * wideUnitSize)
            for unit in units { append(UInt64(unit), size: wideUnitSize) }
        } else {
            var text = text
            let count = text.utf8.count
            append(UInt64(count + 1), size: 4)
            try reserve(count)
            text.withUTF8 { bytes.append(contentsOf: $0) }
            bytes.append(0)
        }
    }

    /// Appends the low bytes of a number at their alignment.
    private mutating func append(_ bits: UInt64, size: Int) {
        align(to: size)
        if size == 1 { return bytes.append(UInt8(truncatingIfNeeded: bits)) }
        withUnsafeBytes(of: bits.littleEndian) {
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[..<size]))
        }
    }

    private mutating func align(to size: Int) {
        while (bytes.count &- start) & (size &- 1) != 0 { bytes.append(0) }
    }

    /// Checks that the message stays within what bags take.
    private func reserve(_ count: Int) throws(DynamicValueError) {
        guard bytes.count - start + count <= SchemaLimits.messageBytes else {
            throw DynamicValueError(expected: "a message of at most \(SchemaLimits.messageBytes) bytes", found: "more")
        }
    }
}

extension MessageSchema {
    /// The message as XCDR1, little endian, with its 4-byte header.
    ///
    /// `wideUnitSize` is the bytes of a unit of a wstring: 4 by Fast CDR 1 and CycloneDDS, 2 by Fast CDR 2.
    package func encodedCDR(_ value: DynamicValue, wideUnitSize: Int = 4) throws(DynamicValueError) -> [UInt8] {
        var bytes: [UInt8] = []
        try appendCDR(value, to: &bytes, wideUnitSize: wideUnitSize)
        return bytes
    }

    /// Appends the message as XCDR1, little endian, with its 4-byte header; nothing is appended on an error.
    package func appendCDR(
        _ value: DynamicValue,
        to bytes: inout [UInt8],
        wideUnitSize: Int = 4
    ) throws(DynamicValueError) {
        guard case .message(let message) = value else {
            throw DynamicValueError(expected: "a \(typeName)", found: value.kindText)
        }
        let start = bytes.count
        var lent: [UInt8] = []
        swap(&lent, &bytes)
        var writer = DynamicCDRWriter(bytes: consume lent, wideUnitSize: wideUnitSize == 2 ? 2 : 4)
        do throws(DynamicValueError) {
            try writer.message(message, layout)
            bytes = writer.finish()
        } catch {
            bytes = writer.finish()
            bytes.removeSubrange(start...)
            throw error
        }
    }
}
