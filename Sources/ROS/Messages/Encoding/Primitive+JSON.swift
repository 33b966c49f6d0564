package import Text

extension Primitive {
    package static func appendJSON(_ values: UnsafeBufferPointer<Self>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        for index in 0..<values.count {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            values[index].appendJSON(to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    package static func decodeArray(count: Int?, from scanner: inout JSONScanner) throws(JSONError) -> [Self] {
        let start = scanner.offset
        var values: [Self] = []
        values.reserveCapacity(count ?? 0)
        try scanner.beginArray()
        while try scanner.nextElement() {
            if let count, values.count == count { throw scanner.unexpected("the end of an array of \(count)") }
            values.append(try decode(from: &scanner))
        }
        if let count, values.count < count {
            throw JSONError(offset: start, expected: "an array of \(count)", found: "\(values.count) elements")
        }
        return values
    }
}

// rosbridge has base64 for uint8[] and char[], of fixed length too, and for no other type.

extension UInt8 {
    package static func appendJSON(_ values: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        Base64.appendQuoted(UnsafeRawBufferPointer(values), to: &bytes)
    }

    package static func decodeArray(count: Int?, from scanner: inout JSONScanner) throws(JSONError) -> [UInt8] {
        switch try scanner.peek() {
        case .string:
            let start = scanner.offset
            let token = try scanner.stringToken()
            var values: [UInt8]?
            if let plain = token.bytes {
                values = Base64.decode(plain)
            } else {
                // Some writers escape the slash.
                var text = token.string
                values = text.withUTF8 { Base64.decode(UnsafeRawBufferPointer($0)) }
            }
            guard let values else { throw JSONError(offset: start, expected: "padded base64", found: "another string") }
            if let count, values.count != count {
                throw JSONError(offset: start, expected: "\(count) bytes in base64", found: "\(values.count)")
            }
            return values
        case .array:
            let start = scanner.offset
            var values: [UInt8] = []
            try scanner.beginArray()
            while try scanner.nextElement() { values.append(try decode(from: &scanner)) }
            if let count, values.count != count {
                throw JSONError(offset: start, expected: "an array of \(count)", found: "\(values.count) elements")
            }
            return values
        default: throw scanner.unexpected("base64 or an array")
        }
    }
}

extension String: Primitive {
    package static var numberKind: NumberKind? { nil }
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
