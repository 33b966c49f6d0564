import Glibc
import Platform
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing

/// Every stream of every layout, lost in every way: `check` never calls what is left sound.
@Suite struct LossTests {
    /// What happens to a file.
    enum Way: String, CaseIterable {
        case removed, empty, folder, dangling, noise
        /// Of lists: a line that became NULs, one that is gone, and a last line that ends in its middle.
        case nulLine, goneLine, cutRow

        var isOfLists: Bool { [.nulLine, .goneLine, .cutRow].contains(self) }
    }

    /// The lines of a list; `nil` for a file that is none.
    private static func lines(_ path: FilePath) throws -> [[UInt8]]? {
        let bytes = try OutputFile.contents(of: path)
        let lines = bytes.split(separator: 0x0A).map { Array($0) }
        let isText = bytes.prefix(4000).allSatisfy { $0 < 0x80 && ($0 >= 0x20 || [0x09, 0x0A, 0x0D].contains($0)) }
        return isText && lines.count >= 4 && path.extension != "json" ? lines : nil
    }

    /// How many files of a stream it happens to.
    enum Extent: String, CaseIterable {
        case one, some, all
    }

    /// Files that a recording can lack without a loss of what is read of it.
    private static func isFree(_ stream: String, _ format: SampleFormat) -> Bool {
        let name = stream.split(separator: "/").last ?? ""
        // The truth of a sample, and pictures that nobody reads.
        return ["truth.json", "thumb_N.jpg"].contains(String(name))
    }

    /// What cannot be seen, with why.
    static let invisible: [String: String] = [
        "ios-logger Accel.txt": "MotARH.txt has the same and is read",
        "ios-logger Gyro.txt": "MotARH.txt has the same and is read",
        "ios-logger Frames.txt all goneLine": "without a video its rows have no numbers",
        "ios-logger MotARH.txt all goneLine": "samples have no numbers, and one is missing now and then",
        "stray-scanner imu.csv all goneLine": "samples have no numbers, and one is missing now and then",
        "native imu.jsonl all goneLine": "samples have no numbers, and one is missing now and then",
        "native heading.jsonl all goneLine": "observations come when they come",
        "native radio.jsonl all goneLine": "observations come when they come",
        "stray-scanner camera_matrix.csv": "each row has its own camera",
        "3d-scanner-app frame_N.jpg one": "the app stores pictures of some frames only",
        "3d-scanner-app frame_N.jpg some": "the app stores pictures of some frames only",
        "3d-scanner-app info.json": "not read",
        "polycam mesh_info.json": "not read",
        "scan-package metadata.json": "not read",
        "native gps.jsonl all removed": "written where the phone was allowed to",
        "native heading.jsonl all removed": "written where the phone was allowed to",
        "native imu.jsonl all removed": "older recordings have none",
        "native indoor.jsonl all removed": "written where the phone was allowed to",
        "native radio.jsonl all removed": "written where the phone was allowed to",
        "native relative_depth/N.bin one noise": "any number is a relative depth",
        "native relative_depth/N.bin some noise": "any number is a relative depth",
        "native relative_depth/N.bin all noise": "any number is a relative depth",
        "native tiles/": "tiles are those that the phone could fetch; none is promised",
    ]

    private static func stream(of file: String) -> String {
        var text = ""
        for character in file {
            if character.isNumber {
                if !text.hasSuffix("N") { text += "N" }
            } else {
                text.append(character)
            }
        }
        return text
    }

