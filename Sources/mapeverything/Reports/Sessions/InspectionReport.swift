import Earth
import JSONText
import Playback
import Recording
import Replay
import Sessions

/// What `inspect` says of a session.
struct InspectionReport {
    let setup: ReplaySetup
    let inspection: Inspection

    private var summary: SessionSummary { setup.session.summary }

    var text: String {
        var sections = [head, table]
        if !clouds.isEmpty { sections.append(clouds) }
        if !inspection.absent.isEmpty { sections.append(SessionText.absent(inspection.absent)) }
        if !setup.warnings.isEmpty { sections.append(Format.warnings(setup.warnings)) }
        let problems = SessionText.problems(inspection.diagnostics, inspection.counts)
        sections.append(problems.isEmpty ? "no problem found" : problems)
        return sections.joined(separator: "\n\n")
    }

    private var clouds: String {
        let text = CloudFilterTable.text(setup, inspection.counts)
        let isSampled = inspection.topics.contains(where: \.isEstimated)
        return text.isEmpty || !isSampled ? text : text + "\nof the frames looked at; --exact counts all"
    }

    /// One fact a line, the label in a column of its own.
    private var head: String {
        let facts = [
            ("session", "\(summary.name) (\(summary.format) layout, generation \(summary.generation))"),
            ("device", [summary.deviceModel, summary.osVersion].compactMap { $0 }.joined(separator: ", ")),
            ("clock", clock),
            ("duration", duration),
            ("frames", frames),
            ("orientation", orientation),
            ("tracking", tracking),
            ("images", Format.share(inspection.framesWithImage, of: summary.frameCount)),
            ("depth", depth),
            ("relative depth", relativeDepth),
            ("imu", motion),
            ("gravity", gravity),
            ("attitude", attitude),
            ("heading", setup.georeference.heading.text),
            ("gps", location),
            ("track", SessionText.track(setup.georeference.alignment)),
            ("profile", "\(setup.plan.profile.name), \(setup.plan.profile.frames.rawValue) frames"),
        ]
        return facts.filter { !$0.1.isEmpty }
            .map { $0.0 + String(repeating: " ", count: 16 - $0.0.count) + $0.1.asOneLine }
            .joined(separator: "\n")
    }

    private var clock: String {
        let anchor = setup.anchor
        let first = anchor.stamp(summary.firstTime)
        let time = anchor.source == .boot ? "" : "first frame at \(CalendarText.utc(nanoseconds: first)), from "
        return time + anchor.source.rawValue + (anchor.remark.map { " (\($0))" } ?? "")
    }

    private var duration: String {
        var text = Format.number(summary.durationSeconds, decimals: 3) + " s"
        if let start = summary.largestGapStart {
            let at = start.seconds(since: summary.firstTime)
            text += ", largest gap \(Format.number(summary.largestGapSeconds, decimals: 3)) s at \(Format.seconds(at))"
        }
        return text
    }

    private var frames: String {
        var text = "\(summary.frameCount)"
        if let interval = summary.medianIntervalSeconds {
            text += ", usually \(Format.number(1 / interval, decimals: 1)) a second"
        }
        if let size = summary.sensorSize { text += ", \(size.width)x\(size.height)" }
        return text
    }

    private var orientation: String {
        let counts = summary.orientations.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let changes = summary.orientationChanges
        return counts.joined(separator: ", ") + (changes > 0 ? "; \(changes) changes" : "")
    }

