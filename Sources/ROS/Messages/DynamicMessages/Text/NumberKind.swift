import Glibc

/// The built-in types of .msg texts that are no strings.
package enum NumberKind: String, Hashable, Sendable, CaseIterable {
    case bool, byte, char, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64

    /// The type of the values in memory; `byte` and `char` are bytes like any other.
    package var storage: any PackedPrimitive.Type {
        switch self {
        case .bool: Bool.self
        case .byte, .char, .uint8: UInt8.self
        case .int8: Int8.self
        case .int16: Int16.self
        case .uint16: UInt16.self
        case .int32: Int32.self
        case .uint32: UInt32.self
        case .int64: Int64.self
        case .uint64: UInt64.self
        case .float32: Float.self
        case .float64: Double.self
        }
    }

    /// The number in RIHS01, which is that of type_description_interfaces/msg/FieldType; `char` has that of `uint8`.
    var typeID: Int {
        switch self {
        case .int8: 2
        case .uint8, .char: 3
        case .int16: 4
        case .uint16: 5
        case .int32: 6
        case .uint32: 7
        case .int64: 8
        case .uint64: 9
        case .float32: 10
        case .float64: 11
        case .bool: 15
        case .byte: 16
        }
    }

    /// The size of a value in CDR, in bytes.
    package var size: Int { storage.minimumSize }

    /// The value of a field without a default.
    var blank: DynamicValue {
        func blank<P: PackedPrimitive>(_ type: P.Type) -> DynamicValue { P.value(P.blank) }
        return blank(storage)
    }

    func blanks(_ count: Int) -> DynamicValue {
        func blanks<P: PackedPrimitive>(_ type: P.Type) -> DynamicValue {
            P.value([P](repeating: P.blank, count: count))
        }
        return blanks(storage)
    }

    /// Single values as one array.
    func packed(_ values: [DynamicValue]) -> DynamicValue {
        func packed<P: PackedPrimitive>(_ type: P.Type) -> DynamicValue { P.value(values.compactMap(P.single)) }
        return packed(storage)
    }

    /// The value that a .msg text writes so, if it is one of this type.
    func value(of text: String) -> DynamicValue? {
        switch self {
        case .bool:
            switch text.lowercased() {
            case "true", "1": return .bool(true)
            case "false", "0": return .bool(false)
            default: return nil
            }
        case .float32:
            guard let value = floatingPoint(text) else { return nil }
            let single = Float(value)
            return single.isFinite || !value.isFinite ? .float32(single) : nil
        case .float64: return floatingPoint(text).map { .float64($0) }
        default:
            func integer<P: PackedPrimitive>(_ type: P.Type) -> DynamicValue? {
                guard let type = type as? any FixedWidthInteger.Type else { return nil }
                return NumberKind.integer(text, type)
            }
            return integer(storage)
        }
    }

    /// Reads an integer as Python does: decimal, or with 0x, 0o, 0b.
    private static func integer<I: FixedWidthInteger>(_ text: String, _ type: I.Type) -> DynamicValue? {
        var digits = Substring(text)
        let isNegative = digits.hasPrefix("-")
        if isNegative || digits.hasPrefix("+") { digits = digits.dropFirst() }
        var radix = 10
        for (prefix, base) in [("0x", 16), ("0X", 16), ("0b", 2), ("0B", 2), ("0o", 8), ("0O", 8)]
        where digits.hasPrefix(prefix) {
            digits = digits.dropFirst(2)
            radix = base
        }
        guard digits.utf8.first.map(isNamePart) ?? false, digits.utf8.count <= 80 else { return nil }
        guard let value = I((isNegative ? "-" : "") + digits, radix: radix) else { return nil }
        return I.isSigned ? .integer(Int64(truncatingIfNeeded: value)) : .unsigned(UInt64(truncatingIfNeeded: value))
    }
}

/// Reads a number such as 1, -.5, 1e3, inf or nan.
private func floatingPoint(_ text: String) -> Double? {
    let bytes = text.utf8
    guard bytes.count <= 400, let first = bytes.first, !isSpace(first) else { return nil }
    // What strtod takes beyond Python are hexadecimal numbers and NaN with a payload.
    let isPlain = bytes.allSatisfy { isNamePart($0) || [0x2B, 0x2D, 0x2E].contains($0) }
    guard isPlain, !bytes.contains(where: { $0 | 0x20 == 0x78 || $0 == 0x5F }) else { return nil }
    return text.withCString { pointer in
        var end: UnsafeMutablePointer<CChar>?
        let value = strtod(pointer, &end)
        guard let end, end - UnsafeMutablePointer(mutating: pointer) == bytes.count else { return nil }
        return value
    }
}
