import Foundation
import TestSupport

/// The Python programs that judge the command's work, and play the other end of its connections.
enum Peer {
    static var isAvailable: Bool { PeerPython.isAvailable }
    static let absence = PeerPython.absence

    /// Starts a script of Tests/CLITests/Peers.
    static func start(_ script: String, _ arguments: [String]) throws -> ChildProcess {
        guard let interpreter = PeerPython.interpreter else { throw CocoaError(.fileNoSuchFile) }
        return try ChildProcess(interpreter, ["-B", Repository.peer(script)] + arguments)
    }

    /// Runs a script of Tests/CLITests/Peers, which must succeed, and returns what it printed.
    @discardableResult
    static func run(_ script: String, _ arguments: [String]) async throws -> String {
        try await PeerPython.runAside([Repository.peer(script)] + arguments).outputOfSuccess()
    }

    /// Runs a script and reads the JSON that it prints.
    static func json<Value: Decodable>(_ script: String, _ arguments: [String]) async throws -> Value {
        try await JSONDecoder().decode(Value.self, from: Data(run(script, arguments).utf8))
    }

    struct Unsuccessful: Error, CustomStringConvertible {
        var script: String
        var outcome: Outcome
        var description: String { "\(script): \(outcome.everything)" }
    }
}