    private var tracking: String {
        summary.tracking.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.key.rawValue) \(Format.percent(Double($0.value) / Double(max(1, summary.lineCount))))" }
            .joined(separator: ", ")
    }

    private var depth: String {
        guard summary.hasDepth else { return "none" }
        var text = Format.share(inspection.framesWithDepth, of: summary.frameCount)
        text += sizes(inspection.depthSizes, metadata: summary.metadataDepthSize)
        let shares = inspection.depth
        guard shares.sampledFrames > 0 else { return text }
        text += ", \(Format.percent(shares.valid)) of pixels valid"
        if shares.confidence.count == 3 {
            let parts = zip(["low", "medium", "high"], shares.confidence).map { "\($0) \(Format.percent($1))" }
            text += ", confidence " + parts.joined(separator: ", ")
        } else {
            text += ", no confidence"
        }
        return text + " (\(shares.sampledFrames) frames looked at)"
    }

    private var relativeDepth: String {
        guard summary.hasRelativeDepth else { return "" }
        var text = Format.share(inspection.framesWithRelativeDepth, of: summary.frameCount)
        text += sizes(inspection.relativeDepthSizes, metadata: summary.metadataRelativeDepthSize)
        text += ", \(summary.relativeDepthKind.rawValue)"
        return text + (summary.relativeDepthModel.map { ", \($0)" } ?? "")
    }

    /// The sizes that are used, and that of metadata.json where it is another.
    private func sizes(_ used: [GridSize], metadata: GridSize?) -> String {
        let text = used.map { ", \($0.width)x\($0.height)" }.joined()
        guard let metadata, used != [metadata] else { return text }
        return text + " (metadata.json says \(metadata.width)x\(metadata.height))"
    }

    private var motion: String {
        guard summary.motionSource != .none else { return "none" }
        let rate = inspection.motionRateHertz.map { ", \(Format.number($0, decimals: 1)) Hz" } ?? ""
        return "\(inspection.motionSamples) samples\(rate), from \(summary.motionSource.rawValue)"
    }

    private var gravity: String {
        guard let degrees = inspection.gravity.medianDegrees else { return "" }
        let check = inspection.gravity
        let verdict = check.agrees ? "agree" : "DISAGREE"
        let share = check.agrees ? "" : contradicting(check.contradictingShare, "\(GravityCheck.contradictionDegrees)")
        return "IMU and camera pose \(verdict): median \(Format.number(degrees, decimals: 2)) degrees" + share
    }

    private var attitude: String {
        guard let residual = inspection.attitude.residual else { return "" }
        let check = inspection.attitude
        let verdict = check.agrees ? "agree" : "DISAGREE"
        let share = check.agrees ? "" : contradicting(check.contradictingShare, "\(AttitudeCheck.limit)")
        return "attitude (\(check.direction.rawValue)) and gravity \(verdict): "
            + "median \(Format.number(residual, decimals: 4)) g" + share
    }

    private func contradicting(_ share: Double, _ limit: String) -> String {
        ", more than \(limit) in \(Format.number(100 * share, decimals: 1)) % of the samples"
    }

    private var location: String {
        guard summary.location.count > 0 else { return "none" }
        let georeference = setup.georeference
        let place =
            georeference.reasonForAbsence.map { "no earth -> map: \($0)" }
            ?? "origin at \(SessionText.place(georeference))"
        return "\(summary.location.count) fixes, \(place)"
    }

    private static func frameText(_ frameIDs: [String]) -> String {
        (frameIDs.first ?? "") + (frameIDs.count > 1 ? " and \(frameIDs.count - 1) more" : "")
    }

    /// The topics, with sizes and rates that may be estimated.
    var topics: Table<Inspection.TopicLine> {
        Table(
            [
                .left("topic", "name") { .string($0.statistics.name) },
                .left("type", "type") { .string($0.statistics.typeName) },
                .left("frame_id", "frame_ids") { Cell(Self.frameText($0.frameIDs), .strings($0.frameIDs)) },
                .right("count", "count") { .count($0.statistics.count) },
                .right("Hz asked", "rate_asked_hz") { .number($0.rateAskedHertz) },
                .right("Hz", "rate_hz") { .number($0.statistics.rateHertz) },
                .right("size", "bytes") { Cell.bytes($0.statistics.bytes).marked($0.isEstimated) },
                .json("bytes_are_estimated") { .bool($0.isEstimated) },
                .right("Mbit/s", "mbit_per_s") { line in
                    Cell.number(line.statistics.megabitsPerSecond)
                        .marked(line.isEstimated && line.statistics.megabitsPerSecond != nil)
                },
                .right("largest gap", "largest_gap_s") { $0.statistics.largestGap },
            ],
            inspection.topics
        )
    }

    private var table: String {
        let hasEstimates = inspection.topics.contains(where: \.isEstimated)
        return topics.text + (hasEstimates ? "\n~ scaled up from a few frames; --exact measures all" : "")
    }
}

extension Cell {
    /// The cell with the mark of an estimate in its text.
    fileprivate func marked(_ isEstimated: Bool) -> Cell { isEstimated ? Cell("~" + text, json) : self }
}
