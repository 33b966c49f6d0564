import Foundation
import Glibc
import SystemPackage
import TestSupport
import mapeverything

/// The command itself, as it was built.
enum Binary {
    /// From MAPEVERYTHING_BINARY, else the newest build of this package, release before debug.
    static let path: String = {
        if let named = ProcessInfo.processInfo.environment["MAPEVERYTHING_BINARY"], !named.isEmpty { return named }
        let candidates = ["release", "debug"].map { Repository.path(".build/\($0)/mapeverything") }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? candidates[0]
    }()

    /// Adds a byte to the file of MAPEVERYTHING_STARTS, so that tools/test can say how often the command was started.
    static func noteStart(of words: [String]) {
        guard words.contains(path), let file = ProcessInfo.processInfo.environment["MAPEVERYTHING_STARTS"] else {
            return
        }
        let descriptor = open(file, O_WRONLY | O_APPEND | O_CREAT, 0o644)
        _ = write(descriptor, "x", 1)
        close(descriptor)
    }

    /// Another program of this package, which is built beside the command.
    static func tool(_ name: String) -> String {
        FilePath(path).removingLastComponent().appending(name).string
    }

    /// Runs the command to its end.
    static func run(
        _ arguments: [String],
        environment: [String: String] = [:],
        in folder: String = ".",
        seconds: Double = 120
    ) async throws -> Outcome {
        // env becomes the program, and is not beside it.
        let words = folder == "." ? [path] : ["env", "-C", folder, path]
        let child = try ChildProcess(words[0], words.dropFirst() + arguments, environment: environment)
        return try await child.finish(seconds: seconds)
    }

    /// Runs the command where it has to succeed, and returns what it printed.
    @discardableResult
    static func succeed(
        _ arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> String {
        let outcome = try await run(arguments, environment: environment)
        guard outcome.status == 0 else { throw Unsuccessful(arguments: arguments, outcome: outcome) }
        return outcome.output
    }

    /// Starts the command and leaves it running.
    static func start(_ arguments: [String], environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(path, arguments, environment: environment)
    }

    /// Runs the command and reads the JSON that it prints.
    static func json<Value: Decodable>(_ arguments: [String]) async throws -> Value {
        try await JSONDecoder().decode(Value.self, from: Data(succeed(arguments).utf8))
    }

    struct Unsuccessful: Error, CustomStringConvertible {
        var arguments: [String]
        var outcome: Outcome
        var description: String { "mapeverything \(arguments.joined(separator: " ")): \(outcome.everything)" }
    }
}

/// The command in this process: what it says, and what it makes, without the start of a program.
enum Command {
    static func run(_ arguments: [String], columns: Int = 80) async throws -> Outcome {
        let answer = await MapEverything.answer(to: arguments, columns: columns)
        return Outcome(status: answer.status, output: answer.output, errors: answer.errors)
    }

    /// Runs it where it has to succeed, and returns what it printed.
    @discardableResult
    static func succeed(_ arguments: [String]) async throws -> String {
        let outcome = try await run(arguments)
        guard outcome.status == 0 else { throw Binary.Unsuccessful(arguments: arguments, outcome: outcome) }
        return outcome.output
    }

    /// Runs it and reads the JSON that it prints.
    static func json<Value: Decodable>(_ arguments: [String]) async throws -> Value {
        try await JSONDecoder().decode(Value.self, from: Data(succeed(arguments).utf8))
    }
}

/// The folder of the package.
enum Repository {
    static func path(_ relative: String) -> String { Checkout.path(relative).string }

    static let messages = path("ros2/mapeverything_msgs")

    static func peer(_ name: String) -> String { path("Tests/CLITests/Peers/\(name)") }
}
