import Earth
import JSONText
import Recording
import Replay
import Sessions

extension InspectionReport {
    private var summary: SessionSummary { setup.session.summary }

    /// The head of the text, and most of the JSON.
    var facts: [Fact] { origin + streams + places }

    private var origin: [Fact] {
        let generation = summary.generation.map { ", generation \($0)" } ?? ""
        let session = "\(summary.name) (\(summary.format) layout\(generation))"
        let device = [summary.deviceModel, summary.osVersion].compactMap { $0 }.joined(separator: ", ")
        return [
            Fact("session", session, "session", .string(summary.name)),
            .json("format", .string(summary.format)), .json("generation", .integer(summary.generation)),
            Fact("device", device, "device", .string(summary.deviceModel)), .json("os", .string(summary.osVersion)),
            Fact("clock", clock, "epoch", SessionJSON.anchor(setup.anchor)),
            .json("first_stamp_ns", .integer(setup.anchor.stamp(summary.firstTime))),
            Fact("duration", duration, "duration_s", .number(summary.durationSeconds)),
            Fact("frames", frames, "frames", .integer(summary.frameCount)),
            .json("median_interval_s", .number(summary.medianIntervalSeconds)),
            .json("largest_gap_s", .number(summary.largestGapSeconds)), .json("image_size", json(summary.sensorSize)),
        ]
    }

    private var streams: [Fact] {
        let tracking = summary.tracking.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 }
        let relative = inspection.framesWithRelativeDepth
        let shares = tracking.map { "\($0) \(Format.percent(Double($1) / Double(max(1, summary.lineCount))))" }
        let share = Format.share(inspection.framesWithImage, of: summary.frameCount)
        let source = summary.hasImages ? summary.imageSource.map { ", from \($0)" } ?? "" : ""
        let images = isAbsent(.images) ?? share + source
        return [
            Fact("orientation", orientation, "orientations", .object(sorted: summary.orientations) { .integer($0) }),
            .json("orientation_changes", .integer(summary.orientationChanges)),
            Fact("tracking", shares.joined(separator: ", "), "tracking", .object(tracking.map { ($0, .integer($1)) })),
            Fact("images", images, "frames_with_image", .integer(inspection.framesWithImage)),
            .json("image_source", summary.imageSource.map { .string($0) } ?? .null), .json("files", files),
        ] + InspectionAlignment(inspection.alignment).facts + [
            Fact("depth", depth, "frames_with_depth", .integer(inspection.framesWithDepth)),
            Fact("relative depth", relativeDepth, "frames_with_relative_depth", .integer(relative)),
            .json("depth_size", json(inspection.depthSizes.first)),
            .json("metadata_depth_size", json(summary.metadataDepthSize)),
            .json("relative_depth_size", json(inspection.relativeDepthSizes.first)),
            .json("metadata_relative_depth_size", json(summary.metadataRelativeDepthSize)),
            .json("valid_depth_share", .number(inspection.depth.valid)),
            .json("confidence_shares", .array(inspection.depth.confidence.map { .number($0) })),
            .json("sampled_frames", .integer(inspection.depth.sampledFrames)),
            Fact("imu", motion, "imu", SessionJSON.motion(summary.motionSource, inspection)),
            Fact("gravity", gravity), Fact("attitude", attitude),
        ]
    }

    /// How many frames should have files of each kind, and how many have.
    private var files: JSONValue {
        let accounts = summary.payloads.sorted { $0.key < $1.key }
        return .object(
            accounts.map { kind, account in
                (kind.rawValue, ["expected": .integer(account.expected), "found": .integer(account.found)])
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
        return [
            Fact("heading", georeference.heading.text),
            Fact("gps", location, "gps_fixes", .integer(summary.location.count)),
            Fact(
                "track",
                SessionText.track(georeference.alignment),
                "georeference",
                SessionJSON.georeference(georeference)
            ),
            Fact(
                "terrain",
                SessionText.terrain(inspection.terrain),
                "terrain",
                SessionJSON.terrain(inspection.terrain)
            ),
            Fact("profile", "\(profile.name), \(profile.frames.rawValue) frames", "profile", .string(profile.name)),
            .json("frames_policy", .string(profile.frames.rawValue)),
        ]
    }

    private func json(_ size: GridSize?) -> JSONValue {
        size.map { [.integer($0.width), .integer($0.height)] } ?? .null
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
            ?? "origin at \(SessionText.place(georeference))"
        return "\(summary.location.count) fixes, \(place)"
    }
}
