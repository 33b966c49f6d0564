package import Foundation
import SystemPackage

/// The Python interpreter that has the independent peers (rosbags, mcap, websockets, numpy, ...) installed.
package enum PeerPython {
    package struct Outcome: Sendable {
        package var status: Int32
        package var output: String
        package var errors: String

        /// What to show when a test does not like the outcome.
        package var everything: String { "status \(status)\n\(output)\n\(errors)" }
    }

    /// From MAPEVERYTHING_PEERS_PYTHON, else where tools/test installs it.
    package static let interpreter: String? = {
        let named = ProcessInfo.processInfo.environment["MAPEVERYTHING_PEERS_PYTHON"]
        let installed = Checkout.path(".build/peers/bin/python").string
        return [named, installed].compactMap { $0 }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// Whether a test that needs the peers should run: they are there, or they are required and the test has to fail.
    package static var isAvailable: Bool { interpreter != nil || isRequired }

    package static let absence = "needs the Python peers, which tools/test installs"

    /// Whether missing peers fail a test instead of skipping it: MAPEVERYTHING_REQUIRE_PEERS=1.
    package static var isRequired: Bool { ProcessInfo.processInfo.environment["MAPEVERYTHING_REQUIRE_PEERS"] == "1" }

    /// Runs Python with the arguments (`-c CODE`, or a script and its own) and waits for its end.
    package static func run(_ arguments: [String], input: Data? = nil) throws -> Outcome {
        guard let interpreter else { throw CocoaError(.fileNoSuchFile) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: interpreter)
        process.arguments = arguments
        // Files rather than pipes: no peer can block on a full pipe.
        let directory = try TemporaryDirectory()
        let files = try ["in", "out", "err"].map { name in
            let path = directory.appending(name).string
            guard FileManager.default.createFile(atPath: path, contents: name == "in" ? input : nil) else {
                throw CocoaError(.fileWriteUnknown)
            }
            return try FileHandle(forUpdating: URL(fileURLWithPath: path))
        }
        process.standardInput = files[0]
        process.standardOutput = files[1]
        process.standardError = files[2]
        try process.run()
        process.waitUntilExit()
        func text(_ name: String) -> String {
            let data = FileManager.default.contents(atPath: directory.appending(name).string) ?? Data()
            return String(decoding: data, as: UTF8.self)
        }
        return Outcome(status: process.terminationStatus, output: text("out"), errors: text("err"))
    }

    /// The same on a thread of its own, so that none of those is blocked that other tests run on.
    package static func runAside(_ arguments: [String], input: Data? = nil) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try run(arguments, input: input) }) }
        }
    }

    /// Runs code that must succeed, and gives what it printed, without the last newline.
    package static func output(of code: String, _ arguments: [String] = []) throws -> String {
        let outcome = try run(["-c", code] + arguments)
        guard outcome.status == 0 else { throw Failure(outcome: outcome) }
        return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs code and reads the JSON value that it prints.
    package static func json<Value: Decodable>(_ code: String, _ arguments: [String] = []) throws -> Value {
        let outcome = try run(["-c", code] + arguments)
        guard outcome.status == 0 else { throw Failure(outcome: outcome) }
        return try JSONDecoder().decode(Value.self, from: Data(outcome.output.utf8))
    }

    /// A peer that did not do what it was asked.
    package struct Failure: Error, CustomStringConvertible {
        package var outcome: Outcome
        package var description: String { outcome.everything }
    }
}
