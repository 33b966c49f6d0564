import Foundation
import SystemPackage
import Testing

/// Python's own codecs, which judge ours.
enum CodecPeers {
    static let interpreter =
        ProcessInfo.processInfo.environment["MAPEVERYTHING_PEERS_PYTHON"] ?? "/opt/peers-venv/bin/python"

    static var isAvailable: Bool {
        isRequired || FileManager.default.isExecutableFile(atPath: interpreter)
    }

    static var isRequired: Bool {
        ProcessInfo.processInfo.environment["MAPEVERYTHING_REQUIRE_PEERS"] == "1"
    }

    /// Runs a script with arguments and gives what it printed; a script that fails fails the test.
    static func run(_ script: String, _ arguments: [String] = []) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: interpreter)
        process.arguments = ["-c", script] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw PeerFailure(status: process.terminationStatus) }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    struct PeerFailure: Error {
        var status: Int32
    }
}

/// Captures made by others, beside the repository.
enum SharedCaptures {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/data")

    static var isAvailable: Bool {
        CodecPeers.isRequired || FileManager.default.fileExists(atPath: root.path)
    }

    static func path(_ path: String) -> String {
        root.appendingPathComponent(path).path
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: root.appendingPathComponent(path)))
    }
}

/// A small generator of repeatable numbers (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

func write(_ bytes: [UInt8], to path: FilePath) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path.string))
}

func readFile(_ path: FilePath) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path.string)))
}
