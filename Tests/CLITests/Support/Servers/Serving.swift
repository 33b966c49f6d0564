import Foundation

/// A running `mapeverything serve` on a free port.
struct Serving {
    let process: ChildProcess
    let port: Int
    var url: String { "ws://127.0.0.1:\(port)" }

    /// Makes a session of six seconds, or a bag of it.
    static func recording(
        _ form: String,
        in folder: Scratch,
        _ options: [String] = [],
        profile: String = "full"
    ) async throws -> String {
        let session = folder("room")
        let size = ["--size", "320x240", "--images", "4", "--duration", "6"]
        try await Binary.succeed(["sample", "-o", session] + size + options)
        guard form != "session" else { return session }
        try await Binary.succeed(["bag", session, "-o", folder("bag"), "--storage", form, "--profile", profile])
        return folder("bag")
    }

    static func start(_ path: String, _ options: [String] = []) async throws -> Serving {
        try await start(["serve", path, "--port", "0"] + options)
    }

    static func start(_ arguments: [String]) async throws -> Serving {
        let process = try Binary.start(arguments)
        let line = try await process.waitForError("serving ")
        let digits = line.split(separator: "127.0.0.1:").last?.prefix { $0.isNumber }
        guard let port = digits.flatMap({ Int($0) }) else { throw CocoaError(.coderInvalidValue) }
        return Serving(process: process, port: port)
    }

    /// Ends it as a user does.
    func stop() async throws -> Outcome {
        await process.signal(SIGINT)
        return try await process.finish()
    }
}
