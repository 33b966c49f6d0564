import Platform
import Recording
import Sessions
package import Text
import Translation

/// mapeverything.json and README.txt beside an export: where it comes from and what it leaves open.
enum ExportProvenance {
    static func write(_ report: FrameExportReport, _ context: ExportContext) throws {
        try context.write(json(report, context).text(style: .pretty) + "\n", to: "mapeverything.json")
        guard !report.readme.isEmpty else { return }
        var lines = report.readme + [""]
        if context.census.gapCount > 0 {
            lines.append("Gaps of more than half a second between neighbouring views: \(context.census.gapCount)")
            lines += context.census.gaps.map {
                "  \(text($0.seconds)) s after \(decimalSeconds(context.anchor.stamp($0.from)))"
            }
            lines.append("")
        }
        lines.append("Times: \(context.anchor.source.rawValue). Axes: \(axes(context)).")
        try context.write(lines.joined(separator: "\n") + "\n", to: "README.txt")
    }

    private static func axes(_ context: ExportContext) -> String {
        switch context.plan.effectiveWorld {
        case .map: "metres, z up; +y has the heading \(context.georeference.heading.text)"
        case .arkit: "metres, those of ARKit's world: y up"
        }
    }

    private static func text(_ seconds: Double) -> String { "\((seconds * 100).rounded() / 100)" }

    private static func json(_ report: FrameExportReport, _ context: ExportContext) -> JSONValue {
        let summary = context.session.summary
        let counts = report.counts
        var members: [(String, JSONValue)] = [
            ("generator", .string("mapeverything \(context.plan.toolVersion)")),
            ("format", .string(context.plan.format.name)), ("session", .string(summary.name)),
        ]
        if let device = summary.deviceModel { members.append(("device", .string(device))) }
        if let depth = summary.depthOrigin { members.append(("depth", .string(depth))) }
        if let source = summary.imageSource { members.append(("images", .string(source))) }
        if let rate = summary.assumedFramesPerSecond { members.append(("assumed_frames_per_second", .number(rate))) }
        members += [
            ("world", .string(context.plan.effectiveWorld.rawValue)), ("unit", "metre"),
            ("views", .integer(report.viewCount)), ("points", .integer(report.pointCount)),
            (
                "left_out",
                [
                    "limited_tracking": .integer(report.limitedTracking),
                    "without_image": .integer(counts[.withoutImage]),
                    "not_sharp": .integer(counts[.blurred]),
                    "repeated": .integer(counts[.repeated]),
                    "not_selected": .integer(counts.notSelected),
                    "unusable_image": .integer(report.unusableImages),
                    "unusable_depth": .integer(report.unusableDepth),
                ]
            ),
            ("views_without_depth", .integer(report.viewsWithoutDepth)),
            ("depth_pixels", .integer(report.depthPixels.kept)),
            ("depth_pixels_left_out", .integer(report.depthPixels.dropped)),
            ("epoch_offset_ns", .integer(context.anchor.offsetNanoseconds)),
            ("epoch_source", .string(context.anchor.source.rawValue)),
            ("georeferenced", .bool(context.georeference.earthFromWorld != nil)),
            ("self_test", report.selfTest.json),
        ]
        return .object(members)
    }
}

extension SelfTestReport {
    /// Null where nothing could be compared.
    package var json: JSONValue {
        [
            "points": .integer(pointCount), "pairs": .integer(pairCount),
            "median_px": .number(medianPixels),
            "median_m": .number(medianMetres),
        ]
    }
}
