import Rosbridge
import TestSupport
import Testing

@Suite("Fragments and certificates")
struct FragmentOrderTests {
    private static let publish = Array(#"{"op":"publish","id":"x","topic":"/a","msg":{"data":"ü😀\n\"\u0001"}}"#.utf8)

    private static func operation(_ text: [UInt8]) -> ClientOperation? {
        text.withUnsafeBytes { try? ClientOperation.parse($0) }?.operation
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

    @Test("the name in a certificate is found")
    func certificate() {
        let name: [UInt8] = [0x30, 13, 0x31, 11, 0x30, 9, 6, 3, 0x55, 4, 3, 12, 2, 0x61, 0x62]
        let fields: [UInt8] = [2, 1, 1, 0x30, 0] + name + [0x30, 0] + name
        let certificate = [0x30, UInt8(fields.count + 2), 0x30, UInt8(fields.count)] + fields
        #expect(DistinguishedNames(certificate: certificate).map { $0.commonName(in: $0.subject) } == "ab")
    }
}
