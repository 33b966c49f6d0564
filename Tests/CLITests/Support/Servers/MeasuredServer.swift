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
