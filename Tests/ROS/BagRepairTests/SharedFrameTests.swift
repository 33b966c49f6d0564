import BagTools
import Bags
import Foundation
import SystemPackage
import TestSupport
import Testing

/// What the compressor of rosbag2 in Jazzy makes of files of a multiple of 131,072 bytes: it does not end their frame, and
/// the next file of the thread goes on in it, made here by Python with the same calls of libzstd.
@Suite(.enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
struct SharedFrameTests {
    private let directory: TemporaryDirectory
    private var plain: FilePath { directory.appending("bag") }
    private var packed: FilePath { directory.appending("packed") }
    private var output: FilePath { directory.appending("repaired") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// - Parameters:
    ///   - whole: The numbers of the files that have a multiple of 131,072 bytes.
    ///   - threads: Files go to as many compressors in turn.
    @Test(arguments: zip([[3], [0], [0, 1], [0, 1, 2], [0, 1]], [1, 1, 1, 1, 2]))
    func sharedFramesAreJoined(_ whole: [Int], _ threads: Int) async throws {
        try await write(whole, threads)
        let rows = try Row.all(plain)
        #expect(rows.count == 200)
        let check = try BagChecker.check(packed)
        #expect(check.messageCount == rows.count)
        let findings = check.findings.filter { $0.kind == .compressionFile }
        let headless = whole.filter { $0 + threads < 4 }.count
        #expect(findings.filter { $0.severity == .error }.map(\.count).reduce(0, +) == headless)
        #expect(findings.contains { $0.severity == .warning })
        #expect(try Row.all(packed, tolerating: .everything) == rows)
        if headless == 0 {
            #expect(try Row.all(packed) == rows)
        } else {
            #expect { try Row.all(packed) } throws: { "\($0)".contains("it goes on in the frame of") }
        }
        let report = try BagRepairer.repair(packed, .newBag(output))
        #expect(!report.isSound && !report.hasLosses, "\(report)")
        #expect(try Row.all(output) == rows)
        try Judge.readByRosbags(output, count: rows.count)
        #expect(try BagRepairer.repair(output, .inPlace).isSound)
    }

    /// A frame that is cut inside of a block is damage as before.
    @Test func aCutFrameIsNoSharedOne() async throws {
        try await write([0], 1)
        let file = packed.appending("bag_0.db3.zstd")
        let bytes = try #require(FileManager.default.contents(atPath: file.string))
        try bytes.dropLast(5).write(to: URL(fileURLWithPath: file.string))
        #expect { try Row.all(packed) } throws: { "\($0)".contains("the rest of a frame") }
    }

    private func write(_ whole: [Int], _ threads: Int) async throws {
        try await SampleBag.write(plain, options: BagOptions(maximumChunkSeconds: 0.5))
        _ = try PeerPython.output(
            of: Self.packing,
            [plain.string, packed.string, whole.map(String.init).joined(separator: ","), "\(threads)"]
        )
    }

    private static let packing = """
        import os, sqlite3, sys, zstandard
        source, target, whole, threads = sys.argv[1], sys.argv[2], sys.argv[3].split(","), int(sys.argv[4])
        os.makedirs(target)
        open_frames = [None] * threads
        for number in range(4):
            path = f"{source}/bag_{number}.db3"
            if str(number) in whole:
                connection = sqlite3.connect(path)
                connection.execute("CREATE TABLE padding(bytes)")
                while os.path.getsize(path) % 131072:
                    missing = 131072 - os.path.getsize(path) % 131072
                    size = 2000 if missing < 140000 else missing // 2
                    connection.execute("INSERT INTO padding VALUES (randomblob(?))", (size,))
                    connection.commit()
                connection.close()
            data = open(path, "rb").read()
            thread = number % threads
            frame = open_frames[thread] or zstandard.ZstdCompressor(level=1).compressobj()
            packed = frame.compress(data)
            open_frames[thread] = frame
            if len(data) % 131072:
                packed += frame.flush()
                open_frames[thread] = None
            open(f"{target}/bag_{number}.db3.zstd", "wb").write(packed)
        text = open(source + "/metadata.yaml").read().replace(".db3", ".db3.zstd")
        text = text.replace('compression_format: ""', "compression_format: zstd")
        text = text.replace('compression_mode: ""', "compression_mode: FILE")
        open(target + "/metadata.yaml", "w").write(text)
        """
}
