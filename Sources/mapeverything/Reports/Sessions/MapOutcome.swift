import JSONText
import Maps
import Replay
import Sessions

/// A session of which nothing came into the map: no file is written.
struct EmptyMapError: Error, CustomStringConvertible {
    var session: String
    var report: MapReport
    /// The empty one.
    var mesh: SurfaceMesh

    var description: String {
        var text =
            "\(session): expected depth that shows a surface, found none: \(report.frameCount) frames with trusted poses, "
            + "\(report.depthFrameCount) with depth, \(report.keyFrameCount) fused; "
            + "\(report.limitedTracking) frames of limited tracking left out"
        if report.frameCountWithoutRoom > 0 {
            text +=
                "; --max-memory was full with \(report.blockCount) blocks (\(Format.bytes(report.byteCount))), and "
                + "\(report.frameCountWithoutRoom) frames needed more"
        }
        if mesh.droppedTriangles > 0 { text += "; dropped: \(MapOutcome.dropped(mesh))" }
        if report.outOfReach > 0 { text += "; \(report.outOfReach) \(MapOutcome.outOfReach)" }
        return text
    }

    /// The first thing that was wrong with the recording, where that may be why.
    var advice: String? {
        if report.frameCountWithoutRoom > 0 {
            return "give more with --max-memory, or take a larger --voxel-size: half of it needs four times the memory"
        }
        return report.diagnostics.entries.first { $0.kind.severity == .lost }?.examples.first?.description
    }
}

/// What became of a session on the way into a map: printed for people or machines, and the exit status.
struct MapOutcome {
    private let facts: [Fact]
    private let problems: String
    private let hasLosses: Bool

    init(_ report: MapReport, _ mesh: SurfaceMesh, path: String, _ coordinates: [Fact] = []) {
        var leftOut = ReplayCounts()
        leftOut.limitedTracking = report.limitedTracking
        problems = SessionText.problems(report.diagnostics, leftOut)
        hasLosses =
            report.diagnostics.lostCount > 0 || report.frameCountWithoutRoom > 0 || report.withoutDepth > 0
            || report.outOfReach > 0
            || report.keyFrameCount == 0
        facts =
            [
                Fact("map", path, "map", .string(path)),
                Fact("mesh", "\(mesh.points.count) points, \(mesh.triangles.count) triangles"),
                .json("points", .integer(mesh.points.count)),
                .json("triangles", .integer(mesh.triangles.count)),
                Fact("dropped", mesh.droppedTriangles == 0 ? "" : Self.dropped(mesh)),
                .json("dropped_triangles", .integer(mesh.droppedTriangles)),
                Self.colourless(mesh),
                Fact("size", Self.size(mesh)),
            ] + coordinates + [
                Fact(
                    "frames",
                    "\(report.keyFrameCount) fused of \(report.depthFrameCount) with depth, \(report.frameCount) in all"
                ),
                .json("frames", .integer(report.frameCount)),
                .json("frames_with_depth", .integer(report.depthFrameCount)),
                .json("frames_fused", .integer(report.keyFrameCount)),
                Fact("memory", "\(Format.bytes(report.byteCount)) in \(report.blockCount) blocks of 8x8x8 voxels"),
                .json("field_bytes", .integer(report.byteCount)),
                .json("blocks", .integer(report.blockCount)),
                Self.count(
                    "no depth",
                    report.withoutDepth,
                    "key-frames had no depth that can be used",
                    "without_depth"
                ),
                Self.count(
                    "no colour",
                    report.withoutColour,
                    "key-frames had no image that can be used",
                    "without_colour"
                ),
                Self.count("far away", report.outOfReach, Self.outOfReach, "out_of_reach"),
                Self.count(
                    "jumps",
                    report.jumpCount,
                    "poses moved faster than 3 m/s, the first at \(Format.number(report.firstJumpSeconds ?? 0, decimals: 2)) s: the map may be torn",
                    "pose_jumps"
                ),
                Self.count(
                    "full",
                    report.frameCountWithoutRoom,
                    "frames needed blocks for which --max-memory had no room: the map is incomplete",
                    "frames_without_room"
                ),
                .json("left_out", .object(SessionFacts.leftOut(leftOut).members)),
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

    static let outOfReach = "key-frames are farther from the first one than a map of this voxel size reaches: not fused"

    /// What small pieces were.
    static func dropped(_ mesh: SurfaceMesh) -> String {
        "\(mesh.droppedTriangles) triangles in pieces below --min-component, "
            + "\(Format.number(mesh.droppedSquareMetres, decimals: 2)) m\u{B2} in all"
    }

    /// The points that no picture showed.
    private static func colourless(_ mesh: SurfaceMesh) -> Fact {
        let count = mesh.points.count { !$0.hasColour }
        guard count < mesh.points.count else {
            return Fact("colours", "none: no picture showed any of it", "points_without_colour", .integer(count))
        }
        let share = Format.number(100 * Double(count) / Double(max(mesh.points.count, 1)), decimals: 1)
        let text = count == 0 ? "" : "\(share) % of the points have none, and are white: no picture showed them"
        return Fact("colours", text, "points_without_colour", .integer(count))
    }

    /// A line where there is something to count.
    private static func count(_ title: String, _ count: Int, _ text: String, _ key: String) -> Fact {
        Fact(title, count == 0 ? "" : "\(count) \(text)", key, .integer(count))
    }

    /// The edges of the box around a mesh, in the order of the frame `map`; empty without a mesh.
    private static func size(_ mesh: SurfaceMesh) -> String {
        guard let bounds = mesh.bounds else { return "" }
        let edges = bounds.high - bounds.low
        let texts = [edges.x, edges.z, edges.y].map { Format.number(Double($0), decimals: 2) }
        return texts.joined(separator: " x ") + " m (the last is the height)"
    }
}
