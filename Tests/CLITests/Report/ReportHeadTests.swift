import Foundation
import TestSupport
import Testing

/// The marks in the head of a page: what there is of each stream, and where it leads.
@Suite struct ReportHeadTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func sample(_ options: [String] = []) async throws -> String {
        let path = folder("room")
        let shape = ["--duration", "30", "--fps", "5", "--size", "160x120", "--walk", "loop"]
        try await Binary.succeed(["sample", "-o", path] + shape + options)
        return path
    }

    /// Such as `whole #imu IMU imu.jsonl`.
    private func marks(_ input: String) async throws -> [String] {
        let page = input + ".html"
        try await Binary.succeed(["report", input, "-o", page, "--points", "0", "--force"])
        let html = try String(contentsOfFile: page, encoding: .utf8)
        return html.matches(of: /<li class="(whole|part|none)">(?:<a href="(#[a-z]+)">)?([A-Za-z]+) <b>([^<]+)</).map {
            [$0.1, $0.2 ?? "-", $0.3, $0.4].joined(separator: " ")
        }
    }

    @Test("a session says how many frames are blurred, and how far apart surfaces lie where the walk returns")
    func session() async throws {
        let session = try await sample()
        #expect(try await marks(session).contains("whole #time blur 0.0 %"))
        let path = session + "/frames.jsonl"
        var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        try #require(lines.count == 150)
        // 80 is the app's limit: 15 frames are below it, which is a tenth; the sixteenth is at it.
        for index in 0..<16 {
            let value = index == 15 ? "80" : "79.9"
            lines[index] = lines[index].replacing(/"frame_sharpness":[0-9.]+/, with: "\"frame_sharpness\":\(value)")
        }
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        let tenth = try await marks(session)
        #expect(tenth.contains("whole #time blur 10.0 %"), "\(tenth)")
        #expect(tenth.contains { $0.wholeMatch(of: /whole #loops loop [0-2]\.[0-9] cm/) != nil }, "\(tenth)")
        lines[15] = lines[15].replacing(#""frame_sharpness":80"#, with: #""frame_sharpness":79"#)
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        let more = try await marks(session)
        #expect(more.contains("part #time blur 10.7 %"), "\(more)")
    }

    @Test("drift is amber; a walk that never returns and frames of unknown sharpness have no mark")
    func drift() async throws {
        let found = try await marks(try await sample(["--drift", "3"]))
        #expect(found.contains { $0.wholeMatch(of: /part #loops loop [1-9][0-9.]+ cm/) != nil }, "\(found)")
        let short = folder("short")
        try await Binary.succeed(["sample", "-o", short, "--duration", "3", "--fps", "5", "--size", "160x120"])
        let path = short + "/frames.jsonl"
        let lines = try String(contentsOfFile: path, encoding: .utf8)
        try lines.replacing(/"frame_sharpness":[0-9.]+,/, with: "").write(
            toFile: path,
            atomically: true,
            encoding: .utf8
        )
        let names = try await marks(short).map { $0.split(separator: " ")[2] }
        #expect(names == ["images", "depth", "IMU", "GPS", "tracking"])
    }

    @Test("the streams of a bag lead to their sections")
    func bag() async throws {
        let session = try await Samples.plain.value
        let bag = folder("bag")
        try await Binary.succeed(["bag", session, "-o", bag])
        let found = try await marks(bag)
        for mark in ["whole #images images 40", "whole #topics depth 40", "none - fixes none"] {
            #expect(found.contains(mark), "\(found)")
        }
        for start in ["whole #time IMU ", "whole #map odometry ", "whole #topics transforms "] {
            #expect(found.contains { $0.hasPrefix(start) }, "\(found)")
        }
        #expect(found.count == 7)
    }
}
