import Foundation

/// What a test's rosbridge server wrote down, in its order.
struct Diary {
    struct Entry: Decodable {
        var event: String
        /// Seconds of a monotonic clock.
        var at: Double?
        /// Characters of the operation.
        var length: Int?
        var topic: String?
        var type: String?
        var latch: Bool?
        var digest: String?
        var stamp: Int64?
        var service: String?
        var num: Int?
        var total: Int?
        var code: Int?
        var forgotten: Int?
        var why: String?
    }

    var entries: [Entry]

    init(_ path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        entries = try text.split(separator: "\n").map {
            try JSONDecoder().decode(Entry.self, from: Data($0.utf8))
        }
    }

    func all(_ event: String) -> [Entry] { entries.filter { $0.event == event } }

    var publishes: [Entry] { all("publish") }

    /// Digests by topic, in their order.
    var digests: [String: [String]] {
        Dictionary(grouping: publishes, by: { $0.topic ?? "" }).mapValues { $0.map { $0.digest ?? "" } }
    }

    func count(_ topic: String) -> Int { publishes.count { $0.topic == topic } }
}

/// A rosbridge server of a test.
struct PeerServer {
    let process: ChildProcess
    let port: Int
    private let diaryPath: String

    /// Starts it and waits until it listens.
    static func start(_ folder: String, _ options: [String] = []) async throws -> PeerServer {
        let path = "\(folder)/diary-\(UUID().uuidString).jsonl"
        let process = try Peer.start("rosbridge_server.py", [path] + options)
        let line = try await process.waitForOutput("port ")
        guard let port = Int(line.dropFirst(5)) else { throw CocoaError(.coderInvalidValue) }
        return PeerServer(process: process, port: port, diaryPath: path)
    }

    var url: String { "127.0.0.1:\(port)" }

    /// Waits until its client has left, and reads what it wrote down.
    func finish() async throws -> Diary {
        let outcome = try await process.finish()
        guard outcome.status == 0 else { throw Peer.Unsuccessful(script: "rosbridge_server.py", outcome: outcome) }
        return try Diary(diaryPath)
    }
}
