import Foundation

/// Python with Pillow, as an independent judge.
enum SamplePeers {
    static let interpreter =
        ProcessInfo.processInfo.environment["MAPEVERYTHING_PEERS_PYTHON"] ?? "/opt/peers-venv/bin/python"

    static var isAvailable: Bool {
        ProcessInfo.processInfo.environment["MAPEVERYTHING_REQUIRE_PEERS"] == "1"
            || FileManager.default.isExecutableFile(atPath: interpreter)
    }

    struct Failure: Error {
        var status: Int32
    }

    static func run(_ script: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: interpreter)
        process.arguments = ["-c", script] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
