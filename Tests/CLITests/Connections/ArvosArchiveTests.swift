import Foundation
import TestSupport
import Testing

/// Recordings of Arvos's SDK, which have two clocks and no form that ROS knows.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct ArvosArchiveTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func recording(_ options: [String] = []) async throws -> String {
        let path = folder("recording.mcap")
        try await Peer.run("arvos_recording.py", [path] + options)
        return path
    }

    @Test("convert makes a sound bag with one clock of it")
    func converts() async throws {
        let path = try await recording()
        let bag = folder("bag")
        let output = try await Binary.succeed(["convert", path, "-o", bag])
        #expect(output.contains("received: camera 10, gps 2, imu 100, pose 50"), "\(output)")
        #expect(output.contains("Unix time: from the file's times of /arvos/binary"), "\(output)")
        try await Conformance.check(bag)
        let rows = try await BagListing.of(bag).rows
        #expect(rows.map(\.time) == rows.map(\.time).sorted())
        #expect(
            rows.first?.time == 1_700_000_000_123_456_789 && rows.count { $0.topic == "/mapping/camera/video" } == 10
        )
        let (check, status) = try await CheckResult.of(path)
        #expect(status == 0 && check.findings.map(\.kind) == ["arvos.clock"], "\(check)")
        #expect(try await Binary.succeed(["inspect", path]).contains("a server of Arvos's SDK"))
    }

    @Test("without a frame nothing says when it was recorded, and that is said")
    func hasNoClock() async throws {
        let path = try await recording(["--no-frames"])
        let output = try await Binary.succeed(["convert", path, "-o", folder("bag")])
        #expect(output.contains("none: stamps are seconds since the phone started"), "\(output)")
        let (check, _) = try await CheckResult.of(path)
        #expect(check.findings.contains { $0.kind == "arvos.clock" && $0.severity == "warning" }, "\(check)")
    }

    @Test("messages that are none are counted, and an error for check")
    func badMessages() async throws {
        let path = try await recording(["--bad"])
        let output = try await Binary.succeed(["convert", path, "-o", folder("bag")])
        #expect(output.contains("rejected: 1 (badValue 1)"), "\(output)")
        let strict = try await Binary.run(["convert", path, "-o", folder("strict"), "--strict"])
        #expect(strict.status == 1)
        let (check, status) = try await CheckResult.of(path)
        #expect(status == 1 && check.findings.contains { $0.kind == "arvos.message" }, "\(check)")
    }

    @Test("of a file without its end, which the SDK leaves behind after Ctrl-C, the rest is taken, and it is said")
    func truncated() async throws {
        let path = try await recording()
        try Damage.cut(path, to: 0.6)
        let output = try await Binary.succeed(["convert", path, "-o", folder("bag")])
        #expect(output.contains("damaged: ") && output.contains("imu "), "\(output)")
        let strict = try await Binary.run(["convert", path, "-o", folder("strict"), "--strict"])
        #expect(strict.status == 1)
    }
}
