import Bags
import Platform
import Sessions
package import SystemPackage
package import Text

/// How a unit ended.
package enum UnitOutcome: Hashable, Sendable {
    /// - isNew: whether this run made it.
    case done(isNew: Bool)
    case failed(UnitFailure)
    /// Another run works on it.
    case busy
}

/// Why a unit is not done.
package struct UnitFailure: Hashable, Sendable {
    package enum Class: String, Sendable, CaseIterable {
        /// It would fail again: the recording, or what is asked of it.
        case never
        /// It may succeed another time: the machine, the target, something that went away.
        case again
    }

    package var kind: Class
    /// As the command ended, or 128 and the number of the signal; 65, 69 and 74 of failures without a command.
    package var status: Int
    package var error: String

    package static func never(_ error: String) -> UnitFailure { UnitFailure(kind: .never, status: 65, error: error) }
    package static func again(_ error: String) -> UnitFailure { UnitFailure(kind: .again, status: 69, error: error) }
    package static func target(_ error: any Error) -> UnitFailure {
        UnitFailure(kind: .again, status: 74, error: "\(error)")
    }

    init(kind: Class, status: Int, error: String) {
        (self.kind, self.status, self.error) = (kind, status, error)
    }

    /// The failure of a command that read a recording which was there, unchanged.
    init(command status: Int, error: String) {
        // Nothing was found where a recording is, or nothing that can be asked of it: no other time will help.
        self.init(kind: [1, 2, 65, 66].contains(status) ? .never : .again, status: status, error: error)
    }

    /// The status of a run in which this is all that failed.
    package var exitStatus: Int32 { kind == .never ? 65 : [73, 74].contains(status) ? 74 : 69 }

    package func json(_ unit: BatchUnit) -> JSONValue {
        [
            "id": .string(unit.id), "input": .string(unit.input), "class": .string(kind.rawValue),
            "status": .integer(status), "error": .string(error),
        ]
    }

    init?(json: JSONValue) {
        guard let kind = json["class"]?.string.flatMap(Class.init), let status = json["status"]?.integer,
            let error = json["error"]?.string
        else { return nil }
        self.init(kind: kind, status: Int(status), error: error)
    }
}

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
        let examined = report?["looked_at"] ?? .string(Examination.used(by: unit.product.text).text)
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
            "looked_at": examined,
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

    /// The verdict on the recording: by what the command found, and by what the lines show where that is more.
    var verdict: Verdict {
        let problems = (json["problems"]?.object?.members ?? []).compactMap { problem in
            ProblemKind(rawValue: problem.key).map { (kind: $0, count: Int(clamping: problem.value.integer ?? 0)) }
        }
        var verdict = Verdict(problems, .lines)
        if let examined = json["looked_at"]?.string { verdict.examined = examined }
        func count(_ key: String) -> Int { Int(clamping: json["recording"]?[key]?.integer ?? 0) }
        verdict.errors = max(verdict.errors, count("lost"))
        verdict.warnings = max(verdict.warnings, count("warnings"))
        return verdict
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
        try Flush.file(path)
    }
}
