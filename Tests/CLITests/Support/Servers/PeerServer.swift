import Foundation

/// A rosbridge server of a test.
struct PeerServer {
    let process: ChildProcess
    let port: Int
    private let diaryPath: String

    /// Starts it and waits until it listens.
    static func start(_ folder: String, _ options: [String] = []) async throws -> PeerServer {
        let path = "\(folder)/diary-\(UUID().uuidString).jsonl"
        let process = try Peer.start("rosbridge_server.py", [path] + options)
        return PeerServer(process: process, port: try await process.waitForPort(), diaryPath: path)
    }

    var url: String { "127.0.0.1:\(port)" }

    /// Waits until its client has left, and reads what it wrote down.
    func finish() async throws -> Diary {
        let outcome = try await process.finish()
        guard outcome.status == 0 else { throw Peer.Unsuccessful(script: "rosbridge_server.py", outcome: outcome) }
        return try Diary(diaryPath)
    }

    /// Replays a session to a fresh server, without the pauses at the start and at the end that real servers need.
    static func replay(
        _ session: String,
        _ options: [String],
        into folder: String,
        server serverOptions: [String] = []
    ) async throws -> (diary: Diary, outcome: Outcome) {
        let server = try await start(folder, serverOptions)
        let end = options.contains("--resend") ? [] : ["--resend", "0"]
        let outcome = try await Binary.run(["replay", session, "--url", server.url, "--settle", "0"] + end + options)
        return (try await server.finish(), outcome)
    }
}

extension ChildProcess {
    /// The port that a Python server prints when it listens.
    func waitForPort() throws -> Int {
        let line = try waitForOutput("port ")
        guard let port = Int(line.dropFirst(5)) else { throw CocoaError(.coderInvalidValue) }
        return port
    }
}
