import Messages
import Sessions
import SystemPackage
import TestSupport
import Testing
import Translation

/// Numbers that are sound JSON and no sense: whatever passes the reader must pass everything behind it.
@Suite struct AbsurdNumberTests {
    private static let absurd = [
        "0", "-0.0", "1e-300", "-1e-300", "1e300", "-1e300", "1e5", "-99999", "999999", "1000001", "-1e9", "1e9",
        "16384",
        "16385", "0.0801", "0.5", "-1", "2", "NaN", "-Infinity", "9.2e9", "3.3e7", "255", "1e18",
    ]

    /// Replaces one number of the text by another.
    private func replacingANumber(_ text: String, _ numbers: inout SeededRandomNumbers) -> String {
        let bytes = Array(text.utf8)
        func isPart(_ place: Int) -> Bool { "0123456789.-e".utf8.contains(bytes[place]) }
        // A number stands behind a bracket, a comma or a colon.
        let starts = bytes.indices.dropFirst().filter {
            isPart($0) && bytes[$0] != UInt8(ascii: "e") && "[,: ".utf8.contains(bytes[$0 - 1])
        }
        guard let start = starts.randomElement(using: &numbers) else { return text }
        let end = bytes[start...].indices.first { !isPart($0) } ?? bytes.count
        let value = Self.absurd.randomElement(using: &numbers) ?? "0"
        return String(decoding: bytes[..<start] + Array(value.utf8) + bytes[end...], as: UTF8.self)
    }

    private func base() throws -> SessionBuilder {
        var builder = try SessionBuilder(frameCount: 5)
        builder.files["gps.jsonl"] = Array(
            (0..<4).map {
                "{\"timestamp\":\(1000 + $0),\"unix_time\":\(1_700_000_000 + $0),\"latitude\":48.5,\"longitude\":11.25,"
                    + "\"altitude\":500,\"ellipsoidal_altitude\":545,\"horizontal_accuracy\":4,\"vertical_accuracy\":5,"
                    + "\"speed\":1,\"speed_accuracy\":0.5,\"course\":90,\"course_accuracy\":10,\"floor\":2}\n"
            }.joined().utf8
        )
        builder.metadata?["relative_depth"] = "{\"resolution\":[16,12],\"kind\":\"inverse_depth\"}"
        let depth = SessionBuilder.depth(metres: (0..<192).map { 1 / (1 + Float($0) / 100) })
        for index in 0..<5 { builder.files["relative_depth/\(SessionBuilder.number(index)).bin"] = depth }
        return builder
    }

    @Test(arguments: ["record", "app", "full"])
    func everythingThatIsPublishedEncodes(profile: String) async throws {
        let builder = try base()
        let directory = try TemporaryDirectory()
        let root = try builder.write(into: directory.path)
        let files = ["frames.jsonl", "gps.jsonl", "metadata.json"]
        let texts = files.map { String(decoding: builder.contents[$0] ?? [], as: UTF8.self) }
        var numbers = SeededRandomNumbers(seed: 17)
        var messageCount = 0
        for _ in 0..<120 {
            for (file, text) in zip(files, texts) {
                var text = text
                for _ in 0..<Int.random(in: 0...4, using: &numbers) { text = replacingANumber(text, &numbers) }
                try SessionBuilder.write(Array(text.utf8), to: root.appending(file))
            }
            let replayed: Replayed
            do {
                replayed = try await Replayed(root, profile: profile) { $0.clockHertz = 5 }
            } catch let error as SessionError {
                guard case .noUsableFrame = error else { throw error }
                continue
            }
            for message in replayed.messages {
                var json: [UInt8] = []
                try message.message.appendJSON(to: &json)
                #expect(message.message.encodedCDR().count == message.message.encodedCDRSize)
            }
            messageCount += replayed.messages.count
        }
        #expect(messageCount > 120 * 20)
    }
}
