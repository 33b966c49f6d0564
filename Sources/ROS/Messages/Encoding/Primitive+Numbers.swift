package import Text

extension PrimitiveSchema {
    static let bool = PrimitiveSchema("bool", typeID: 15)
    static let byte = PrimitiveSchema("byte", typeID: 16)
    /// Type descriptions give `char` the number of `uint8`.
    static let char = PrimitiveSchema("char", typeID: 3)
}

// MARK: - Integers

/// An integer of .msg files, which JSON must write as one: rosbridge refuses 640.0.
protocol IntegerPrimitive: PlainPrimitive, FixedWidthInteger {
    static var typeID: Int { get }
}

extension IntegerPrimitive {
    package static var schema: PrimitiveSchema {
        PrimitiveSchema("\(isSigned ? "int" : "uint")\(bitWidth)", typeID: typeID)
    }
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

extension Int8: IntegerPrimitive { static var typeID: Int { 2 } }
extension Int16: IntegerPrimitive { static var typeID: Int { 4 } }
extension UInt16: IntegerPrimitive { static var typeID: Int { 5 } }
extension Int32: IntegerPrimitive { static var typeID: Int { 6 } }
extension UInt32: IntegerPrimitive { static var typeID: Int { 7 } }
extension Int64: IntegerPrimitive { static var typeID: Int { 8 } }
extension UInt64: IntegerPrimitive { static var typeID: Int { 9 } }
extension UInt8: IntegerPrimitive { static var typeID: Int { 3 } }

// MARK: - Floats

extension Float: PlainPrimitive {
    package static var schema: PrimitiveSchema { PrimitiveSchema("float32", typeID: 10) }
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
    package static var schema: PrimitiveSchema { PrimitiveSchema("float64", typeID: 11) }
    package static var blank: Double { 0 }
    package static var mayBeNonFinite: Bool { true }
    package var nonFiniteText: String? { isFinite ? nil : description }

    package func appendJSON(to bytes: inout [UInt8]) { JSONAppend.number(self, to: &bytes) }

    package static func decode(from scanner: inout JSONScanner) throws(JSONError) -> Double { try scanner.number() }
}

// MARK: - Bytes

extension Bool: PlainPrimitive {
    package static var schema: PrimitiveSchema { .bool }
    package static var blank: Bool { false }

    package func appendJSON(to bytes: inout [UInt8]) { JSONAppend.bool(self, to: &bytes) }

    package static func decode(from scanner: inout JSONScanner) throws(JSONError) -> Bool { try scanner.bool() }
}

extension ROSByte: PlainPrimitive {
    package static var schema: PrimitiveSchema { .byte }
    package static var blank: ROSByte { 0 }
    var byteSwapped: ROSByte { self }

    package func appendJSON(to bytes: inout [UInt8]) { rawValue.appendJSON(to: &bytes) }

    package static func decode(from scanner: inout JSONScanner) throws(JSONError) -> ROSByte {
        ROSByte(try UInt8.decode(from: &scanner))
    }
}

extension ROSChar: PlainPrimitive {
    package static var schema: PrimitiveSchema { .char }
    package static var blank: ROSChar { 0 }
    var byteSwapped: ROSChar { self }

    package func appendJSON(to bytes: inout [UInt8]) { rawValue.appendJSON(to: &bytes) }

    package static func decode(from scanner: inout JSONScanner) throws(JSONError) -> ROSChar {
        ROSChar(try UInt8.decode(from: &scanner))
    }
}
