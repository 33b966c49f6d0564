import Glibc
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// Damaged sessions that are made sound: with the records that could be read before, and nothing else changed.
@Suite struct SessionRepairTests {
    /// A session with every kind of damage that can be mended.
    private func damaged() throws -> SessionBuilder {
        var builder = try SessionBuilder(frameCount: 10)
        builder.metadata = nil
        builder.files["depth/000001.bin"]?.removeLast()
        builder.files["depth/000002.bin"] = nil
        builder.files["confidence/000003.bin"] = [1, 2]
        builder.lines[4]["timestamp"] = "\"soon\""
        builder.lines[6]["frame_index"] = "5"
        builder.lines[7]["timestamp"] = "9e8"
        builder.files["rgb/000040.jpg"] = [1, 2, 3]
        builder.files["imu.jsonl"] =
            Array(
                (0..<12).map { index in
                    "{\"timestamp\":\(index == 5 ? "null" : "1000.\(10 + index)"),\"user_acceleration\":[0,0,0],"
                        + "\"rotation_rate\":[\(index),0,0],\"gravity\":[1,0,0]}\n"
                }.joined().utf8
            ) + Array("{\"timestamp\":1001.5,\"user_acc".utf8)
        builder.addLocations(count: 3, secondsApart: 1)
        builder.files["gps.jsonl"]? += Array("{\"timestamp\":1001,\"latitude\":100,\"longitude\":0}\n".utf8)
        builder.files["notes.txt"] = Array("kept".utf8)
        builder.tail = Array("{\"frame_index\":10,\"timest".utf8)
        return builder
    }

    private let mendedKinds: [ProblemKind: Int] = [
        .missingMetadata: 1, .wrongDepthSize: 1, .missingDepth: 1, .wrongConfidenceSize: 1, .badField: 1,
        .duplicateFrame: 1, .timeOutOfSession: 1, .orphanFile: 10, .badMotionSample: 1, .badLocation: 1,
        .cutLastLine: 2,
    ]

