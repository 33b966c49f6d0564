import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// Sessions damaged at random: repaired, they have the records that could be read before, and nothing left to mend.
@Suite struct RepairMutationTests {
    private func damage(_ bytes: [UInt8], _ numbers: inout SeededRandomNumbers) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &numbers) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &numbers)
            switch Int.random(in: 0..<6, using: &numbers) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
            case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &numbers)))
            case 2: bytes.insert(contentsOf: bytes[place...].prefix(400), at: place)
            case 3: bytes.removeSubrange((bytes.count - Int.random(in: 1...min(90, bytes.count), using: &numbers))...)
            case 4: bytes[place] = Array("0123456789eE.-+\"[]{},: \n\\u".utf8).randomElement(using: &numbers) ?? 0
            default: bytes.append(contentsOf: [UInt8](repeating: 0, count: 30))
            }
        }
        return bytes
    }

    private func base() throws -> SessionBuilder {
        var builder = try SessionBuilder(frameCount: 5)
        for index in 0..<5 {
            builder.lines[index]["relative_depth_resolution"] = "[4,3]"
            builder.files["relative_depth/00000\(index).bin"] = [UInt8](repeating: 0, count: 48)
        }
        builder.addLocations(count: 4, secondsApart: 0.2)
        builder.files["imu.jsonl"] = Array(
            (0..<8).map {
                "{\"timestamp\":\"1000.\($0)\",\"user_acceleration\":[0,0,0],\"rotation_rate\":[0,0,0],"
                    + "\"gravity\":[1,0,0]}\n"
            }.joined().utf8
        )
        builder.files["frames.jsonl"] = builder.frames
        builder.files["metadata.json"] = builder.metadata.map { Array($0.text.utf8) }
        builder.metadata = nil
        return builder
    }

    private func texts(_ read: ReadSession) -> [String] {
        read.records.map { record in
            guard case .frame(var frame) = record else { return "\(record)" }
            frame.line = 0
            return "\(frame)"
        }
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func repairedSessionsHaveTheSameRecords(seed: UInt64) async throws {
        var numbers = SeededRandomNumbers(seed: seed)
        var builder = try base()
        let text = ["frames.jsonl", "imu.jsonl", "gps.jsonl", "metadata.json"]
        for file in text where Bool.random(using: &numbers) {
            builder.files[file] = damage(try #require(builder.files[file]), &numbers)
        }
        for file in builder.files.keys.sorted()
        where !text.contains(file) && Int.random(in: 0..<8, using: &numbers) == 0 {
            builder.files[file] = Bool.random(using: &numbers) ? nil : builder.files[file]?.dropLast(3)
        }
        let directory = try TemporaryDirectory()
        let root = try builder.write(into: directory.path)
        let before: [String]
        do {
            before = texts(try ReadSession(directory, path: root))
        } catch is SessionError {
            return
        }
        let report = try await SessionRepair(path: root.string).repair()
        guard let output = report.output else { return }
        #expect(texts(try ReadSession(directory, path: output)) == before, "\(report.mended.entries)")
        let again = try await SessionRepair(path: output.string).repair(to: directory.appending("again"))
        #expect(again.output == nil, "\(again.mended.entries)")
        // In frames.jsonl a bad sample costs only itself, and stays; so does what is well-formed and wrong.
        let left = report.check.findings.filter { $0.severity == .error }.map(\.kind)
        let expected: Set<ProblemKind> = [
            .missingImage, .truncatedImage, .badMotionSample, .frameTooLate, .sampleTooLate, .streamOutsideSession,
            .gravityDisagrees, .poseJump, .noDuration,
        ]
        #expect(left.allSatisfy(expected.contains), "\(left)")
    }
}
