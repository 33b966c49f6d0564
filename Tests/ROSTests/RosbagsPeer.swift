import Foundation
import JSONText
import Testing

/// The independent judge of messages: rosbags, run by `tools/peers/check_messages.py`.
enum RosbagsPeer {
    static let python =
        ProcessInfo.processInfo.environment["MAPEVERYTHING_PEERS_PYTHON"] ?? "/opt/peers-venv/bin/python"

    /// Whether the interpreter of the peers is here, or must be.
    static let isExpected = FileManager.default.isExecutableFile(atPath: python) || Vectors.mustBeComplete

    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../tools/peers/check_messages.py").standardized

    /// Hands lines of JSON to the script and returns its lines.
    static func run(_ arguments: [String], _ entries: [JSONValue]) throws -> [JSONValue] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ros-peer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Through files, as two pipes could wait for each other.
        let input = folder.appending(path: "in")
        let output = folder.appending(path: "out")
        try Data(entries.map { $0.text() + "\n" }.joined().utf8).write(to: input)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments = [script.path] + arguments
        process.standardInput = try FileHandle(forReadingFrom: input)
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "check_messages.py failed")
        return try String(contentsOf: output, encoding: .utf8).split(separator: "\n").map {
            try JSONValue.parse(String($0))
        }
    }
}
