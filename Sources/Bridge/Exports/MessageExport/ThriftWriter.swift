/// Structs in Thrift's compact protocol, as the footers of Parquet have them.
///
/// A field is a byte of the distance to the last one's number and its type, then its value; integers are zigzag varints.
struct ThriftWriter {
    private(set) var bytes: [UInt8] = []
    private var lastFields: [Int] = [0]

    private enum Kind: UInt8 {
        case int32 = 5
        case int64 = 6
        case binary = 8
        case list = 9
        case structure = 12
    }

    mutating func field(_ number: Int, _ value: Int32) {
        begin(number, .int32)
        varint(UInt64(UInt32(bitPattern: value << 1 ^ value >> 31)))
    }

    mutating func field(_ number: Int, _ value: Int64) {
        begin(number, .int64)
        varint(UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    mutating func field(_ number: Int, _ text: String) {
        begin(number, .binary)
        binary(text)
    }

    mutating func field(_ number: Int, _ body: (inout ThriftWriter) -> Void) {
        begin(number, .structure)
        structure(body)
    }

    mutating func field(_ number: Int, list values: [Int32]) {
        begin(number, .list)
        listHead(values.count, .int32)
        for value in values { varint(UInt64(UInt32(bitPattern: value << 1 ^ value >> 31))) }
    }

    mutating func field(_ number: Int, list texts: [String]) {
        begin(number, .list)
        listHead(texts.count, .binary)
        for text in texts { binary(text) }
    }

    mutating func field<Element>(
        _ number: Int,
        structures: [Element],
        _ body: (inout ThriftWriter, Element) -> Void
    ) {
        begin(number, .list)
        listHead(structures.count, .structure)
        for one in structures { structure { body(&$0, one) } }
    }

    /// A struct without a field around it: the whole of a header or footer.
    mutating func structure(_ body: (inout ThriftWriter) -> Void) {
        lastFields.append(0)
        body(&self)
        bytes.append(0)
        lastFields.removeLast()
    }

    private mutating func begin(_ number: Int, _ kind: Kind) {
        let last = lastFields.removeLast()
        lastFields.append(number)
        // All numbers here follow each other closely.
        bytes.append(UInt8(truncatingIfNeeded: (number - last) << 4) | kind.rawValue)
    }

    private mutating func listHead(_ count: Int, _ kind: Kind) {
        guard count >= 15 else { return bytes.append(UInt8(truncatingIfNeeded: count << 4) | kind.rawValue) }
        bytes.append(0xF0 | kind.rawValue)
        varint(UInt64(count))
    }

    private mutating func binary(_ text: String) {
        varint(UInt64(text.utf8.count))
        bytes += text.utf8
    }

    private mutating func varint(_ value: UInt64) { bytes += Self.varint(value) }

    static func varint(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
        return bytes
    }
}
