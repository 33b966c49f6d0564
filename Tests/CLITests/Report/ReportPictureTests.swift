import Codecs
import Foundation
import Glibc
import Recording
import TestSupport
import Testing

/// Pictures by themselves, and what opens a page.
@Suite(.serialized) struct ReportPictureTests {
    private static let hasConverter = FileManager.default.isExecutableFile(atPath: "/usr/bin/rsvg-convert")
    private static let vector = [
        "camera", "depth", "depths", "gps", "gps-distances", "height", "images", "imu", "map", "time",
    ]

    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func sample() async throws -> String {
        let path = folder("room")
        let shape = ["--duration", "20", "--fps", "5", "--size", "480x360", "--gps", "--noise"]
        try await Binary.succeed(["sample", "-o", path] + shape)
        return path
    }

    private func files(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    @Test(
        "--png writes every picture as PNG of at most 300 kB, light and with something on it",
        .enabled(
            if: hasConverter || PeerPython.isRequired,
            "needs rsvg-convert (librsvg2-bin), which tools/test installs"
        )
    )
    func pixels() async throws {
        let pictures = folder("pictures")
        let output = try await Binary.succeed(
            ["report", sample(), "-o", folder("page.html"), "--png", pictures]
        )
        let names = (Self.vector + ["cloud"]).sorted()
        #expect(try files(pictures) == names.map { $0 + ".png" }.sorted())
        #expect(output.contains("11 pictures in \(pictures)"))
        for name in names {
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: "\(pictures)/\(name).png")))
            let size = try PNG.inspect(bytes)
            #expect(bytes.count <= 300_000 && size.width >= 400, "\(name): \(bytes.count) bytes, \(size)")
        }
        // Pillow sees white paper with ink on it.
        guard Peer.isAvailable else { return }
        let script = """
            import sys, numpy
            from PIL import Image
            for path in sys.argv[1:]:
                pixels = numpy.asarray(Image.open(path).convert("RGB"), dtype=float)
                print(pixels[-3:, :3].mean().round(), pixels.std() > 5)
            """
        let paths = Self.vector.map { "\(pictures)/\($0).png" }
        let seen = try await PeerPython.runAside(["-c", script] + paths).outputOfSuccess()
        #expect(seen == String(repeating: "255.0 True\n", count: Self.vector.count), "\(seen)")
    }

    @Test("without rsvg-convert the vector pictures are SVG, which is said")
    func vectors() async throws {
        let pictures = folder("pictures")
        let output = try await Binary.succeed(
            ["report", sample(), "-o", folder("page.html"), "--png", pictures],
            environment: ["PATH": folder("none")]
        )
        #expect(try files(pictures) == (Self.vector.map { $0 + ".svg" } + ["cloud.png"]).sorted())
        #expect(output.contains("10 of them as SVG") && output.contains("rsvg-convert"))
    }

    @Test("a converter that fails leaves nothing behind, and a folder that exists is refused")
    func failure() async throws {
        let session = try await sample()
        try await script("rsvg-convert", "echo out of ink >&2; exit 4")
        let arguments = ["report", session, "-o", folder("page.html"), "--png", folder("pictures")]
        try await Binary.run(arguments, environment: ours).expectError(73, naming: "status 4: out of ink")
        #expect(try files(folder.path).sorted() == ["programs", "room"])
        try FileManager.default.createDirectory(atPath: folder("pictures"), withIntermediateDirectories: false)
        try await Binary.run(arguments).expectError(73, naming: "pictures")
        #expect(!FileManager.default.fileExists(atPath: folder("page.html")))
    }

    /// An environment in which the scripts of a test come before the programs of the system.
    private var ours: [String: String] { ["PATH": "\(folder("programs")):/usr/bin:/bin"] }

    private func script(_ name: String, _ text: String) async throws {
        try FileManager.default.createDirectory(atPath: folder("programs"), withIntermediateDirectories: true)
        try await Scratch.program(folder("programs/\(name)"), text)
    }

    @Test("--open hands the page to xdg-open as one argument, and says what goes wrong")
    func opens() async throws {
        let session = try await sample()
        let seen = folder("seen")
        let page = folder("a page; $(id).html")
        try await script("xdg-open", "printf '%s|' \"$@\" >'\(seen)'")
        try await Binary.succeed(["report", session, "-o", page, "--open"], environment: ours)
        #expect(try String(contentsOfFile: seen, encoding: .utf8) == page + "|")
        try await script("xdg-open", "exit 3")
        let other = folder("other.html")
        try await Binary.run(["report", session, "-o", other, "--open"], environment: ours)
            .expectError(69, naming: "no browser", hasReported: true)
        #expect(FileManager.default.fileExists(atPath: other))
        // Where there is none at all, nothing is begun.
        let third = folder("third.html")
        try await Binary.run(["report", session, "-o", third, "--open"], environment: ["PATH": folder("none")])
            .expectError(69, naming: "xdg-open")
        #expect(!FileManager.default.fileExists(atPath: third))
    }

    @Test("serve --open hands over the address of its page, and serves on where no browser opens")
    func servesOpenly() async throws {
        let session = try await sample()
        let seen = folder("seen")
        try await script(
            "xdg-open",
            "printf '%s|' \"$@\" >'\(seen).new' && mv '\(seen).new' '\(seen)' && exit 3"
        )
        let serving = try Binary.start(["serve", session, "--port", "0", "--open"], environment: ours)
        let line = try await serving.waitForError("  Browser ")
        let said = try await serving.waitForError("warning: ")
        #expect(said.contains("no browser"), "\(said)")
        let page = try String(contentsOfFile: seen, encoding: .utf8)
        #expect(page.hasPrefix("http://localhost:") && line.contains(page.dropLast()), "\(page) \(line)")
        await serving.signal(SIGINT)
        let outcome = try await serving.finish()
        #expect(outcome.status == 0, "\(outcome.everything)")
        // Where there is none at all, nothing is begun.
        try await Binary.run(["serve", session, "--port", "0", "--open"], environment: ["PATH": folder("none")])
            .expectError(69, naming: "xdg-open")
    }

    @Test("the pictures in docs/images are those that the code draws now")
    func documents() async throws {
        let script = try ChildProcess(
            "/bin/bash",
            [Repository.path("tools/pictures"), "--sums"],
            environment: ["MAPEVERYTHING_BINARY": Binary.path]
        )
        let outcome = try await script.finish(seconds: 300)
        let noted = try String(contentsOfFile: Repository.path("docs/images/pictures.sha256"), encoding: .utf8)
        #expect(outcome.status == 0 && outcome.output == noted, "run tools/pictures again: \(outcome.everything)")
        let images = try files(Repository.path("docs/images")).filter { $0.hasSuffix(".png") }
        #expect(images.count == 6)
        for name in images {
            let path = Repository.path("docs/images/\(name)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count <= 300_000, "\(name)")
        }
    }
}