    @Test func newFolderHoldsTheSameRecordsAndIsSound() async throws {
        let directory = try TemporaryDirectory()
        let root = try damaged().write(into: directory.path)
        let before = try FileTree(root)
        let readable = try ReadSession(directory, path: root)
        let output = directory.appending("mended")
        let report = try await SessionRepair(path: root.string).repair(to: output)

        #expect(try FileTree(root) == before)
        #expect(kinds(report.mended) == mendedKinds)
        #expect(report.output == output && report.setAside == nil && report.metadata == .written)
        #expect(
            report.streams.map { "\($0.file) \($0.keptLines) \($0.leftOutLines)" }
                == ["frames.jsonl 7 4", "imu.jsonl 11 2", "gps.jsonl 3 1"]
        )
        #expect(report.leftOutFileCount == 12 && report.leftOutFiles.count == 5)
        #expect(report.check.isSound, "\(report.check.findings)")
        let mended = try ReadSession(directory, path: output)
        #expect(texts(mended) == texts(readable) && mended.indices == [0, 1, 2, 3, 5, 8, 9])
        #expect(mended.diagnostics.lostCount == 0, "\(mended.diagnostics.entries)")
        #expect(mended.loadAll().map { $0.depth?.metres } == readable.loadAll().map { $0.depth?.metres })
        #expect(mended.loadAll().map { $0.image?.bytes } == readable.loadAll().map { $0.image?.bytes })
        #expect(try FileTree(output).files["notes.txt"] == Array("kept".utf8))
    }

    @Test func repairedSessionHasNothingToMend() async throws {
        let directory = try TemporaryDirectory()
        let root = try damaged().write(into: directory.path)
        _ = try await SessionRepair(path: root.string).repair(to: directory.appending("mended"))
        let again = try await SessionRepair(path: directory.appending("mended").string)
            .repair(to: directory.appending("again"))
        #expect(again.output == nil && again.mended.isEmpty && again.streams.isEmpty && again.metadata == .kept)
        #expect(access(directory.appending("again").string, F_OK) != 0)
    }

    @Test func inPlaceEverythingThatWasThereIsKept() async throws {
        let directory = try TemporaryDirectory()
        let root = try damaged().write(into: directory.path)
        let before = try FileTree(root)
        let readable = texts(try ReadSession(directory, path: root))
        let report = try await SessionRepair(path: root.string).repairInPlace()
        #expect(report.setAside == "set-aside" && report.check.isSound && report.output == root)
        #expect(kinds(report.mended) == mendedKinds)
        #expect(texts(try ReadSession(directory, path: root)) == readable)
        let after = try FileTree(root)
        let aside = try FileTree(root.appending("set-aside"))
        for (file, bytes) in before.files {
            #expect(after.files[file] == bytes || aside.files[file] == bytes, "\(file)")
        }
        let changed = ["frames.jsonl", "imu.jsonl", "gps.jsonl"]
        #expect(Set(aside.files.keys).isSuperset(of: changed))
        #expect(changed.allSatisfy { aside.files[$0] == before.files[$0] })
        #expect(!after.files.keys.contains { $0.hasSuffix(".tmp") })
    }

    @Test(arguments: SessionBuilder.Generation.allCases)
    func soundSessionIsLeftAlone(generation: SessionBuilder.Generation) async throws {
        let directory = try TemporaryDirectory()
        let root = try SessionBuilder(frameCount: 12, generation: generation).write(into: directory.path)
        let before = try FileTree(directory.path)
        let report = try await SessionRepair(path: root.string).repair()
        #expect(report.output == nil && report.mended.isEmpty && report.check.findings.isEmpty)
        #expect(try await SessionRepair(path: root.string).repairInPlace().output == nil)
        #expect(try FileTree(directory.path) == before)
    }

    @Test(arguments: ["zip", "tar"])
    func archivesAreWrittenOutAsFolders(kind: String) async throws {
        let builder = try damaged()
        let entries = HandmadeArchives.entries(builder.contents, under: "\(SessionBuilder.name)/")
        let directory = try TemporaryDirectory()
        let path = directory.appending("session.\(kind)")
        try SessionBuilder.write(
            kind == "zip" ? HandmadeArchives.zip(entries) : HandmadeArchives.tar(entries),
            to: path
        )
        await #expect(throws: SessionRepairError.self) { try await SessionRepair(path: path.string).repairInPlace() }
        let readable = try ReadSession(directory, path: path)
        let report = try await SessionRepair(path: path.string).repair()
        let output = directory.appending("session_repaired")
        #expect(report.output == output && report.check.isSound && kinds(report.mended) == mendedKinds)
        let mended = try ReadSession(directory, path: output)
        #expect(texts(mended) == texts(readable))
        #expect(mended.loadAll().map { $0.image?.bytes } == readable.loadAll().map { $0.image?.bytes })
        #expect(mended.summary.wallClock.nameDate?.date == readable.summary.wallClock.nameDate?.date)
    }

    @Test func whatCannotBeMendedStaysAndIsNamed() async throws {
        var builder = try SessionBuilder()
        builder.files["rgb/000001.jpg"] = nil
        builder.files["rgb/000002.jpg"]?.removeLast(9)
        builder.lines[3]["gravity"] = "[1]"
        builder.tail = [0x7B]
        let directory = try TemporaryDirectory()
        let root = try builder.write(into: directory.path)
        let report = try await SessionRepair(path: root.string).repair()
        #expect(kinds(report.mended) == [.cutLastLine: 1])
        #expect(report.check.findings.map(\.kind) == [.badMotionSample, .missingImage, .truncatedImage])
        let mended = try ReadSession(directory, path: directory.appending("\(SessionBuilder.name)_repaired"))
        #expect(mended.frames.map(\.hasImage) == [true, false, true, true])
    }

    @Test func relativeDepthIsWithdrawnToo() async throws {
        var builder = try SessionBuilder(frameCount: 3)
        for index in 0..<3 {
            builder.lines[index]["relative_depth_resolution"] = "[4,3]"
            builder.files["relative_depth/00000\(index).bin"] = [UInt8](repeating: 0, count: 48)
        }
        builder.files["relative_depth/000001.bin"] = nil
        builder.files["relative_depth/000002.bin"] = [1]
        let directory = try TemporaryDirectory()
        let root = try builder.write(into: directory.path)
        let report = try await SessionRepair(path: root.string).repairInPlace()
        #expect(kinds(report.mended) == [.missingRelativeDepth: 1, .wrongRelativeDepthSize: 1])
        #expect(report.leftOutFiles == ["relative_depth/000002.bin"] && report.check.findings.isEmpty)
        #expect(report.check.examined.relativeDepthMaps == 1)
    }

    /// When files were written tells the wall clock where nothing else does: a repair must not make it now.
    @Test func evidenceOfTheWallClockIsKept() async throws {
        var builder = try SessionBuilder()
        builder.metadata = nil
        builder.tail = [0x7B]
        let directory = try TemporaryDirectory()
        let root = try builder.write(into: directory.path)
        let time = timespec(tv_sec: 1_600_000_000, tv_nsec: 5)
        #expect(utimensat(AT_FDCWD, root.appending("frames.jsonl").string, [time, time], 0) == 0)
        let before = try ReadSession(directory, path: root).summary.wallClock
        for isInPlace in [false, true] {
            let repair = SessionRepair(path: root.string)
            let output = directory.appending("mended")
            _ = isInPlace ? try await repair.repairInPlace() : try await repair.repair(to: output)
            let after = try ReadSession(directory, path: isInPlace ? root : output).summary.wallClock
            #expect(after.fileTime?.unixNanoseconds == before.fileTime?.unixNanoseconds)
            #expect(after.fileTime?.at == before.fileTime?.at)
            #expect(after.nameDate?.date == before.nameDate?.date && after.nameDate?.at == before.nameDate?.at)
        }
    }

    @Test func metadataIsReplacedOnlyWhereItIsWrong() async throws {
        var builder = try SessionBuilder()
        builder.metadata?["frameCount"] = "99"
        let directory = try TemporaryDirectory()
        var root = try builder.write(into: directory.path, as: "counted")
        var report = try await SessionRepair(path: root.string).repairInPlace()
        #expect(report.metadata == .corrected && report.check.findings.isEmpty && report.streams.isEmpty)
        let text = String(decoding: try #require(FileTree(root).files["metadata.json"]), as: UTF8.self)
        #expect(text == builder.metadata?.text.replacing("Count\":99", with: "Count\":4"))

        builder.metadata?["startTimestamp"] = "5"
        builder.metadata?["endTimestamp"] = "6"
        root = try builder.write(into: directory.path, as: "foreign")
        report = try await SessionRepair(path: root.string).repairInPlace()
        #expect(report.metadata == .written && report.check.findings.isEmpty)
        #expect(try ReadSession(directory, path: root).summary.deviceModel == nil)

        builder.files["metadata.json"] = Array("{\"a\":".utf8)
        root = try builder.write(into: directory.path, as: "broken")
        report = try await SessionRepair(path: root.string).repairInPlace()
        #expect(report.metadata == .written && report.check.findings.isEmpty)
        #expect(try FileTree(root).files["set-aside/metadata.json"] == builder.files["metadata.json"])
    }

    @Test func refusalsNameThePath() async throws {
        var builder = try SessionBuilder()
        builder.tail = [0x7B]
        let directory = try TemporaryDirectory()
        let root = try builder.write(into: directory.path)
        let before = try FileTree(directory.path)
        let repair = SessionRepair(path: root.string)
        for output in [root, root.appending("inside"), directory.appending("file/below")] {
            try SessionBuilder.write([1], to: directory.appending("file"))
            let error = await #expect(throws: (any Error).self) { try await repair.repair(to: output) }
            #expect("\(try #require(error))".contains(output.string))
            unlink(directory.appending("file").string)
        }
        #expect(try FileTree(directory.path) == before)
        #expect(SessionRepair(path: "a/b.zip").defaultOutput == "a/b_repaired")
        #expect(SessionRepair(path: "a/b/frames.jsonl").defaultOutput == "a/b_repaired")
        #expect(SessionRepair(path: "b/").defaultOutput == "b_repaired")
    }

    /// A row of numbers that was cut is told by its missing cells.
    @Test func cutRowsOfTheOldestGenerationAreLeftOut() async throws {
        var builder = try SessionBuilder(frameCount: 3, generation: .zero)
        builder.files["imu.csv"]?.removeLast(12)
        let directory = try TemporaryDirectory()
        let root = try builder.write(into: directory.path)
        let report = try await SessionRepair(path: root.string).repairInPlace()
        #expect(kinds(report.mended) == [.cutLastLine: 1] && report.check.findings.isEmpty)
        #expect(report.streams.map { "\($0.file) \($0.keptLines) \($0.leftOutLines)" } == ["imu.csv 20 1"])
        #expect(try ReadSession(directory, path: root).motion.count == 19)
    }

    @Test(
        .enabled(
            if: RealSessionTests.captures.allSatisfy { Captures.have($0.folder) },
            Comment(rawValue: Captures.absence)
        ),
        arguments: RealSessionTests.captures
    )
    func realCapturesNeedNothingUntilTheyAreDamaged(_ expected: RealSessionTests.Expected) async throws {
        let directory = try TemporaryDirectory()
        let root = directory.appending(expected.folder)
        try FileTree.copy(Captures.root.appending(expected.folder), to: root)
        let sound = try await SessionRepair(path: root.string).repair()
        #expect(sound.output == nil && sound.check.isSound)
        let lines = try #require(FileTree(root).files["frames.jsonl"])
        try SessionBuilder.write(Array(lines.dropLast(50)), to: root.appending("frames.jsonl"))
        #expect(unlink(root.appending("metadata.json").string) == 0)
        let report = try await SessionRepair(path: root.string).repair()
        let payloads = expected.hasConfidence ? 3 : 2
        #expect(kinds(report.mended) == [.cutLastLine: 1, .missingMetadata: 1, .orphanFile: payloads])
        #expect(report.check.isSound && report.check.examined.images == expected.frames - 1)
    }

    private func kinds(_ diagnostics: Diagnostics) -> [ProblemKind: Int] {
        Dictionary(uniqueKeysWithValues: diagnostics.entries.map { ($0.kind, $0.count) })
    }

    /// Every record as text, apart from the number of its line.
    private func texts(_ read: ReadSession) -> [String] {
        read.records.map { record in
            guard case .frame(var frame) = record else { return "\(record)" }
            frame.line = 0
            return "\(frame)"
        }
    }
}
