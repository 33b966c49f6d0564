import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// Flipped, cut, doubled and inserted bytes in the small files: always a session or a documented error, never a crash.
@Suite struct MutationTests {
    private func mutate(_ bytes: [UInt8], _ numbers: inout SeededRandomNumbers) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...6, using: &numbers) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &numbers)
            switch Int.random(in: 0..<6, using: &numbers) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &numbers)))
            case 3: bytes.insert(contentsOf: bytes[place...].prefix(30), at: place)
            case 4: bytes[place] = Array("0123456789eE.-+\"[]{},: \n\\u".utf8).randomElement(using: &numbers) ?? 0
            default: bytes.insert(contentsOf: Array("99999999999999999999".utf8), at: place)
            }
        }
        return bytes
    }

    private func base() throws -> SessionBuilder {
        var builder = try SessionBuilder(frameCount: 3)
        builder.metadata?["relative_depth"] = "{\"resolution\":[4,3],\"kind\":\"inverse_depth\"}"
        builder.files["imu.jsonl"] = Array(
            (0..<4).map {
                "{\"timestamp\":\"1000.\($0)\",\"user_acceleration\":[0,0,0],\"rotation_rate\":[0,0,0],"
                    + "\"gravity\":[0,0,-1],\"attitude_quaternion\":[0,0,0,1],\"magnetic_field\":[0,0,0]}\n"
            }.joined().utf8
        )
        builder.files["gps.jsonl"] = Array(
            (0..<4).map {
                "{\"timestamp\":100\($0),\"unix_time\":\"170000000\($0).5\",\"latitude\":48.5,\"longitude\":11.25,"
                    + "\"altitude\":500,\"horizontal_accuracy\":4,\"floor\":2}\n"
            }.joined().utf8
        )
        builder.addObservations()
        builder.files["frames.jsonl"] = builder.frames
        builder.files["metadata.json"] = builder.metadata.map { Array($0.text.utf8) }
        builder.metadata = nil
        return builder
    }

    @Test(
        arguments: [
            "frames.jsonl", "imu.jsonl", "gps.jsonl", "metadata.json", "imu.csv", "tiles/manifest.json",
            "depth/000000.bin", "heading.jsonl", "radio.jsonl", "indoor.jsonl",
        ]
    )
    func damagedBytesAreOnlyEverProblems(file: String) throws {
        var numbers = SeededRandomNumbers(seed: 99)
        var builder = try base()
        if file == "imu.csv" {
            builder.files["imu.jsonl"] = nil
            builder.files["imu.csv"] = Array(SessionBuilder.motionTable(sampleCount: 8).utf8)
        }
        if file.hasPrefix("tiles") { builder.addTiles([SessionBuilder.tileLayer(.elevation)]) }
        let directory = try TemporaryDirectory()
        let root = try builder.write(into: directory.path)
        let original = try #require(builder.contents[file])
        var sessions = 0
        for _ in 0..<250 {
            try SessionBuilder.write(mutate(original, &numbers), to: root.appending(file))
            do {
                let read = try ReadSession(directory, path: root)
                _ = read.loadAll()
                sessions += 1
                for entry in read.diagnostics.entries {
                    #expect(entry.examples.allSatisfy { !$0.expected.isEmpty && !$0.file.isEmpty })
                }
            } catch let error as SessionError {
                guard case .noUsableFrame = error else { throw error }
            }
        }
        // Most damage costs a line, not a session.
        #expect(sessions > 200)
    }
}
