import JSONText
import Recording
import Replay
import Sessions
import Trimming

/// What became of a session that was trimmed: printed for people or machines, and the exit status.
struct TrimOutcome {
    private let facts: [Fact]
    private let problems: String
    private let hasLosses: Bool

    init(_ report: TrimReport, of source: SessionSummary, path: String) {
        problems = SessionText.problems(report.diagnostics, ReplayCounts())
        hasLosses =
            report.diagnostics.lostCount > 0 || report.impossibleSamples > 0
            || report.counts[.impossibleTime] > 0
        let dropped = FrameVerdict.allCases.filter { $0.text != nil }
        let seconds = (report.lastTime ?? source.firstTime).seconds(since: report.firstTime ?? source.firstTime)
        facts =
            [
                Fact("session", path, "session", .string(path)),
                Fact("from", "\(source.name) (\(source.format))", "format", .string(source.format)),
                Fact("frames", Self.sum(report), "frames", .integer(report.framesKept)),
                .json("frames_in", .integer(report.framesIn)),
                Fact("length", "\(Format.number(seconds, decimals: 1)) s", "duration_s", .number(seconds)),
            ]
            + dropped.map { Self.count("left out", report.counts[$0], $0.text ?? "", $0.rawValue) } + [
                Self.count("pictures", report.pictures, "", "pictures"),
                Self.count(
                    "note",
                    report.encodedPictures,
                    "pictures were not JPEG and were encoded as such",
                    "encoded_pictures"
                ),
                Self.count("depth", report.depthMaps, "", "depth"),
                Self.count("confidence", report.confidenceMaps, "", "confidence"),
                Self.count("relative depth", report.relativeDepthMaps, "", "relative_depth"),
                Fact("payloads", report.payloadBytes == 0 ? "" : Format.bytes(report.payloadBytes)),
                .json("payload_bytes", .integer(report.payloadBytes)),
            ] + Self.samples(report) + [
                Self.count("left out", report.impossibleSamples, "samples of times below 0", "impossible_samples"),
                Self.count(
                    "note",
                    report.unknownSharpness,
                    "frames have no picture to tell their sharpness, and passed --min-sharpness",
                    "unknown_sharpness"
                ),
                Fact("note", report.leavesTiles ? "map tiles stay with the source" : ""),
                .json("leaves_tiles", .bool(report.leavesTiles)), Self.clock(report),
                .json("problems", SessionJSON.problems(report.diagnostics)),
            ]
    }

    func finish(json: Bool, _ reporting: ReportingOptions) throws {
        let value = JSONValue.object(facts.members)
        try ReportFile.write(value, to: reporting.report)
        let text = problems.isEmpty ? facts.text : facts.text + "\n\n" + problems
        Terminal.print(json ? value.text(style: .pretty) : text)
        if reporting.strict, hasLosses { throw ExitStatus.lossy }
    }

    private static func sum(_ report: TrimReport) -> String {
        let out = report.framesIn - report.framesKept
        return "\(report.framesIn) in = \(report.framesKept) kept + \(out) left out"
    }

    private static func count(_ title: String, _ count: Int, _ text: String, _ key: String) -> Fact {
        Fact(title, count == 0 ? "" : text.isEmpty ? "\(count)" : "\(count) \(text)", key, .integer(count))
    }

    private static func samples(_ report: TrimReport) -> [Fact] {
        let streams: [(RecordStream, String, String)] = [
            (.motion, "IMU samples", "imu_samples"), (.location, "location fixes", "gps_fixes"),
            (.heading, "compass readings", "headings"), (.radio, "observations of radios", "radio_observations"),
            (.indoor, "indoor positions", "indoor_positions"),
        ]
        return streams.map { count("samples", report.samples[$0, default: 0], $1, $2) }
    }

    /// What is known of the wall clock, and what is not carried over.
    private static func clock(_ report: TrimReport) -> Fact {
        let source = report.anchor.map { $0.source.rawValue } ?? ""
        let text =
            report.hasWallClock
            ? "from \(source)" : "not carried over: \(source)\(report.anchor?.remark.map { " (\($0))" } ?? "")"
        return Fact("wall clock", text, "has_wall_clock", .bool(report.hasWallClock))
    }
}

extension FrameVerdict {
    /// `nil` for what a trim never says of a frame that it leaves out.
    fileprivate var text: String? {
        switch self {
        case .kept, .withoutImage, .repeated: nil
        case .impossibleTime: "frames of times below 0"
        case .limitedTracking: "frames of limited tracking (--keep-limited-tracking keeps them)"
        case .blurred: "frames below --min-sharpness"
        case .fast: "frames above --max-speed or --max-turn"
        case .early: "frames above --rate"
        case .near: "frames nearer than --min-distance and --min-angle"
        case .passedOver: "frames between those of --every"
        }
    }
}
