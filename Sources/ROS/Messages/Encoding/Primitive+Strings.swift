package import Text

extension String: Primitive {
    package static var schema: PrimitiveSchema { PrimitiveSchema("string", typeID: 17) }
    package static var blank: String { "" }
    /// The length alone: some writers leave even the final NUL out of an empty string.
    package static var minimumSize: Int { 4 }

    package func addSize(to counter: inout SizeCounter) {
        counter.add(size: 5 + utf8.count, alignment: 4)
    }

    package static func addSize(of values: UnsafeBufferPointer<String>, to counter: inout SizeCounter) {
        for value in values { value.addSize(to: &counter) }
    }

    package func encode(to encoder: inout CDREncoder) {
        var text = self
        text.withUTF8 { utf8 in
            encoder.write(UInt32(truncatingIfNeeded: utf8.count &+ 1))
            encoder.write(UnsafeRawBufferPointer(utf8), alignment: 1)
            encoder.write(UInt8(0))
        }
    }

    package static func encode(_ values: UnsafeBufferPointer<String>, to encoder: inout CDREncoder) {
        for value in values { value.encode(to: &encoder) }
    }

    package static func decode(from decoder: inout CDRDecoder) throws(CDRError) -> String {
        let count = try decoder.readCount(minimumSize: 1)
        guard count > 0 else { return "" }
        let bytes = try decoder.take(count, elementSize: 1)
        guard bytes[count - 1] == 0 else {
            throw decoder.error("a string's final NUL", "0x\(hexadecimal(bytes[count - 1]))", back: 1)
        }
        guard let text = String(validating: bytes.dropLast(), as: UTF8.self) else {
            throw decoder.error("UTF-8", "other bytes", back: count)
        }
        return text
    }

    package static func decode(count: Int, from decoder: inout CDRDecoder) throws(CDRError) -> [String] {
        var values: [String] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try decode(from: &decoder)) }
        return values
    }

    package func appendJSON(to bytes: inout [UInt8]) { JSONAppend.string(self, to: &bytes) }

    package static func decode(from scanner: inout JSONScanner) throws(JSONError) -> String { try scanner.string() }
}
