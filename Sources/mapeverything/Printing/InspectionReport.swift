import Platform
import Playback
import Recording
import Sessions
import Text
import Translation

extension Report {
    /// The report of `inspect` on a session.
    init(_ setup: ReplaySetup, _ inspection: Inspection) {
        json("kind", "session")
        let facts = InspectionFacts(setup: setup, inspection: inspection).all
        say(facts.map(\.asOneLine).text)
        for (key, value) in facts.members { json(key, value) }
        let topics = Self.topics(inspection)
        let isEstimated = inspection.topics.contains(where: \.isEstimated)
        say(topics.text + (isEstimated ? "\n~ scaled up from a few frames; --exact measures all" : ""))
        json("topics", topics.json)
        let clouds = setup.clouds(inspection.counts)
        let remark = isEstimated ? "\nof the frames looked at; --exact counts all" : ""
        if !clouds.rows.isEmpty { say(clouds.text + remark) }
        addUnpublished(of: setup, inspection.topics.map(\.statistics), inspection.counts)
        say(Format.warnings(setup.warnings))
        let none = "no problem found in what was read; check reads every image and depth map"
        add(inspection.diagnostics, inspection.counts, none: none)
        json([
            "left_out": JSONValue.object(inspection.counts.facts.members), "clouds": clouds.json,
            "warnings": setup.warnings,
        ])
        hasLosses = inspection.verdict.word == .damaged || !setup.warnings.isEmpty
    }

    /// The topics, with sizes and rates that may be estimated.
    private static func topics(_ inspection: Inspection) -> Table<Inspection.TopicLine> {
        func frames(_ names: [String]) -> String {
            (names.first ?? "") + (names.count > 1 ? " and \(names.count - 1) more" : "")
        }
        return Table(
            [
                .left("topic", "name") { .string($0.statistics.name) },
                .left("type", "type") { .string($0.statistics.typeName) }.types,
                .left("frame_id", "frame_ids") { Cell(frames($0.frameIDs), .strings($0.frameIDs)) }.detail,
                .right("count", "count") { .count($0.statistics.count) },
                .right("Hz asked", "rate_asked_hz") { .number($0.rateAskedHertz) }.detail,
                .right("Hz", "rate_hz") { .number($0.statistics.rateHertz) },
                .right("size", "bytes") { Cell.bytes($0.statistics.bytes).marked($0.isEstimated) },
                .json("bytes_are_estimated") { $0.isEstimated },
                .right("Mbit/s", "mbit_per_s") { line in
                    let rate = line.statistics.megabitsPerSecond
                    return Cell.number(rate).marked(line.isEstimated && rate != nil)
                }.detail,
                .right("largest gap", "largest_gap_s") { $0.statistics.largestGap }.detail,
            ],
            inspection.topics
        )
    }
}

extension Cell {
    /// The cell with the mark of an estimate in its text.
    fileprivate func marked(_ isEstimated: Bool) -> Cell { isEstimated ? Cell("~" + text, json) : self }
}

/// The facts at the head of the report of `inspect`, and most of its JSON.
struct InspectionFacts {
    let setup: ReplaySetup
    let inspection: Inspection

    private var summary: SessionSummary { setup.session.summary }
    private var alignment: StreamAlignment { inspection.alignment }

    var all: [Fact] { origin + streams + places }

    private var origin: [Fact] {
        let generation = summary.generation.map { ", generation \($0)" } ?? ""
        let session = "\(summary.name) (\(summary.format) layout\(generation))"
        let device = [summary.deviceModel, summary.osVersion].compactMap { $0 }.joined(separator: ", ")
        return [
            Fact("session", session, "session", summary.name), .json("format", summary.format),
            Fact("verdict", inspection.verdict.sentence, "verdict", inspection.verdict.word.rawValue),
            .json("looked_at", inspection.verdict.examined),
            .json("generation", summary.generation),
            Fact("device", device, "device", summary.deviceModel), .json("os", summary.osVersion),
            Fact("clock", setup.clock, "epoch", setup.anchor.json),
            .json("first_stamp_ns", setup.anchor.stamp(summary.firstTime)),
            Fact("duration", duration, "duration_s", summary.durationSeconds),
            Fact("frames", frames, "frames", summary.frameCount),
            .json("median_interval_s", summary.medianIntervalSeconds),
            .json("largest_gap_s", summary.largestGapSeconds), .json("image_size", json(summary.sensorSize)),
        ]
    }

