import Foundation
import Glibc

/// Ways to damage a file.
enum Damage {
    static func cut(_ path: String, to share: Double) throws {
        let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
        guard truncate(path, Int(Double(size) * share)) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Takes bytes from the end.
    static func cut(_ path: String, bytes: Int) throws {
        let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
        guard truncate(path, size - bytes) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Turns a bit of the byte at an offset; a negative one counts from the end.
    static func flip(_ path: String, at offset: Int) throws {
        let url = URL(fileURLWithPath: path)
        var data = try Data(contentsOf: url)
        data[offset < 0 ? data.count + offset : offset] ^= 0x40
        try data.write(to: url)
    }

    /// Replaces the first match of a regular expression.
    static func edit(_ path: String, _ pattern: String, _ replacement: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        guard let range = text.range(of: pattern, options: .regularExpression) else {
            throw CocoaError(.formatting)
        }
        try text.replacingCharacters(in: range, with: replacement)
            .write(toFile: path, atomically: false, encoding: .utf8)
    }

    static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }
}
