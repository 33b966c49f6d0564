import Rosbridge
import TestSupport
import Testing
import Text

/// A short pass of what tools/fuzz does for longer, over what peers send.
@Suite("Mutated operations")
struct MutatedOperationTests {
    private static let publish = Array(#"{"op":"publish","id":"x","topic":"/a","msg":{"data":"ü😀\n\"\u0001"}}"#.utf8)
    private static let operations = [
        publish, Array(#"{"op":"advertise","topic":"/a","type":"std_msgs/String","latch":true,"queue_size":5}"#.utf8),
        Array(#"{"op":"call_service","service":"/rosapi/subscribers","args":{"topic":"/a"},"id":7}"#.utf8),
        Array(#"{"op":"fragment","id":"1","num":0,"total":2,"data":"{\"op\":"}"#.utf8),
    ]
    private static let words = [
        "\"topic\":", "\"msg\":", "null", "-1", "9223372036854775807", "{", "}", "[", ",", "\"",
    ]

    private static func operation(_ text: [UInt8]) -> ClientOperation? {
        text.withUnsafeBytes { try? ClientOperation.parse($0) }?.operation
    }

    @Test("a client's operation is read or refused, and its message is where it is said to be")
    func operations() throws {
        var generator = SeededRandomNumbers(seed: 71)
        var table = FragmentTable(byteLimit: 200)
        var messages = 0
        for round in 0..<4_000 {
            let text = mutated(Self.operations[round % 4], words: Self.words, using: &generator)
            switch Self.operation(text) {
            case .publish(_, let offset?):
                messages += 1
                try text.withUnsafeBytes { bytes in
                    var scanner = JSONScanner(bytes, allowsNonFinite: true).scanner(at: offset)
                    try scanner.skipValue()
                }
            case .fragment(let id, let number, let total, let data):
                _ = try? table.add(id: id, number: number, total: total, data: data)
                #expect(table.byteCount <= 200)
            default: break
            }
        }
        #expect(messages > 20)
    }

    @Test("fragments that come in any order are joined to what was split")
    func fragments() throws {
        var generator = SeededRandomNumbers(seed: 72)
        for length in [256, 257, 300, 511, 1_000] {
            let text = [[UInt8]](repeating: Self.publish, count: 40).flatMap { $0 }
            let frames = Fragmenter(maximumFrameLength: length).fragments(of: text, id: "1")
            #expect(frames.count > 1 && frames.allSatisfy { $0.count <= length })
            var table = FragmentTable(byteLimit: text.count)
            var joined: [UInt8]?
            for frame in frames.shuffled(using: &generator) {
                #expect(joined == nil)
                guard case .fragment(let id, let number, let total, let data)? = Self.operation(frame) else {
                    Issue.record("no fragment: \(String(decoding: frame, as: UTF8.self))")
                    continue
                }
                joined = try table.add(id: id, number: number, total: total, data: data)
            }
            #expect(joined == text && table.byteCount == 0)
        }
    }

    @Test("what is no certificate has no names, and what a server says is an answer or nothing")
    func certificatesAndReplies() {
        var generator = SeededRandomNumbers(seed: 73)
        let reply = Array(#"{"op":"service_response","id":"1","values":{"topics":["/a"],"types":["b"]}}"#.utf8)
        let name: [UInt8] = [0x30, 13, 0x31, 11, 0x30, 9, 6, 3, 0x55, 4, 3, 12, 2, 0x61, 0x62]
        let fields: [UInt8] = [2, 1, 1, 0x30, 0] + name + [0x30, 0] + name
        let certificate = [0x30, UInt8(fields.count + 2), 0x30, UInt8(fields.count)] + fields
        #expect(DistinguishedNames(certificate: certificate).map { $0.commonName(in: $0.subject) } == "ab")
        var named = 0
        for _ in 0..<2_000 {
            _ = ServerReply(mutated(reply, words: Self.words, using: &generator))
            let bytes = mutated(certificate, using: &generator)
            guard let names = DistinguishedNames(certificate: bytes) else { continue }
            named += names.commonName(in: names.subject) == nil ? 0 : 1
            #expect(names.issuer.count + names.subject.count < bytes.count)
        }
        #expect(named > 50)
    }
}
