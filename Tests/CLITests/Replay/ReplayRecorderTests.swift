import Foundation
import Testing

/// `--wait-for-recorder`.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)), .timeLimit(.minutes(5)))
struct ReplayRecorderTests {
    private let folder: Scratch
    private let quick = ["--rate", "max", "--settle", "0", "--resend", "0", "--json"]

    init() throws { folder = try Scratch() }

    /// A server that closes every connection.
    private func startPlaceholder() async throws -> (process: ChildProcess, port: Int) {
        let process = try Peer.start("failing_server.py", ["close"])
        return (process, try await process.waitForPort())
    }

    /// A port without a server.
    private func freePort() async throws -> Int {
        let server = try await FaultyServer.start(folder.path, ["--seed", "1"])
        await server.stop()
        _ = try? await server.process.finish()
        return server.port
    }

    @Test func serversAndRecordersMayComeLate() async throws {
        let session = try await Samples.plain.value
        let (placeholder, port) = try await startPlaceholder()
        let options = ["--wait-for-recorder", "60", "--reconnect-delay", "0.05"]
        let replay = try Binary.start(["replay", session, "--url", "127.0.0.1:\(port)"] + quick + options)
        _ = try await placeholder.waitForOutput("came")
        await placeholder.signal(SIGKILL)
        _ = try? await placeholder.finish()
        let late = ["--seed", "1", "--port", "\(port)", "--recorder", "--recorder-after", "20"]
        let server = try await FaultyServer.start(folder.path, late)
        let outcome = try await replay.finish()
        #expect(outcome.status == 0, "\(outcome)")
        let report = try JSONDecoder().decode(RunReport.self, from: Data(outcome.output.utf8))
        #expect(report.sinks.flatMap(\.warnings) == [])
        #expect(report.sinks.first?.interruptions == 0)
        let notes = try await server.finish()
        #expect(notes.questions > 20)
        #expect(notes.published.count == report.topics.reduce(0) { $0 + $1.count })
    }

    @Test func whatNobodyRecordsIsNamed() async throws {
        let session = try await Samples.plain.value
        for (server, text) in [
            (["--recorder", "--recorded", "/tf,/tf_static"], "no subscriber within 0.5 s"),
            ([], "is rosapi running?"),
        ] {
            let (_, outcome) = try await FaultyServer.replay(
                session,
                ["--topics", "/tf", "/tf_static", "/mapping/pose", "--wait-for-recorder", "0.5", "--json"],
                into: folder.path,
                server: ["--seed", "1"] + server
            )
            #expect(outcome.status == 0, "\(outcome)")
            let report = try JSONDecoder().decode(RunReport.self, from: Data(outcome.output.utf8))
            let warnings = report.sinks.flatMap(\.warnings)
            #expect(warnings.count == 1, "\(warnings)")
            #expect(warnings[0].contains(text) && warnings[0].contains("/mapping/pose"), "\(warnings)")
            #expect(warnings[0].contains("/tf,") == server.isEmpty, "\(warnings)")
        }
    }

    @Test func serversThatNeverComeAreAnErrorInTheEnd() async throws {
        let session = try await Samples.plain.value
        let url = "127.0.0.1:\(try await freePort())"
        let outcome = try await Binary.run(["replay", session, "--url", url] + quick + ["--wait-for-recorder", "0.7"])
        outcome.expectError(69, naming: "refused", "waited 0.7 s")
        let hopeless = try Peer.start("failing_server.py", ["401"])
        let address = "127.0.0.1:\(try await hopeless.waitForPort())"
        // What waiting cannot help is not waited for: the test's time limit would end this.
        let denied = try await Binary.run(["replay", session, "--url", address, "--wait-for-recorder", "100000"])
        denied.expectError(69, naming: "401")
        await hopeless.signal(SIGTERM)
    }

    @Test(arguments: [true, false])
    func interruptsEndTheWait(isServerThere: Bool) async throws {
        let session = try await Samples.plain.value
        let server = try await FaultyServer.start(
            folder.path,
            ["--seed", "1", "--recorder", "--recorder-after", "1000000"]
        )
        let (placeholder, placeholderPort) = try await startPlaceholder()
        let url = isServerThere ? server.url : "127.0.0.1:\(placeholderPort)"
        let options = ["--wait-for-recorder", "100000", "--save-local", folder("bag")]
        let replay = try Binary.start(["replay", session, "--url", url] + quick + options)
        _ =
            try await isServerThere
            ? server.process.waitForOutput("asked") : placeholder.waitForOutput("came")
        await replay.signal(SIGINT)
        let outcome = try await replay.finish(seconds: 20)
        #expect(outcome.status == 130, "\(outcome)")
        await server.stop()
        await placeholder.signal(SIGKILL)
    }
}
