import Foundation
import Glibc

/// A rosbridge server of a test that costs what it is told to, and notes what it did.
struct MeasuredServer {
    /// A line of its diary.
    struct Entry: Decodable {
        /// Seconds on the server's own clock.
        var at: Double
        var event: String
        var topic: String?
        var type: String?
        var length: Int?
        var data: Int?
        var stamp: Int64?
        var code: Int?
        var why: String?
    }

    let process: ChildProcess
    let port: Int
    private let diary: String

    static func start(_ folder: Scratch, _ options: [String] = []) async throws -> MeasuredServer {
        let diary = folder("diary-\(UUID().uuidString).jsonl")
        let process = try Peer.start("measured_server.py", [diary] + options)
        return MeasuredServer(process: process, port: try await process.waitForPort(), diary: diary)
    }

    var url: String { "127.0.0.1:\(port)" }

    /// Ends it, and reads what it noted.
    func finish() async throws -> [Entry] {
        await process.signal(SIGTERM)
        let outcome = try await process.finish()
        guard outcome.status == 0 else { throw Peer.Unsuccessful(script: "measured_server.py", outcome: outcome) }
        let text = try String(contentsOfFile: diary, encoding: .utf8)
        return try text.split(separator: "\n").map { try JSONDecoder().decode(Entry.self, from: Data($0.utf8)) }
    }
}

extension [MeasuredServer.Entry] {
    func events(_ name: String) -> [MeasuredServer.Entry] { filter { $0.event == name } }
}

/// What `probe --json` says.
struct ProbeFigures: Decodable {
    struct Times: Decodable {
        var n: Int
        var min_ms: Double
        var median_ms: Double
        var p99_ms: Double
        var max_ms: Double
    }

    struct Rate: Decodable {
        var seconds: Double
        var messages: Int
        var messages_per_s: Double
        var payload_mb_per_s: Double
        var json_mb_per_s: Double
        var json_mbit_per_s: Double
    }

    struct Payload: Decodable {
        var payload_bytes: Int
        var json_bytes: Int
        var barrier_behind: Times?
        var sent: Int
        var confirmed: Int
        var sustained: Rate?
        var problem: String?
    }

    var server: String
    var address: String?
    var compressed: Bool
    var name_resolution: Times?
    var tcp_connect: Times?
    var tls_handshake: Times?
    var websocket_handshake: Times?
    var ping: Times?
    var barrier: Times?
    var unanswered_barriers: Int
    var payloads: [Payload]
    var meaning: [String]
    var warnings: [String]
    var interrupted: Bool
    var error: String?

    init(_ outcome: Outcome) throws {
        self = try JSONDecoder().decode(ProbeFigures.self, from: Data(outcome.output.utf8))
    }
}
