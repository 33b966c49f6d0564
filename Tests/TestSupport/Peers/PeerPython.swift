package import Foundation
import Glibc
import SystemPackage

/// The Python interpreter that has the independent peers (rosbags, mcap, websockets, numpy, ...) installed.
package enum PeerPython {
    package struct Outcome: Sendable {
        package var status: Int32
        package var output: String
        package var errors: String

        /// What to show when a test does not like the outcome.
        package var everything: String { "status \(status)\n\(output)\n\(errors)" }

        /// What it printed; an error unless it has succeeded.
        package func outputOfSuccess() throws -> String {
            guard status == 0 else { throw Failure(outcome: self) }
            return output
        }
    }

    /// From MAPEVERYTHING_PEERS_PYTHON, else where tools/test installs it.
    package static let interpreter: String? = {
        let named = ProcessInfo.processInfo.environment["MAPEVERYTHING_PEERS_PYTHON"]
        let installed = Checkout.path(".build/peers/bin/python").string
        return [named, installed].compactMap { $0 }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// Whether a test that needs the peers should run: they are there, or they are required and the test has to fail.
    package static var isAvailable: Bool { interpreter != nil || isRequired }

    /// Whether a test that needs Open3D should run, which is installed beside the others and may be missing where they are not.
    package static var hasOpen3D: Bool {
        let beside = interpreter.map {
            FilePath($0).removingLastComponent().removingLastComponent().appending("open3d")
        }
        return isRequired || beside.map { FileManager.default.fileExists(atPath: $0.string) } ?? false
    }

    package static let absence = "needs the Python peers, which tools/test installs"

    /// Whether missing peers fail a test instead of skipping it: MAPEVERYTHING_REQUIRE_PEERS=1.
    package static var isRequired: Bool { ProcessInfo.processInfo.environment["MAPEVERYTHING_REQUIRE_PEERS"] == "1" }

    /// Runs Python with the arguments (`-c CODE`, or a script and its own) and waits for its end.
    package static func run(_ arguments: [String], input: Data? = nil) throws -> Outcome {
        let folders = try folders.get()
        // Files rather than pipes: no peer can block on a full pipe.
        let directory = try TemporaryDirectory()
        let arguments = try JSONEncoder().encode(arguments)
        for (name, data) in [("arguments.json", arguments), ("in", input ?? Data()), ("out", Data()), ("err", Data())] {
            try data.write(to: URL(fileURLWithPath: directory.appending(name).string))
        }
        let pipe = directory.appending("status")
        guard mkfifo(pipe.string, 0o600) == 0 else { throw Errno(rawValue: errno) }
        let reader = try FileDescriptor.open(pipe, .readOnly, options: .nonBlocking)
        defer { try? reader.close() }
        // Few enough bytes to be written at once, whatever other threads write.
        try folders.writeAll(Array("\(directory.path.string)\n".utf8))
        func text(_ name: String) -> String {
            let data = FileManager.default.contents(atPath: directory.appending(name).string) ?? Data()
            return String(decoding: data, as: UTF8.self)
        }
        let status = try line(of: reader).flatMap { Int32($0) }
        return Outcome(status: status ?? -1, output: text("out"), errors: text("err"))
    }

    /// Where `tools/peers/run_programs.py` reads the folders of programs to run; it ends with this process.
    private static let folders = Result {
        guard let interpreter else { throw CocoaError(.fileNoSuchFile) }
        let pipe = try FileDescriptor.pipe()
        // Not open in the programs that tests start, which may live on.
        _ = fcntl(pipe.writeEnd.rawValue, F_SETFD, FD_CLOEXEC)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: interpreter)
        process.arguments = ["-B", Checkout.path("tools/peers/run_programs.py").string]
        process.standardInput = FileHandle(fileDescriptor: pipe.readEnd.rawValue, closeOnDealloc: true)
        try process.run()
        return pipe.writeEnd
    }

    /// A short line that is written at once; nil if it does not come within eleven minutes, when no program runs any more.
    private static func line(of pipe: FileDescriptor) throws -> String? {
        var polled = pollfd(fd: pipe.rawValue, events: Int16(POLLIN), revents: 0)
        while poll(&polled, 1, 660_000) == -1 {
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
        guard polled.revents & Int16(POLLIN) != 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = try bytes.withUnsafeMutableBytes { try pipe.read(into: $0) }
        return String(decoding: bytes[..<count], as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The same on a thread of its own, so that none of those is blocked that other tests run on.
    package static func runAside(_ arguments: [String], input: Data? = nil) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try run(arguments, input: input) }) }
        }
    }

    /// Runs code that must succeed, and gives what it printed, without the last newline.
    package static func output(of code: String, _ arguments: [String] = []) throws -> String {
        try run(["-c", code] + arguments).outputOfSuccess().trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs code and reads the JSON value that it prints.
    package static func json<Value: Decodable>(_ code: String, _ arguments: [String] = []) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(run(["-c", code] + arguments).outputOfSuccess().utf8))
    }

    /// A peer that did not do what it was asked.
    package struct Failure: Error, CustomStringConvertible {
        package var outcome: Outcome
        package var description: String { outcome.everything }
    }
}
