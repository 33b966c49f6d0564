import Platform
import Sessions
import Text
import Translation

/// The report of `list` on the recordings below folders.
struct RecordingListReport: Sendable {
    /// A recording that was found.
    struct Line: Sendable {
        let found: FoundRecording
        let byteCount: Int
        /// The content of the recording, or why it cannot be read.
        let facts: Result<RecordingFacts, Unopened>

        /// Opens the recording and closes it again.
        ///
        /// - Throws: a `CancellationError`.
        init(_ found: FoundRecording, _ options: OpenOptions) throws {
            self.found = found
            byteCount = found.byteCount()
            do {
                let session = try SessionFormats.open(path: found.path, options: options.assumptions)
                facts = .success(RecordingFacts(OpenedRecording(session, options.clock)))
            } catch {
                facts = .failure(Unopened(reason: "\(error)"))
            }
            // What was not read to its end is not told.
            try Task.checkCancellation()
        }

        fileprivate var read: RecordingFacts? { try? facts.get() }

        fileprivate var json: JSONValue {
            var members = [("path", found.path.json), ("bytes", byteCount.json)]
            members +=
                read?.members ?? [
                    ("format", found.format.json), ("verdict", verdict.word.rawValue.json),
                    ("looked_at", verdict.examined.json),
                ]
            if case .failure(let error) = facts { return .object(members + [("error", error.reason.json)]) }
            return .object(members + [("error", .null)])
        }

        fileprivate var verdict: Verdict {
            switch facts {
            case .success(let facts): facts.verdict
            case .failure(let error): Verdict(errors: 1, worst: error.reason, examined: "nothing can be read")
            }
        }
    }

    struct Unopened: Error {
        var reason: String
    }

    let folders: [String]
    let findings: RecordingFindings
    let lines: [Line]

    var report: Report {
        var report = Report()
        report.say(table.textOfRows)
        report.say(findings.unreadable.map { "not looked into: \($0.path): \($0.reason)".asOneLine })
        report.say(totals)
        report.json([
            "folders": folders, "recordings": lines.map(\.json),
            "unreadable": findings.unreadable,
            "damaged": damagedCount, "unopened": unopenedCount, "other_archives": findings.otherArchiveCount,
            "folders_seen": findings.folderCount, "bytes": byteCount,
        ])
        report.note = shortfall.map { "mapeverything: list: \($0)" }
        report.ending = !lines.isEmpty && unopenedCount == lines.count ? ExitStatus.badData : nil
        report.hasLosses = shortfall != nil || damagedCount > 0
        return report
    }

    private var table: Table<Line> {
        func yes(_ value: Bool?) -> Cell { Cell(value.map { $0 ? "yes" : "no" } ?? "-") }
        return Table(
            [
                .left("recording") { .string($0.found.path) },
                .left("format") { .string($0.read?.format ?? $0.found.format ?? "-") },
                .left("device") { .string($0.read?.device ?? "-") }.detail,
                .left("start") { .string($0.read?.start.map { CalendarText.utc(nanoseconds: $0) } ?? "-") }.whole,
                .right("duration") { .string($0.read.map { Format.seconds($0.durationSeconds) } ?? "-") },
                .right("frames") { .string($0.read.map { "\($0.frameCount)" } ?? "-") },
                .left("depth") { yes($0.read?.hasDepth) }.detail, .left("imu") { yes($0.read?.hasMotion) }.detail,
                .left("gps") { yes($0.read.map { $0.fixCount > 0 }) }.detail, .right("size") { .bytes($0.byteCount) },
                .left("verdict") { .string($0.verdict.sentence) }.sentence,
            ],
            lines
        )
    }

    private var totals: String {
        let parts = [
            (damagedCount, "damaged"), (unopenedCount, "that cannot be read"),
            (findings.otherArchiveCount, "archives without a recording"),
            (findings.unreadable.count, "not looked into"),
        ]
        return "\(lines.count) recordings, \(Format.bytes(byteCount)), in \(findings.folderCount) folders"
            + parts.filter { $0.0 > 0 }.map { "; \($0.0) \($0.1)" }.joined()
    }

    private var byteCount: Int { lines.reduce(0) { $0 + $1.byteCount } }
    private var damagedCount: Int { lines.count { $0.read?.verdict.word == .damaged } }
    private var unopenedCount: Int { lines.count { $0.read == nil } }

    /// The recordings and folders that could not be read, in words; nil where all could.
    private var shortfall: String? {
        let parts = [
            unopenedCount > 0 ? "\(unopenedCount) of \(lines.count) recordings cannot be read" : nil,
            findings.unreadable.isEmpty ? nil : "\(findings.unreadable.count) places were not looked into",
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}
