import Foundation

/// A rosbridge server of a test that goes wrong at random.
struct FaultyServer {
    /// A message that it published.
    struct Published: Decodable {
        var connection: Int
        var topic: String
        /// The same for the same content.
        var key: String
        /// Whether a barrier after it was answered, and the client can be shown to have the answer.
        var confirmed: Bool
        /// Of a cloud.
        var width: Int?
    }

    /// What it wrote down.
    struct Notes: Decodable {
        var published: [Published]
        var refused: [String]
        /// The codes of close frames that its clients began with.
        var closed: [Int?]
        var faults: [String: Int]
        var connections: Int
        var largest_frame: Int
        var too_big: Int
        /// How often it was asked who subscribes to a topic.
        var questions: Int
        /// Messages that it had handled and not passed on when a connection ended by a fault.
        var lost: Int
        /// Messages of topics that it has not taken.
        var ignored: Int

        /// Keys by topic, each where it came first.
        var firstArrivals: [String: [String]] {
            Dictionary(grouping: inOrder, by: \.topic).mapValues { $0.map(\.key) }
        }

        /// Messages where they came first, over all topics.
        var inOrder: [Published] {
            var seen: Set<String> = []
            return published.filter { seen.insert($0.topic + $0.key).inserted }
        }

        /// Messages that came again after the client had the answer to a barrier that followed them.
        func duplicates(exceptOf latched: Set<String>) -> [Published] {
            var confirmed: Set<String> = []
            return published.filter { message in
                defer { if message.confirmed { confirmed.insert(message.topic + message.key) } }
                return confirmed.contains(message.topic + message.key) && !latched.contains(message.topic)
            }
        }
    }

    let process: ChildProcess
    let port: Int
    private let notesPath: String

    static func start(_ folder: String, _ options: [String]) async throws -> FaultyServer {
        let path = "\(folder)/notes-\(UUID().uuidString).json"
        let process = try Peer.start("faulty_server.py", [path] + options)
        return FaultyServer(process: process, port: try await process.waitForPort(), notesPath: path)
    }

    var url: String { "127.0.0.1:\(port)" }

    /// Waits until a client has left in order, and reads what it wrote down.
    func finish(seconds: Double = 20) async throws -> Notes {
        let outcome = try await process.finish(seconds: seconds)
        guard outcome.status == 0 else { throw Peer.Unsuccessful(script: "faulty_server.py", outcome: outcome) }
        return try JSONDecoder().decode(Notes.self, from: Data(contentsOf: URL(fileURLWithPath: notesPath)))
    }

    func stop() async {
        // Threads of Dispatch, which start programs, block every signal that can be blocked.
        await process.signal(SIGKILL)
    }

    /// Replays a session to a fresh server with quick time-outs.
    static func replay(
        _ session: String,
        _ options: [String],
        into folder: String,
        server serverOptions: [String],
        rate: String = "max",
        resend: String = "0"
    ) async throws -> (notes: Notes, outcome: Outcome) {
        let server = try await start(folder, serverOptions)
        let outcome = try await Binary.run(
            ["replay", session, "--url", server.url] + quick(rate: rate, resend: resend) + options
        )
        // A strict replay that ends with 1 has closed its connection, after which the server ends by itself.
        if ![0, 1].contains(outcome.status) { await server.stop() }
        return (try await server.finish(), outcome)
    }

    /// What makes faults short.
    static func quick(rate: String = "max", resend: String = "0") -> [String] {
        ["--rate", rate, "--resend", resend] + quickTimes
    }

    private static let quickTimes = [
        "--settle", "0", "--connect-timeout", "0.4", "--barrier-timeout", "0.4", "--stall-timeout",
        "0.4",
        "--reconnect-delay", "0.01",
    ]
}
