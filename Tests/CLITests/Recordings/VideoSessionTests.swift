import Foundation
import TestSupport
import Testing

/// Sessions whose pictures are in a video, by the command.
@Suite(
    .serialized,
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: ffmpeg) || PeerPython.isRequired,
        "needs ffmpeg, which tools/test installs"
    )
)
struct VideoSessionTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// A folder of Stray Scanner with 40 poses, 30 a second, and a video of as many pictures; no depth.
    private func session() async throws -> String {
        let path = folder("0123456789")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let rows = (0..<40).map { row in
            "\(100 + Double(row) / 30), \(String(format: "%06d", row)), \(Double(row) / 100), 0, 0, 1, 0, 0, 0"
        }
        let table = (["timestamp, frame, x, y, z, qx, qy, qz, qw"] + rows).joined(separator: "\n")
        try Data(table.utf8).write(to: URL(fileURLWithPath: path + "/odometry.csv"))
        try Data("1450, 0, 960\n0, 1450, 720\n0, 0, 1".utf8).write(
            to: URL(fileURLWithPath: path + "/camera_matrix.csv")
        )
        let source = ["-f", "lavfi", "-i", "testsrc2=s=640x480:r=30", "-frames:v", "40", "-pix_fmt", "yuv420p"]
        let outcome = try await ChildProcess(ffmpeg, ["-loglevel", "error"] + source + [path + "/rgb.mp4"])
            .finish(seconds: 120)
        try #require(outcome.status == 0, "\(outcome.everything)")
        return path
    }

    @Test("the bytes of a bag do not depend on the number of workers, and say where the pictures are from")
    func workers() async throws {
        let session = try await session()
        var written: [[String: Data]] = []
        for jobs in ["1", "3"] {
            try FileManager.default.createDirectory(atPath: folder(jobs), withIntermediateDirectories: true)
            try await Binary.succeed(["bag", session, "-o", folder("\(jobs)/bag"), "--profile", "record", "-j", jobs])
            written.append(try FileTree.contents(folder("\(jobs)/bag")))
        }
        #expect(FileTree.differences(written[0], written[1]) == [])
        let metadata = String(decoding: written[0]["metadata.yaml"] ?? Data(), as: UTF8.self)
        #expect(metadata.contains("video rgb.mp4 (h264, 640x480), re-encoded as JPEG, quality 90"))
    }

    @Test("exports and pages say that the pictures are encoded again")
    func provenance() async throws {
        let session = try await session()
        let words = "video rgb.mp4 (h264, 640x480), re-encoded as JPEG, quality 90"
        try await Command.succeed(["export", session, "--to", "colmap", "-o", folder("colmap")])
        let json = try String(contentsOfFile: folder("colmap") + "/mapeverything.json", encoding: .utf8)
        #expect(json.contains(words))
        try await Command.succeed(["report", session, "-o", folder("page.html")])
        #expect(try String(contentsOfFile: folder("page.html"), encoding: .utf8).contains(words))
    }

    @Test("a native session that is made of a video has its pictures, the same with any number of workers")
    func trim() async throws {
        let session = try await session()
        var written: [[String: Data]] = []
        for jobs in ["1", "3"] {
            let folder = folder(jobs)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try await Command.succeed(["trim", session, "-o", folder + "/walk", "-j", jobs, "--every", "2"])
            written.append(try FileTree.contents(folder + "/walk"))
        }
        #expect(FileTree.differences(written[0], written[1]) == [])
        #expect(written[0].keys.count { $0.hasPrefix("rgb/") } == 20, "\(written[0].keys.sorted())")
    }

    @Test("without ffmpeg there are no pictures, and it is said how to get it", arguments: ["inspect", "check", "bag"])
    func withoutFFmpeg(command: String) async throws {
        let session = try await session()
        let more = command == "bag" ? ["-o", folder("bag")] : []
        let outcome = try await Binary.run([command, session] + more, environment: ["PATH": folder("nothing")])
        #expect(outcome.everything.contains("apt install ffmpeg"), "\(outcome.everything)")
        let said = command == "check" ? "videoNotRead" : "pictures are in a video that is not read"
        #expect(outcome.everything.contains(said), "\(outcome.everything)")
    }

    /// A folder with the real ffprobe, and a script as ffmpeg.
    private func programs(_ script: String) async throws -> String {
        let programs = folder("programs")
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: programs + "/ffprobe",
            withDestinationPath: (ffmpeg as NSString).deletingLastPathComponent + "/ffprobe"
        )
        try await Scratch.program(programs + "/ffmpeg", script)
        return programs
    }

    @Test("an ffmpeg before 5.1, which does not know -fps_mode, gives the same bytes")
    func oldFFmpeg() async throws {
        let session = try await session()
        for name in ["new", "old"] {
            try FileManager.default.createDirectory(atPath: folder(name), withIntermediateDirectories: true)
        }
        try await Binary.succeed(["bag", session, "-o", folder("new/bag"), "--profile", "record"])
        let script = """
            for word in "$@"; do
                [ "$word" != -fps_mode ] || { echo "Unrecognized option 'fps_mode'." >&2; exit 1; }
            done
            echo "$@" >> \(folder("asked"))
            exec \(ffmpeg) "$@"
            """
        let environment = ["PATH": try await programs(script)]
        let outcome = try await Binary.run(
            ["bag", session, "-o", folder("old/bag"), "--profile", "record"],
            environment: environment
        )
        try #require(outcome.status == 0 && !outcome.everything.contains("picture that could not be had"), "\(outcome)")
        #expect(try String(contentsOfFile: folder("asked"), encoding: .utf8).contains("-vsync passthrough"))
        let written = try ["new", "old"].map { try FileTree.contents(folder($0)) }
        #expect(FileTree.differences(written[0], written[1]) == [] && !written[0].isEmpty)
    }

    @Test("what ffmpeg complains of is said, and the rest goes on")
    func failing() async throws {
        let session = try await session()
        let programs = try await programs("echo '[hevc @ 0x1234] no such luck' >&2\nexit 1\n")
        let outcome = try await Binary.run(
            ["bag", session, "-o", folder("bag"), "--profile", "record"],
            environment: ["PATH": programs]
        )
        #expect(outcome.everything.contains("no such luck"), "\(outcome.everything)")
        #expect(outcome.everything.contains("picture that could not be had from the video"), "\(outcome)")
        #expect(!outcome.everything.contains("0x1234"))
        #expect(FileManager.default.fileExists(atPath: folder("bag") + "/metadata.yaml"))
    }
}

private let ffmpeg = "/usr/bin/ffmpeg"
