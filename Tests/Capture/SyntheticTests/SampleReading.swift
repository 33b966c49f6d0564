import Foundation
import Recording
import Synthetic
import SystemPackage
import TestSupport

/// A synthetic session on disk, read with nothing of the product but its decoders.
final class WrittenSample {
    let directory: TemporaryDirectory
    let root: URL

    init(_ options: SampleOptions) async throws {
        directory = try TemporaryDirectory()
        root = URL(fileURLWithPath: directory.appending("session").string)
        try await SyntheticSession.write(to: FilePath(root.path), options: options)
    }

    static func smallOptions() -> SampleOptions {
        var options = SampleOptions()
        options.durationSeconds = 1
        options.framesPerSecond = 3
        options.imageSize = GridSize(width: 320, height: 240)
        return options
    }

    func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: root.appendingPathComponent(path)))
    }

    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }

    func fileNumber(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: root.appendingPathComponent(path).path)
        return (attributes[.systemFileNumber] as? Int) ?? -1
    }

    func floats(_ path: String) throws -> [Float] {
        let bytes = try bytes(path)
        return stride(from: 0, to: bytes.count, by: 4).map { place in
            let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) }
            return Float(bitPattern: bits)
        }
    }

    func object(_ path: String) throws -> JSONFields {
        try JSONFields(JSONSerialization.jsonObject(with: Data(bytes(path))))
    }

    func lines(_ path: String) throws -> [JSONFields] {
        try bytes(path).split(separator: UInt8(ascii: "\n")).map {
            try JSONFields(JSONSerialization.jsonObject(with: Data($0)))
        }
    }

    /// All files below the session's folder with their content.
    func everything() throws -> [String: [UInt8]] { try FileTreeContent(FilePath(root.path)).files }

    /// The same with what lies beside a session that is one file.
    func everythingBeside() throws -> [String: [UInt8]] { try FileTreeContent(directory.path).files }
}

/// The fields of a JSON object, by type.
struct JSONFields {
    struct Missing: Error {
        var key: String
    }

    let values: [String: Any]

    init(_ value: Any) throws {
        guard let values = value as? [String: Any] else { throw Missing(key: "object") }
        self.values = values
    }

    func number(_ key: String) throws -> Double {
        guard let value = values[key] as? NSNumber else { throw Missing(key: key) }
        return value.doubleValue
    }

    func text(_ key: String) throws -> String {
        guard let value = values[key] as? String else { throw Missing(key: key) }
        return value
    }

    func numbers(_ key: String) throws -> [Double] {
        guard let value = values[key] as? [NSNumber] else { throw Missing(key: key) }
        return value.map(\.doubleValue)
    }

    func vector(_ key: String) throws -> Vector3 {
        let n = try numbers(key)
        guard n.count == 3 else { throw Missing(key: key) }
        return Vector3(n[0], n[1], n[2])
    }

    func objects(_ key: String) throws -> [JSONFields] {
        guard let value = values[key] as? [Any] else { throw Missing(key: key) }
        return try value.map { try JSONFields($0) }
    }

    func object(_ key: String) throws -> JSONFields {
        guard let value = values[key] else { throw Missing(key: key) }
        return try JSONFields(value)
    }

    func has(_ key: String) -> Bool { values[key] != nil }
}
