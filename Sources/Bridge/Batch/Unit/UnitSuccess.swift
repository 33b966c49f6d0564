import Bags
import Platform
package import SystemPackage
package import Text

/// The content of `_SUCCESS.json`: it says that a unit is done, of what it is made, and what it consists of.
///
/// Nothing in it depends on when, where or how fast it was made: two runs of a unit write the same bytes.
package struct UnitSuccess: Sendable {
    package static let file = "_SUCCESS.json"
    private static let maximumBytes = 64 << 20

    package struct File: Hashable, Sendable {
        package var name: String
        package var bytes: Int
        package var sha256: String
    }

    package var id: String
    package var files: [File]
    package var json: JSONValue

    /// - Parameters:
    ///   - facts: of the recording (``RecordingExtent``).
    ///   - report: what the command's `--report` says; nil where it has none.
    init(_ unit: BatchUnit, version: String, facts: JSONValue, report: JSONValue?, files: [File]) {
        let topics = report?["topics"]?.array ?? []
        let counts = topics.compactMap { topic -> (String, JSONValue)? in
            guard let name = topic["name"]?.string, let count = topic["count"] else { return nil }
            return (name, count)
        }
        let found = report?["problems"] ?? report?["findings"]
        let problems = (found?.array ?? []).compactMap { problem -> (String, JSONValue)? in
            guard let kind = problem["kind"]?.string, let count = problem["count"] else { return nil }
            return (kind, count)
        }
        id = unit.id
        self.files = files
        json = [
            "mapeverything_batch": 1, "id": .string(unit.id), "version": .string(version), "name": .string(unit.name),
            "input": .string(unit.input), "identity": .string(unit.identity), "to": .string(unit.product.text),
            "options": .strings(unit.options), "output": .string(unit.output), "input_bytes": .integer(unit.bytes),
            "recording": facts, "topics": .object(counts), "problems": .object(problems),
            "files": .array(
                files.map {
                    ["name": .string($0.name), "bytes": .integer($0.bytes), "sha256": .string($0.sha256)]
                }
            ),
        ]
    }

    /// Reads it from a unit's folder; nil where it is absent, cut or something else.
    package init?(in folder: FilePath) {
        let path = folder.appending(Self.file)
        guard case .file(let count) = FileEntry(at: path.string), count <= Self.maximumBytes,
            let bytes = try? OutputFile.contents(of: path), let value = try? JSONValue.parse(bytes),
            value["mapeverything_batch"]?.integer == 1, let id = value["id"]?.string,
            let entries = value["files"]?.array
        else { return nil }
        let files = entries.compactMap { entry -> File? in
            guard let name = entry["name"]?.string, let bytes = entry["bytes"]?.integer,
                let hash = entry["sha256"]?.string
            else { return nil }
            return File(name: name, bytes: Int(bytes), sha256: hash)
        }
        guard files.count == entries.count else { return nil }
        (self.id, self.files, json) = (id, files, value)
    }

    /// True if all files exist with their sizes and, with `reads`, with their content.
    package func isWhole(in folder: FilePath, reads: Bool = false) -> Bool {
        files.allSatisfy { file in
            let path = folder.pushing(FilePath(file.name))
            guard FileEntry(at: path.string) == .file(byteCount: file.bytes) else { return false }
            return !reads || (try? FileHash.read(path).digest) == file.sha256
        }
    }

    /// Writes it into a folder whose files are on the disk.
    func write(in folder: FilePath) throws(FileError) {
        let path = folder.appending(Self.file)
        try OutputFile.write(Array((json.text(style: .pretty) + "\n").utf8), to: path)
        try DurableFiles.synchronize(path)
    }
}
