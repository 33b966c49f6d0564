package import Text

/// A value that a .msg file calls by a built-in name: bool, the integers, the floats, byte, char, string.
///
/// Whole arrays go through one requirement each, so that a type can copy them at once: asking `values as? [UInt8]` in a
/// visitor instead costs an element-wise conversion.
package protocol Primitive: Sendable, Hashable {
    /// The built-in type of .msg files; nil for a string.
    static var numberKind: NumberKind? { get }
    /// The value of a field without a default.
    static var blank: Self { get }
    /// The fewest bytes of a value in CDR.
    static var minimumSize: Int { get }

    func addSize(to counter: inout SizeCounter)
    static func addSize(of values: UnsafeBufferPointer<Self>, to counter: inout SizeCounter)

    func encode(to encoder: inout CDREncoder)
    static func encode(_ values: UnsafeBufferPointer<Self>, to encoder: inout CDREncoder)
    static func decode(from decoder: inout CDRDecoder) throws(CDRError) -> Self
    static func decode(count: Int, from decoder: inout CDRDecoder) throws(CDRError) -> [Self]

    /// True if the type has values that are not finite.
    static var mayBeNonFinite: Bool { get }
    /// The text of a value that is not finite, otherwise `nil`.
    var nonFiniteText: String? { get }
    func appendJSON(to bytes: inout [UInt8])
    static func appendJSON(_ values: UnsafeBufferPointer<Self>, to bytes: inout [UInt8])
    static func decode(from scanner: inout JSONScanner) throws(JSONError) -> Self
    /// Reads an array, of exactly `count` elements if a count is given.
    static func decodeArray(count: Int?, from scanner: inout JSONScanner) throws(JSONError) -> [Self]
}

/// `byte` of .msg files: eight bits without arithmetic meaning.
///
/// Unlike `uint8`, its arrays are lists in rosbridge JSON, and RIHS01 gives it a number of its own.
package struct ROSByte: Hashable, Sendable, BitwiseCopyable, ExpressibleByIntegerLiteral {
    package var rawValue: UInt8

    package init(_ rawValue: UInt8) { self.rawValue = rawValue }
    package init(integerLiteral value: UInt8) { rawValue = value }
}
