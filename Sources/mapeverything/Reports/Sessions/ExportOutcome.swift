import Exports
import JSONText
import Replay
import Sessions

/// What became of a session on the way into an export: printed for people or machines, and the exit status.
struct ExportOutcome {
    private let facts: [Fact]
    private let problems: String
    private let readme: String
    private let hasLosses: Bool

    init(_ report: FrameExportReport, format: FrameFormat, path: String) {
        var leftOut = ReplayCounts()
        leftOut.limitedTracking = report.limitedTracking
        problems = SessionText.problems(report.diagnostics, leftOut)
        readme = report.readme.filter { $0.hasPrefix("  ") }.joined(separator: "\n")
            .replacing("THIS_FOLDER", with: path)
        hasLosses =
            report.diagnostics.lostCount > 0 || report.unusableImages > 0 || report.unusableDepth > 0
            || report.counts[.withoutImage] > 0 || report.counts[.repeated] > 0
        let counts = report.counts
        facts = [
            Fact("export", "\(path) (\(format.name))", "export", .string(path)),
            .json("format", .string(format.name)),
            Fact("views", "\(report.viewCount) of \(counts.trusted) frames", "views", .integer(report.viewCount)),
            .json("frames", .integer(counts.trusted)),
            Self.count("left out", counts.notSelected, "frames that were not selected", "not_selected"),
            Self.count("left out", counts[.withoutImage], "frames without an image", "without_image"),
            Self.count("left out", counts[.blurred], "frames below --min-sharpness", "not_sharp"),
            Self.count(
                "left out",
                counts[.repeated],
                "frames of a time or a number that was there before",
                "repeated"
            ),
            Self.count("left out", report.unusableImages, "frames whose image cannot be used", "unusable_images"),
            Self.count("left out", report.unusableDepth, "frames without depth that can be used", "unusable_depth"),
            Self.count("no depth", report.viewsWithoutDepth, "views have an empty depth image", "views_without_depth"),
            Fact("images", report.imageBytes == 0 ? "" : Format.bytes(report.imageBytes)),
            .json("image_bytes", .integer(report.imageBytes)),
            Fact("depth", report.depthBytes == 0 ? "" : Format.bytes(report.depthBytes)),
            .json("depth_bytes", .integer(report.depthBytes)),
            Self.count(
                "left out",
                report.depthPixels.dropped,
                "of \(report.depthPixels.known) depth pixels, by confidence, distance and edges",
                "depth_pixels_left_out"
            ),
            .json("depth_pixels", .integer(report.depthPixels.kept)),
            Self.count("points", report.pointCount, "of the LiDAR surface", "points"),
            Self.count("gaps", report.gapCount, "of more than half a second between views", "gaps"),
            Self.count("jumps", counts.jumpCount, "poses moved faster than 3 m/s", "pose_jumps"),
            Fact("self-test", Self.text(report.selfTest), "self_test", report.selfTest.json),
            .json("left_out", .object(SessionFacts.leftOut(leftOut).members)),
            .json("problems", SessionJSON.problems(report.diagnostics)),
        ]
    }

    func finish(json: Bool, _ reporting: ReportingOptions) throws {
        let value = JSONValue.object(facts.members)
        try ReportFile.write(value, to: reporting.report)
        var sections = [facts.text]
        if !problems.isEmpty { sections.append(problems) }
        if !readme.isEmpty { sections.append("next:\n" + readme) }
        Terminal.print(json ? value.text(style: .pretty) : sections.joined(separator: "\n\n"))
        if reporting.strict, hasLosses { throw ExitStatus.lossy }
    }

    private static func count(_ title: String, _ count: Int, _ text: String, _ key: String) -> Fact {
        Fact(title, count == 0 ? "" : "\(count) \(text)", key, .integer(count))
    }

    private static func text(_ test: SelfTestReport) -> String {
        guard let pixels = test.medianPixels else { return "not made: no depth pixel is seen by two views" }
        let metres = test.medianMetres.map { ", \(Format.number($0 * 1000, decimals: 1)) mm from the LiDAR's depth" }
        let where_ = pixels < 0.001 ? "below 0.001" : Format.number(pixels, decimals: 3)
        return
            "\(test.pointCount) points in \(test.pairCount) pairs of views land \(where_) px (median) from where the "
            + "recording has them\(metres ?? "; no depth to compare with")"
    }
}

/// What a track of a session has.
struct TrackOutcome {
    private let facts: [Fact]
    private let problems: String
    private let hasLosses: Bool

    init(_ export: TrackExport, _ form: TrackExport.Form, path: String) {
        var leftOut = ReplayCounts()
        leftOut.limitedTracking = export.limitedTracking
        problems = SessionText.problems(export.diagnostics, leftOut)
        hasLosses = export.diagnostics.lostCount > 0
        let lines = export.counts.map { Fact($0.name, "\($0.count) points") }
        facts =
            [Fact("track", "\(path) (\(form.rawValue))", "track", .string(path))] + lines + [
                .json("lines", .array(export.counts.map { ["name": .string($0.name), "points": .integer($0.count)] })),
                .json("left_out", .object(SessionFacts.leftOut(leftOut).members)),
                .json("problems", SessionJSON.problems(export.diagnostics)),
            ]
    }

    func finish(json: Bool, _ reporting: ReportingOptions) throws {
        let value = JSONValue.object(facts.members)
        try ReportFile.write(value, to: reporting.report)
        let text = problems.isEmpty ? facts.text : facts.text + "\n\n" + problems
        Terminal.print(json ? value.text(style: .pretty) : text)
        if reporting.strict, hasLosses { throw ExitStatus.lossy }
    }
}
