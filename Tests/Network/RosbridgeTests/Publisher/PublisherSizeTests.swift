import Messages
import Rosbridge
import Testing
import Text

@Suite("Publisher and sizes", .timeLimit(.minutes(2)))
struct PublisherSizeTests {
    /// Publishes a text with a limit for frames, and returns what came, with fragments joined in the order of arrival.
    private func publish(_ message: String, limit: Int) async throws -> (frames: [String], whole: [String]) {
        let server = try await ScriptedServer(.proper)
        var options = quickOptions()
        options.maximumMessageSize = limit
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.chatter])
        try await publisher.write(text(message))
        _ = try await publisher.finish()
        let frames = try await server.stop().map(\.text)
        var whole: [String] = []
        var joined = ""
        for frame in frames {
            let value = try JSONValue.parse(Array(frame.utf8))
            if value["op"]?.string == "publish" { whole.append(frame) }
            guard value["op"]?.string == "fragment" else { continue }
            joined += value["data"]?.string ?? ""
            if value["num"]?.integer.map({ $0 + 1 }) == value["total"]?.integer {
                whole.append(joined)
                joined = ""
            }
        }
        return (frames, whole)
    }

    @Test("no frame is larger than the limit by a byte, and none is split that need not be", arguments: 0..<6)
    func toTheByte(seed: UInt64) async throws {
        var random = SeededRandomness(seed: seed + 1)
        let characters = ["a", "ü", "€", "😀", "\"", "\\", "\n", "\u{1}", "\u{7F}", "é\u{301}"]
        let count = Int.random(in: 600...1500, using: &random)
        let message = (0..<count).map { _ in characters[Int.random(in: 0..<10, using: &random)] }.joined()
        let whole = try await publish(message, limit: 1_000_000).whole
        let size = try #require(whole.first).utf8.count
        #expect(whole.count == 1)
        for limit in [size - 1, size, size + 1, 256, 257, Int.random(in: 256..<size, using: &random)] {
            let (frames, joined) = try await publish(message, limit: limit)
            #expect(frames.allSatisfy { $0.utf8.count <= limit }, "\(limit)")
            #expect(joined == whole, "\(limit)")
            #expect(frames.contains { $0.hasPrefix(#"{"op":"fragment""#) } == (limit < size), "\(limit)")
        }
    }
}
