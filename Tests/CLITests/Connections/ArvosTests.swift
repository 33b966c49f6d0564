import Foundation
import TestSupport
import Testing

/// Arvos both ways, with its SDK, with ourselves, and with peers that misbehave.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct ArvosTests {
    /// With images that fill queues.
    private static let large = Task {
        try await Samples.make("arvos-large", ["--gps", "--size", "1920x1440", "--duration", "3"])
    }

    private let folder: Scratch

    init() throws { folder = try Scratch() }

    @Test("the SDK's client receives everything that the phone recorded")
    func client() async throws {
        let session = try await ArvosSession.sample.value
        let (process, port) = try await ArvosSession.listen(session, ["--rate", "4", "--on-full", "wait"])
        let judge = ["client", "ws://127.0.0.1:\(port)/any/path?x=1", session]
        let verdict = try await PeerPython.runAside([ArvosSession.tool("arvos_sdk.py")] + judge)
        #expect(verdict.status == 0, "\(verdict.everything)")
        let outcome = try await process.finish()
        #expect(outcome.status == 0 && outcome.output.contains("sent as Arvos"), "\(outcome)")
    }

    private static let otherSDK = ProcessInfo.processInfo.environment["MAPEVERYTHING_ARVOS_SDK"]

    @Test("another SDK, where a machine has one, receives it too", .enabled(if: otherSDK != nil))
    func otherClient() async throws {
        let session = try await ArvosSession.sample.value
        let (process, port) = try await ArvosSession.listen(session, ["--rate", "4", "--on-full", "wait"])
        let judge = try ChildProcess(
            try #require(PeerPython.interpreter),
            ["-B", ArvosSession.tool("arvos_sdk.py"), "client", "ws://127.0.0.1:\(port)", session],
            environment: ["PYTHONPATH": try #require(Self.otherSDK)]
        )
        let verdict = try await judge.finish()
        #expect(verdict.status == 0, "\(verdict)")
        #expect(try await process.finish().status == 0)
    }

    @Test("the SDK's server, which needs an old version of websockets, receives everything too")
    func server() async throws {
        let session = try await ArvosSession.sample.value
        let interpreter = try #require(PeerPython.interpreter)
        let old = URL(fileURLWithPath: interpreter).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("websockets-13").path
        try #require(FileManager.default.fileExists(atPath: old), "tools/test installs websockets 13")
        let port = try ArvosSession.freePort()
        let path = "\(old):\(URL(fileURLWithPath: ArvosSession.tool("x")).deletingLastPathComponent().path)"
        let server = try ChildProcess(
            interpreter,
            ["-u", "-B", ArvosSession.tool("arvos_sdk.py"), "server", "\(port)", session],
            environment: ["PYTHONPATH": path]
        )
        _ = try await server.waitForOutput("Server listening")
        try await Binary.succeed(
            ["replay", session, "--arvos", "127.0.0.1:\(port)", "--rate", "4", "--on-full", "wait"]
        )
        let verdict = try await server.finish()
        #expect(verdict.status == 0, "\(verdict)")
    }

    @Test("through Arvos into a bag, the messages are those that bag writes", arguments: ["listen", "connect"])
    func roundTrip(side: String) async throws {
        let session = try await ArvosSession.sample.value
        let written = folder("written"), recorded = folder("recorded")
        try await Binary.succeed(["bag", session, "-o", written, "--profile", "streams"])
        let summary: String
        if side == "listen" {
            let (process, port) = try await ArvosSession.record(
                recorded,
                ["--arvos", "127.0.0.1:0", "--until-disconnect"]
            )
            try await Binary.succeed(["replay", session, "--arvos", "127.0.0.1:\(port)", "--rate", "max"])
            summary = try await process.finish().output
        } else {
            let (process, port) = try await ArvosSession.listen(session, ["--rate", "max"])
            let record = ["record", "-o", recorded, "--arvos-url", "127.0.0.1:\(port)"]
            summary = try await Binary.succeed(record)
            #expect(try await process.finish().status == 0)
        }
        #expect(summary.contains("camera 20") && summary.contains("imu 100"), "\(summary)")
        #expect(!summary.contains("rejected") && !summary.contains("lost"), "\(summary)")
        let judge = [ArvosSession.tool("compare_arvos.py"), written, recorded]
        let verdict = try await PeerPython.runAside(judge)
        #expect(verdict.status == 0, "\(verdict.everything)")
        try await Conformance.check(recorded)
        let (check, _) = try await CheckResult.of(recorded)
        #expect(check.findings.isEmpty, "\(check)")
    }

    @Test("a client that stalls costs the others nothing, and is told")
    func stalledClient() async throws {
        let session = try await Self.large.value
        let (process, port) = try await ArvosSession.listen(session, ["--queue-mb", "1", "--rate", "0.8"])
        let stalled = try Peer.start("arvos_peer.py", ["stall", "ws://127.0.0.1:\(port)"])
        _ = try await stalled.waitForOutput("connected")
        let recorded = folder("recorded")
        let record = ["record", "-o", recorded, "--arvos-url", "127.0.0.1:\(port)"]
        let summary = try await Binary.succeed(record)
        await stalled.signal(SIGKILL)
        let outcome = try await process.finish()
        #expect(outcome.output.contains("dropped as it was too slow: camera"), "\(outcome)")
        // It came second: what was sent before is all that it may lack.
        let line = summary.split(separator: "\n").first { $0.hasPrefix("received") } ?? ""
        let images = line.split(separator: "camera ").last?.prefix { $0.isNumber }
        #expect(images.flatMap { Int($0) } ?? 0 >= 20, "\(summary)")
    }

    @Test("an interrupt does not wait for a client that stalls, nor does the end", arguments: [true, false])
    func stalledEnd(isInterrupted: Bool) async throws {
        let session = try await Self.large.value
        let waits = isInterrupted ? ["--on-full", "wait", "--rate", "max"] : ["--rate", "10"]
        let (process, port) = try await ArvosSession.listen(session, ["--queue-mb", "1"] + waits)
        let stalled = try Peer.start("arvos_peer.py", ["stall", "ws://127.0.0.1:\(port)"])
        _ = try await stalled.waitForOutput("connected")
        if isInterrupted {
            try await Task.sleep(for: .seconds(2))
            await process.signal(SIGINT)
        }
        let outcome = try await process.finish(seconds: 20)
        #expect(outcome.status == (isInterrupted ? 130 : 0), "\(outcome)")
        #expect(outcome.output.contains("dropped as it was too slow"), "\(outcome)")
        await stalled.signal(SIGKILL)
    }

    @Test("a server that is killed is found again, and what was lost meanwhile is counted")
    func reconnect() async throws {
        let session = try await ArvosSession.sample.value
        let (first, port) = try await ArvosSession.record(folder("first"), ["--arvos", "127.0.0.1:0"])
        let sender = try Binary.start(["replay", session, "--arvos", "127.0.0.1:\(port)", "--rate", "0.5"])
        _ = try await sender.waitForError("connected")
        try await Task.sleep(for: .milliseconds(500))
        await first.signal(SIGKILL)
        _ = try await sender.waitForError("connection lost")
        let second = folder("second")
        let (process, _) = try await ArvosSession.record(
            second,
            ["--arvos", "127.0.0.1:\(port)", "--until-disconnect"]
        )
        let outcome = try await sender.finish()
        #expect(outcome.status == 0 && outcome.output.contains("dropped"), "\(outcome)")
        #expect(outcome.output.contains("the connection was lost once"), "\(outcome)")
        let summary = try await process.finish()
        #expect(summary.output.contains("handshake 1"), "\(summary)")
    }

    @Test("commands steer the player where they may, and are answered where they may not")
    func commands() async throws {
        struct Answer: Decodable {
            var said: [[String]]
            var types: [String: Int]
        }
        let session = try await ArvosSession.sample.value
        let allowed = try await ArvosSession.listen(session, ["--allow-commands", "--progress", "off"])
        let steered: Answer = try await Peer.json(
            "arvos_peer.py",
            ["commands", "ws://127.0.0.1:\(allowed.port)", "stop_recording", "change_mode:nothing", "change_mode:imu"]
                + ["start_recording"]
        )
        #expect(steered.said.map { $0[0] } == ["stopped", "error", "streaming", "streaming"])
        #expect(steered.said.map { $0[1] }.last == "playing")
        #expect(steered.types["imu"] ?? 0 > 50 && steered.types["camera"] == nil, "\(steered)")
        let outcome = try await allowed.process.finish()
        #expect(outcome.output.contains("left out in the mode that a receiver chose"), "\(outcome)")
        let refused = try await ArvosSession.listen(session, [])
        let answer: Answer = try await Peer.json(
            "arvos_peer.py",
            ["commands", "ws://127.0.0.1:\(refused.port)", "stop_recording"]
        )
        #expect(answer.said == [["streaming", "commands are not allowed here (--allow-commands)"]])
        #expect(answer.types["camera"] ?? 0 > 10)
        #expect(try await refused.process.finish().status == 0)
    }

    @Test("presets, axes and clocks")
    func options() async throws {
        let session = try await ArvosSession.sample.value
        let bag = folder("imu")
        let sender = try await ArvosSession.listen(
            session,
            ["--preset", "mapping", "--ros-axes", "--arvos-time", "unix", "--rate", "max"]
        )
        let summary = try await Binary.succeed(["record", "-o", bag, "--arvos-url", "127.0.0.1:\(sender.port)"])
        #expect(summary.contains("received: handshake 1, imu 100, pose 20, status 2"), "\(summary)")
        #expect(try await sender.process.finish().status == 0)
        // Unix time comes through as it is, and axes of ROS are not turned twice.
        let written = folder("written")
        let topics = ["--topics", "/mapping/imu", "/mapping/pose", "/tf", "/tf_static"]
        try await Binary.succeed(["bag", session, "-o", written, "--profile", "streams"] + topics)
        let verdict = try await PeerPython.runAside([
            ArvosSession.tool("compare_arvos.py"), written, bag, "--same-clock",
        ])
        #expect(verdict.status == 0, "\(verdict.everything)")
    }

    @Test("a bag is sent as the session that it was made of")
    func bagInput() async throws {
        let session = try await ArvosSession.sample.value
        let bag = folder("bag")
        try await Binary.succeed(["bag", session, "-o", bag, "--profile", "streams"])
        let (process, port) = try await ArvosSession.listen(bag, ["--rate", "4", "--on-full", "wait"])
        let judge = ["client", "ws://127.0.0.1:\(port)", session]
        let verdict = try await PeerPython.runAside([ArvosSession.tool("arvos_sdk.py")] + judge)
        #expect(verdict.status == 0, "\(verdict.everything)")
        #expect(try await process.finish().status == 0)
    }
}