    private static func change(_ path: FilePath, _ way: Way, seed: Int) throws {
        let bytes = try OutputFile.contents(of: path)
        var lines = try lines(path) ?? []
        try #require(unlink(path.string) == 0)
        switch way {
        case .removed: break
        case .nulLine:
            let middle = lines.count / 2
            lines[middle] = [UInt8](repeating: 0, count: lines[middle].count)
            try SessionBuilder.write(Array(lines.joined(separator: [0x0A])) + [0x0A], to: path)
        case .goneLine:
            lines.remove(at: lines.count / 2)
            try SessionBuilder.write(Array(lines.joined(separator: [0x0A])) + [0x0A], to: path)
        case .cutRow:
            lines[lines.count - 1].removeLast(lines[lines.count - 1].count / 2)
            try SessionBuilder.write(Array(lines.joined(separator: [0x0A])), to: path)
        case .empty: try SessionBuilder.write([], to: path)
        case .folder: try #require(mkdir(path.string, 0o755) == 0)
        case .dangling: try #require(symlink("nowhere", path.string) == 0)
        case .noise:
            var random = SeededRandomNumbers(seed: UInt64(seed))
            try SessionBuilder.write(bytes.map { _ in UInt8(truncatingIfNeeded: random.next()) }, to: path)
        }
    }

    @Test(arguments: SampleFormat.allCases.filter { $0 != .r3d })
    func nothingIsLostInSilence(of format: SampleFormat) async throws {
        let directory = try TemporaryDirectory()
        let whole = directory.appending("whole")
        var options = SampleOptions()
        (options.format, options.durationSeconds, options.framesPerSecond) = (format, 1, 6)
        options.imageSize = format == .arkitScenes ? GridSize(width: 256, height: 192) : GridSize(width: 64, height: 48)
        if ![.native, .strayScanner, .iosLogger].contains(format) { options.imuRateHertz = 0 }
        if format == .native {
            (options.hasGPS, options.hasObservations, options.hasRelativeDepth, options.hasTiles) = (
                true, true, true, true
            )
        }
        try await SyntheticSession.write(to: whole, options: options)
        // Of some layouts something should be known in any case.
        let before = try await SessionCheck(path: whole.string).run().verdict
        #expect(before.errors == 0, "\(before.sentence)")

        let streams = Dictionary(grouping: try FileTree(whole).files.keys, by: Self.stream).mapValues { $0.sorted() }
        var silent: [String] = []
        var count = 0
        for (stream, files) in streams.sorted(by: { $0.key < $1.key }) where !Self.isFree(stream, format) {
            for way in Way.allCases {
                if way.isOfLists, try files.count > 1 || Self.lines(whole.appending(files[0])) == nil { continue }
                for extent in Extent.allCases where files.count > 1 || extent == .all {
                    let damaged = try TemporaryDirectory()
                    let path = damaged.appending("room")
                    try FileTree.copy(whole, to: path)
                    let hit =
                        switch extent {
                        case .one: [files[files.count / 2]]
                        case .some: Array(files.dropFirst(2).prefix(3))
                        case .all: files
                        }
                    for (index, file) in hit.enumerated() { try Self.change(path.appending(file), way, seed: index) }
                    count += 1
                    let name = "\(format.rawValue) \(stream) \(extent.rawValue) \(way.rawValue)"
                    let verdict = try? await SessionCheck(path: path.string).run().verdict
                    let isSilent = verdict.map { ($0.errors, $0.warnings) == (before.errors, before.warnings) } ?? false
                    if isSilent, !Self.invisible.keys.contains(where: name.hasPrefix) {
                        silent.append(name)
                    }
                }
            }
        }
        #expect(count >= 20)
        #expect(silent == [], "\(silent.count) of \(count)")
    }

    /// What a crash leaves before a table costs nothing of it.
    @Test(arguments: ["\0\0\0\n", "\0\0\0"])
    func zerosBeforeAHeader(zeros: String) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("room")
        var options = SampleOptions()
        (options.format, options.durationSeconds, options.framesPerSecond) = (.strayScanner, 1, 6)
        options.imageSize = GridSize(width: 64, height: 48)
        try await SyntheticSession.write(to: path, options: options)
        let before = try await SessionCheck(path: path.string).run().verdict
        for name in ["odometry.csv", "imu.csv"] {
            let bytes = try OutputFile.contents(of: path.appending(name))
            try #require(unlink(path.appending(name).string) == 0)
            try SessionBuilder.write(Array(zeros.utf8) + bytes, to: path.appending(name))
        }
        let after = try await SessionCheck(path: path.string).run().verdict
        #expect((after.errors, after.warnings) == (before.errors, before.warnings), "\(after.sentence)")
    }
}
