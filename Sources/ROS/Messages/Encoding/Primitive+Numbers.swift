package import Text

/// An integer of .msg files, which JSON must write as one: rosbridge refuses 640.0.
protocol IntegerPrimitive: PlainPrimitive, FixedWidthInteger {}

extension IntegerPrimitive {
    package static var numberKind: NumberKind? { NumberKind(rawValue: "\(isSigned ? "int" : "uint")\(bitWidth)") }
    package static var blank: Self { 0 }

    package func appendJSON(to bytes: inout [UInt8]) {
        if Self.isSigned {
            JSONAppend.integer(Int64(truncatingIfNeeded: self), to: &bytes)
        } else {
            JSONAppend.integer(UInt64(truncatingIfNeeded: self), to: &bytes)
        }
    }

    package static func decode(from scanner: inout JSONScanner) throws(JSONError) -> Self {
        guard try scanner.peek() == .number else { throw scanner.unexpected("an integer") }
        let start = scanner.offset
        let value: Self?
        if isSigned {
            value = Self(exactly: try scanner.integer())
        } else {
            value = Self(exactly: try scanner.unsignedInteger())
        }
        guard let value else {
            throw scanner.scanner(at: start).unexpected("an integer from \(min) to \(max)")
        }
        return value
    }
}

extension Int8: IntegerPrimitive {}
extension Int16: IntegerPrimitive {}
extension UInt16: IntegerPrimitive {}
extension Int32: IntegerPrimitive {}
extension UInt32: IntegerPrimitive {}
extension Int64: IntegerPrimitive {}
extension UInt64: IntegerPrimitive {}
extension UInt8: IntegerPrimitive {}

extension Float: PlainPrimitive {
    package static var numberKind: NumberKind? { .float32 }
    package static var blank: Float { 0 }
    package static var mayBeNonFinite: Bool { true }
    package var nonFiniteText: String? { isFinite ? nil : description }

    package func appendJSON(to bytes: inout [UInt8]) { JSONAppend.number(self, to: &bytes) }

    package static func decode(from scanner: inout JSONScanner) throws(JSONError) -> Float {
        guard try scanner.peek() == .number else { throw scanner.unexpected("a number") }
        let start = scanner.offset
        let number = try scanner.number()
        let value = Float(number)
        guard value.isFinite || !number.isFinite else {
            throw scanner.scanner(at: start).unexpected("a number within the range of a float32")
        }
        return value
    }
}

extension Double: PlainPrimitive {
    package static var numberKind: NumberKind? { .float64 }
    package static var blank: Double { 0 }
    package static var mayBeNonFinite: Bool { true }
    package var nonFiniteText: String? { isFinite ? nil : description }

    package func appendJSON(to bytes: inout [UInt8]) { JSONAppend.number(self, to: &bytes) }

    package static func decode(from scanner: inout JSONScanner) throws(JSONError) -> Double { try scanner.number() }
}

extension Bool: PlainPrimitive {
    package static var numberKind: NumberKind? { .bool }
    package static var blank: Bool { false }

    package func appendJSON(to bytes: inout [UInt8]) { JSONAppend.bool(self, to: &bytes) }

    package static func decode(from scanner: inout JSONScanner) throws(JSONError) -> Bool { try scanner.bool() }
}

extension ROSByte: PlainPrimitive {
    package static var numberKind: NumberKind? { .byte }
    package static var blank: ROSByte { 0 }
    var byteSwapped: ROSByte { self }

    package func appendJSON(to bytes: inout [UInt8]) { rawValue.appendJSON(to: &bytes) }

    package static func decode(from scanner: inout JSONScanner) throws(JSONError) -> ROSByte {
        ROSByte(try UInt8.decode(from: &scanner))
    }
}
