import Messages
import TestSupport
import Testing
import Text

/// One encoding by rosbags on which mcap_ros2 agrees.
struct CDRVector: Sendable, CustomTestStringConvertible {
    var typeName: String
    /// The value as rosbridge JSON.
    var json: [UInt8]
    var cdr: [UInt8]

    var testDescription: String { "\(typeName), \(cdr.count) bytes" }

    static let all: [CDRVector] = {
        guard let entries = try? Vectors.load("cdr_vectors.json")["vectors"]?.array else { return [] }
        return entries.compactMap { entry in
            // Types that are known as text only are judged in DynamicMessagesTests.
            guard let type = entry["type"]?.string, messageType(type) != nil, let value = entry["value"],
                let hex = entry["cdr_hex"]?.string
            else { return nil }
            // The file has non-finite numbers as strings; rosbridge has them as bare tokens.
            let text = value.text().replacing("\"nan\"", with: "NaN").replacing("\"inf\"", with: "Infinity")
                .replacing("\"-inf\"", with: "-Infinity")
                // And it knows nothing of a default in a .msg file: a quaternion without w has 0 there.
                .replacing("\"scale\":", with: "\"pose\":{\"orientation\":{\"w\":0}},\"scale\":")
            return CDRVector(typeName: type, json: Array(text.utf8), cdr: [UInt8](hexadecimal: hex))
        }
    }()
}

@Suite("CDR of other encoders")
struct CDRVectorTests {
    @Test("all are there")
    func count() {
        #expect(CDRVector.all.count == 31)
    }

    @Test("are read and written again byte for byte", arguments: CDRVector.all)
    func roundTrip(_ vector: CDRVector) throws {
        let type = try #require(messageType(vector.typeName))
        let message = try type.decoding(cdr: vector.cdr)
        #expect(message.encodedCDR() == vector.cdr)
        #expect(message.encodedCDRSize == vector.cdr.count)
    }

    @Test("are what the values encode to", arguments: CDRVector.all)
    func encoded(_ vector: CDRVector) throws {
        let type = try #require(messageType(vector.typeName))
        let message = try type.decoding(json: vector.json)
        #expect(message.encodedCDR() == vector.cdr)
        // What rosbridge gets leads back to the same bytes.
        #expect(try type.decoding(json: try message.encodedJSON()).encodedCDR() == vector.cdr)
    }

    @Test("every truncation is an error at the end of what is there", arguments: CDRVector.all)
    func truncated(_ vector: CDRVector) throws {
        let type = try #require(messageType(vector.typeName))
        for length in 0..<vector.cdr.count {
            let error = #expect(throws: CDRError.self) { try type.decoding(cdr: Array(vector.cdr[..<length])) }
            #expect((error?.offset ?? .max) <= length)
        }
    }

    @Test("up to three zeros may follow, and nothing else", arguments: CDRVector.all)
    func padded(_ vector: CDRVector) throws {
        let type = try #require(messageType(vector.typeName))
        for count in 0...3 {
            let padded = vector.cdr + [UInt8](repeating: 0, count: count)
            #expect(try type.decoding(cdr: padded).encodedCDR() == vector.cdr)
        }
        for tail in [[0, 0, 0, 0], [1], [0, 0, 1]] as [[UInt8]] {
            #expect(throws: CDRError.self) { try type.decoding(cdr: vector.cdr + tail) }
        }
    }
}
