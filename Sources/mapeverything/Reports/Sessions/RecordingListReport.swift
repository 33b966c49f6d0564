import JSONText
import Replay
import Sessions

/// What `list` says of the recordings below folders.
struct RecordingListReport: Sendable {
    /// A recording that was found.
    struct Line: Sendable {
        let found: FoundRecording
        let byteCount: Int
        /// What it holds, or why it cannot be read.
        let facts: Result<RecordingFacts, Unopened>

        /// Opens the recording and closes it again.
        init(_ found: FoundRecording, zoneOffset: (CalendarDate) -> Int64?) {
            self.found = found
            byteCount = found.byteCount()
            do {
                var options = OpeningOptions()
                options.copiesVideos = false
                let session = try SessionFormats.open(path: found.path, options: options)
                facts = .success(RecordingFacts(session, zoneOffset: zoneOffset))
            } catch {
                facts = .failure(Unopened(reason: "\(error)"))
            }
        }

        fileprivate var read: RecordingFacts? { try? facts.get() }

        fileprivate var reason: String? {
            if case .failure(let error) = facts { return error.reason }
            return nil
        }

        fileprivate var damage: String {
            switch facts {
            case .success(let facts) where facts.lostCount > 0:
                "\(facts.lostCount) lost" + (facts.firstLoss.map { ": \($0)" } ?? "")
            case .success(let facts): facts.noticeCount > 0 ? "\(facts.noticeCount) to note" : ""
            case .failure(let error): error.reason
            }
        }
    }

    struct Unopened: Error {
        var reason: String
    }

    let folders: [String]
    let findings: RecordingFindings
    let lines: [Line]

    var text: String {
        let notes = findings.unreadable.map { "not looked into: \($0.path): \($0.reason)".asOneLine }
        return [table.textOfRows, notes.joined(separator: "\n"), totals].filter { !$0.isEmpty }
            .joined(separator: "\n\n")
    }

    var json: JSONValue {
        [
            "folders": .strings(folders), "recordings": .array(lines.map(Self.json)),
            "unreadable": .array(findings.unreadable.map { ["path": .string($0.path), "reason": .string($0.reason)] }),
            "damaged": .integer(damagedCount), "unopened": .integer(unopenedCount),
            "other_archives": .integer(findings.otherArchiveCount), "folders_seen": .integer(findings.folderCount),
            "bytes": .integer(byteCount),
        ]
    }

    private static func json(_ line: Line) -> JSONValue {
        var members: [(String, JSONValue)] = [("path", .string(line.found.path)), ("bytes", .integer(line.byteCount))]
        members += line.read?.members ?? [("format", .string(line.found.format))]
        return .object(members + [("error", .string(line.reason))])
    }

    private var table: Table<Line> {
        func yes(_ value: Bool?) -> Cell { Cell(value.map { $0 ? "yes" : "no" } ?? "-") }
        return Table(
            [
                .left("recording") { .string($0.found.path) },
                .left("format") { .string($0.read?.format ?? $0.found.format ?? "-") },
                .left("device") { .string($0.read?.device ?? "-") },
                .left("start") { .string($0.read?.start.map { CalendarText.utc(nanoseconds: $0) } ?? "-") },
                .right("duration") { .string($0.read.map { Format.seconds($0.durationSeconds) } ?? "-") },
                .right("frames") { .string($0.read.map { "\($0.frameCount)" } ?? "-") },
                .left("depth") { yes($0.read?.hasDepth) }, .left("imu") { yes($0.read?.hasMotion) },
                .left("gps") { yes($0.read.map { $0.fixCount > 0 }) }, .right("size") { .bytes($0.byteCount) },
                .left("damage") { .string($0.damage) },
            ],
            lines
        )
    }

    private var totals: String {
        var parts = ["\(lines.count) recordings, \(Format.bytes(byteCount)), in \(findings.folderCount) folders"]
        if damagedCount > 0 { parts.append("\(damagedCount) with something lost") }
        if unopenedCount > 0 { parts.append("\(unopenedCount) that cannot be read") }
        if findings.otherArchiveCount > 0 {
            parts.append("\(findings.otherArchiveCount) archives without a recording")
        }
        if !findings.unreadable.isEmpty { parts.append("\(findings.unreadable.count) not looked into") }
        return parts.joined(separator: "; ")
    }

    private var byteCount: Int { lines.reduce(0) { $0 + $1.byteCount } }
    var damagedCount: Int { lines.count { ($0.read?.lostCount ?? 0) > 0 } }
    var unopenedCount: Int { lines.count { $0.read == nil } }

    /// What could not be read, in words; `nil` where all could.
    var shortfall: String? {
        let parts = [
            unopenedCount > 0 ? "\(unopenedCount) of \(lines.count) recordings cannot be read" : nil,
            findings.unreadable.isEmpty ? nil : "\(findings.unreadable.count) places were not looked into",
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}