    private var streams: [Fact] {
        let tracking = summary.tracking.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 }
        let shares = tracking.map { "\($0) \(Format.percent(Double($1) / Double(max(1, summary.lineCount))))" }
        let share = Format.share(inspection.framesWithImage, of: summary.frameCount)
        let source = summary.hasImages ? summary.imageSource.map { ", from \($0)" } ?? "" : ""
        return [
            Fact("orientation", orientation, "orientations", .object(sorted: summary.orientations) { .integer($0) }),
            .json("orientation_changes", summary.orientationChanges),
            Fact("tracking", shares.joined(separator: ", "), "tracking", .object(tracking.map { ($0, .integer($1)) })),
            Fact("images", isAbsent(.images) ?? share + source, "frames_with_image", inspection.framesWithImage),
            .json("image_source", summary.imageSource), .json("files", files),
            Fact("intrinsics", intrinsics, "intrinsics", intrinsicsJSON), Fact("missing", missing),
            .json("missing_frames", alignment.frames.missingCount),
            .json("missing_imu_samples", alignment.motion.missingCount), Fact("alignment", distance),
            .json("frame_to_imu_median_s", alignment.frameToMotion.medianSeconds),
            .json("frame_to_imu_largest_s", alignment.frameToMotion.largestSeconds),
            Fact("depth", depth, "frames_with_depth", inspection.framesWithDepth),
            Fact("relative depth", relativeDepth, "frames_with_relative_depth", inspection.framesWithRelativeDepth),
            .json("depth_size", json(inspection.depthSizes.first)),
            .json("metadata_depth_size", json(summary.metadataDepthSize)),
            .json("relative_depth_size", json(inspection.relativeDepthSizes.first)),
            .json("metadata_relative_depth_size", json(summary.metadataRelativeDepthSize)),
            .json("valid_depth_share", inspection.depth.valid),
            .json("confidence_shares", inspection.depth.confidence),
            .json("sampled_frames", inspection.depth.sampledFrames), Fact("imu", motion, "imu", motionJSON),
            Fact("gravity", gravity), Fact("attitude", attitude),
        ]
    }

    /// How many frames should have files of each kind, and how many have.
    private var files: JSONValue {
        .object(
            summary.payloads.sorted { $0.key < $1.key }.map { kind, account in
                (kind.rawValue, .of(["expected": account.expected, "found": account.found]))
            }
        )
    }

    /// `none of 30` where all files of a kind are missing.
    private func isAbsent(_ kind: PayloadKind) -> String? {
        summary.payloads[kind].flatMap { $0.isAbsent ? $0.text : nil }
    }

    private var places: [Fact] {
        let georeference = setup.georeference
        let profile = setup.plan.profile
        let policy = profile.axes.rawValue
        return [
            Fact("heading", georeference.heading.text), Fact("gps", location, "gps_fixes", summary.location.count),
            Fact("altitude", georeference.heightless.map { "NaN: \($0)" } ?? ""),
            Fact("track", georeference.alignment?.text ?? "", "georeference", georeference.json),
            Fact("terrain", inspection.terrain?.text ?? "", "terrain", inspection.terrain?.json ?? .null),
            Fact("profile", "\(profile.name), \(policy) frames", "profile", profile.name),
            .json("frames_policy", policy),
        ]
    }

    private func json(_ size: GridSize?) -> JSONValue {
        size.map { [.integer($0.width), .integer($0.height)] } ?? .null
    }

    /// The number of missing frames and samples, by the gaps in their times.
    private var missing: String {
        let samples = alignment.motion.count > 0 ? ", \(alignment.motion.missingCount) IMU samples" : ""
        return "\(alignment.frames.missingCount) frames\(samples) by the gaps in their times"
    }

    private var distance: String {
        guard let median = alignment.frameToMotion.medianSeconds, let largest = alignment.frameToMotion.largestSeconds
        else { return "" }
        let texts = [median, largest].map { Format.number(1000 * $0, decimals: 1) }
        return "frame to nearest IMU sample: median \(texts[0]) ms, largest \(texts[1]) ms"
    }

    private var intrinsics: String {
        guard let (low, high) = alignment.intrinsics else { return "" }
        let texts = zip(["fx", "fy", "cx", "cy"], zip(low, high)).map { name, range in
            let values = [range.0, range.1].map { Format.number($0, decimals: 1) }
            return "\(name) \(values[0] == values[1] ? values[0] : "\(values[0]) to \(values[1])")"
        }
        return texts.joined(separator: ", ") + " pixels"
    }

    private var intrinsicsJSON: JSONValue {
        guard let (low, high) = alignment.intrinsics else { return .null }
        return .object(zip(["fx", "fy", "cx", "cy"], zip(low, high)).map { ($0, [.number($1.0), .number($1.1)]) })
    }

    /// The samples of the IMU, and how well they agree with the camera's poses.
    private var motionJSON: JSONValue {
        let (gravity, attitude) = (inspection.gravity, inspection.attitude)
        return .of([
            "source": summary.motionSource.rawValue, "samples": inspection.motionSamples,
            "rate_hz": inspection.motionRateHertz, "gravity_median_degrees": gravity.medianDegrees,
            "gravity_contradicting_share": gravity.contradictingShare,
            "attitude_direction": attitude.count == 0 ? nil : attitude.direction.rawValue,
            "attitude_residual_g": attitude.residual,
            "attitude_contradicting_share": attitude.contradictingShare,
        ])
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
        if summary.orientations.isEmpty { return "no images" }
        let counts = summary.orientations.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let changes = summary.orientationChanges
        return counts.joined(separator: ", ") + (changes > 0 ? "; \(changes) changes" : "")
    }

    private var depth: String {
        guard summary.hasDepth else { return isAbsent(.depth) ?? "none" }
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
        let name = check.separatesGravity ? "IMU" : "IMU (gravity not apart from the hand's acceleration)"
        return "\(name) and camera pose \(verdict): median \(Format.number(degrees, decimals: 2)) degrees" + share
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
            ?? "origin at \(georeference.place)"
        return "\(summary.location.count) fixes, \(place)"
    }
}
