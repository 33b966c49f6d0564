import Foundation
import Glibc

/// Synthetic sessions that several tests read, each made once; no test writes into them.
enum Samples {
    /// 4 s at 10 Hz with everything a session can have.
    static let full = Task { try await make("full", ["--gps", "--relative-depth", "--noise", "--tiles"]) }
    /// 4 s at 10 Hz, LiDAR and IMU only: quick to play.
    static let plain = Task { try await make("plain", []) }

    /// A session of 40 frames in 4 s.
    static func make(_ name: String, _ arguments: [String]) async throws -> String {
        guard let folder else { throw CocoaError(.fileWriteUnknown) }
        let path = "\(folder)/\(name)"
        let shape = ["--duration", "4", "--fps", "10", "--size", "480x360"]
        try await Binary.succeed(["sample", "-o", path] + shape + arguments)
        return path
    }

    /// Removed when the tests end.
    private static let folder: String? = {
        var template = Array("\(NSTemporaryDirectory())/mapeverything-samples-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        atexit { Samples.removeFolder() }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }()

    private static func removeFolder() {
        if let folder { try? FileManager.default.removeItem(atPath: folder) }
    }
}
