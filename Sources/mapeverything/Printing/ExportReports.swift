import Exports
import Maps
import Recording
import Sessions
import Translation

extension Report {
    /// The result of an export of frames.
    init(_ report: FrameExportReport, format: FrameFormat, path: String) {
        let counts = report.counts
        let facts = [
            Fact("export", "\(path) (\(format.name))", "export", path), .json("format", format.name),
            Fact("views", "\(report.viewCount) of \(counts.trusted) frames", "views", report.viewCount),
            .json("frames", counts.trusted),
            .count("left out", counts.notSelected, "frames that were not selected", "not_selected"),
            .count("left out", counts[.withoutImage], "frames without an image", "without_image"),
            .count("left out", counts[.blurred], "frames below --min-sharpness", "not_sharp"),
            .count("left out", counts[.repeated], "frames of a time or a number that was there before", "repeated"),
            .count("left out", report.unusableImages, "frames whose image cannot be used", "unusable_images"),
            .count("left out", report.unusableDepth, "frames without depth that can be used", "unusable_depth"),
            .count("no depth", report.viewsWithoutDepth, "views have an empty depth image", "views_without_depth"),
            Fact.bytes("images", report.imageBytes), .json("image_bytes", report.imageBytes),
            Fact.bytes("depth", report.depthBytes), .json("depth_bytes", report.depthBytes),
            .count(
                "left out",
                report.depthPixels.dropped,
                "of \(report.depthPixels.known) depth pixels, by confidence, distance and edges",
                "depth_pixels_left_out"
            ),
            .json("depth_pixels", report.depthPixels.kept),
            .count("points", report.pointCount, "of the LiDAR surface", "points"),
            .count("gaps", report.gapCount, "of more than half a second between views", "gaps"),
            .count("jumps", counts.jumpCount, "poses moved faster than 3 m/s", "pose_jumps"),
            Fact("self-test", Self.text(report.selfTest), "self_test", report.selfTest.json),
        ]
        let lost = [report.unusableImages, report.unusableDepth, counts[.withoutImage], counts[.repeated]].reduce(0, +)
        self.init(facts, report.diagnostics, limitedTracking: report.limitedTracking, hasLosses: lost > 0)
        let readme = report.readme.filter { $0.hasPrefix("  ") }.joined(separator: "\n")
        if !readme.isEmpty { say("next:\n" + readme.replacing("THIS_FOLDER", with: path)) }
    }

    private static func text(_ test: SelfTestReport) -> String {
        guard let pixels = test.medianPixels else { return "not made: no depth pixel is seen by two views" }
        let metres = test.medianMetres.map { ", \(Format.number($0 * 1000, decimals: 1)) mm from the LiDAR's depth" }
        let where_ = pixels < 0.001 ? "below 0.001" : Format.number(pixels, decimals: 3)
        return
            "points land \(where_) px (median) from where other images of the recording have them\(metres ?? "") "
            + "(\(test.pointCount) points, \(test.pairCount) pairs of images\(metres == nil ? ", no depth to compare with" : ""))"
    }

    init(_ export: TrackExport, _ product: Product, path: String) {
        let lines = export.counts.map { Fact($0.name, "\($0.count) points") }
        let facts =
            [Fact("track", "\(path) (\(product.name))", "track", path)] + lines + [
                .json("lines", each: export.counts) { .of(["name": $0.name, "points": $0.count]) }
            ]
        self.init(facts, export.diagnostics, limitedTracking: export.limitedTracking)
    }

    /// The result of trimming a session.
    init(_ report: TrimReport, of source: SessionSummary, path: String) {
        let seconds = (report.lastTime ?? source.firstTime).seconds(since: report.firstTime ?? source.firstTime)
        let out = report.framesIn - report.framesKept
        let streams: [(RecordStream, String, String)] = [
            (.motion, "IMU samples", "imu_samples"), (.location, "location fixes", "gps_fixes"),
            (.heading, "compass readings", "headings"), (.radio, "observations of radios", "radio_observations"),
            (.indoor, "indoor positions", "indoor_positions"),
        ]
        let sharp = "frames have no picture to tell their sharpness, and passed --min-sharpness"
        let tiles = report.leavesTiles ? "map tiles stay with the source" : ""
        let encoded = "pictures were not JPEG and were encoded as such"
        var facts = [
            Fact("session", path, "session", path),
            Fact("from", "\(source.name) (\(source.format))", "format", source.format),
            Fact(
                "frames",
                "\(report.framesIn) in = \(report.framesKept) kept + \(out) left out",
                "frames",
                report.framesKept
            ),
            .json("frames_in", report.framesIn),
            Fact("length", "\(Format.number(seconds, decimals: 1)) s", "duration_s", seconds),
        ]
        facts += FrameVerdict.allCases.compactMap { verdict in
            verdict.words.map { .count("left out", report.counts[verdict], $0, verdict.rawValue) }
        }
        facts += [
            .count("pictures", report.pictures, key: "pictures"),
            .count("note", report.encodedPictures, encoded, "encoded_pictures"),
            .count("depth", report.depthMaps, key: "depth"),
            .count("confidence", report.confidenceMaps, key: "confidence"),
            .count("relative depth", report.relativeDepthMaps, key: "relative_depth"),
            Fact.bytes("payloads", report.payloadBytes), .json("payload_bytes", report.payloadBytes),
        ]
        facts += streams.map { .count("samples", report.samples[$0, default: 0], $1, $2) }
        facts += [
            .count("left out", report.impossibleSamples, "samples of times below 0", "impossible_samples"),
            .count("note", report.unknownSharpness, sharp, "unknown_sharpness"),
            Fact("note", tiles, "leaves_tiles", report.leavesTiles),
            Self.clock(report),
        ]
        let isImpossible = report.impossibleSamples > 0 || report.counts[.impossibleTime] > 0
        self.init(facts, report.diagnostics, limitedTracking: nil, hasLosses: isImpossible)
    }

    /// The source of the wall clock, or why it is not carried over.
    private static func clock(_ report: TrimReport) -> Fact {
        let source = report.anchor.map { $0.source.rawValue } ?? ""
        let remark = report.anchor?.remark.map { " (\($0))" } ?? ""
        let text = report.hasWallClock ? "from \(source)" : "not carried over: \(source)\(remark)"
        return Fact("wall clock", text, "has_wall_clock", report.hasWallClock)
    }
}

/// A session of which nothing came into the map: no file is written.
struct EmptyMapError: Error, CustomStringConvertible {
    var session: String
    var report: MapReport
    var mesh: SurfaceMesh

    var description: String {
        var text =
            "\(session): expected depth that shows a surface, found none: \(report.frameCount) frames with trusted poses, "
            + "\(report.depthFrameCount) with depth, \(report.keyFrameCount) fused; "
            + "\(report.limitedTracking) frames of limited tracking left out"
        if report.frameCountWithoutRoom > 0 {
            text +=
                "; --max-memory was full (\(Format.bytes(report.byteCount))), and "
                + "\(report.frameCountWithoutRoom) frames needed more"
        }
        if mesh.droppedTriangles > 0 { text += "; dropped: \(mesh.droppedText)" }
        if report.outOfReach > 0 { text += "; \(report.outOfReach) \(MapReport.outOfReachText)" }
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

extension Report {
    /// The result of making a map of a session.
    init(_ report: MapReport, _ mesh: SurfaceMesh, path: String, _ made: SurfaceFile.Made) {
        let (triangles, dropped) = (mesh.triangles.count, mesh.droppedTriangles)
        let head = [
            Fact("map", path, "map", path), Fact("mesh", "\(mesh.points.count) points, \(triangles) triangles"),
            .json("points", mesh.points.count), .json("triangles", triangles),
            Fact("dropped", dropped == 0 ? "" : mesh.droppedText, "dropped_triangles", dropped),
            Self.colourless(mesh, made.noColours),
            .json("colours", made.noColours == nil ? mesh.hasColours ? "image" : "height" : nil),
            Fact("size", Self.size(mesh)),
        ]
        self.init(head + (made.coordinates?.facts() ?? []), report)
    }

    /// The result of a map of any form: facts about it, and about the frames that it is made of.
    init(_ facts: [Fact], _ report: MapReport) {
        let lost = report.frameCountWithoutRoom + report.withoutDepth + report.outOfReach
        let isLossy = lost > 0 || report.keyFrameCount == 0
        self.init(
            facts + report.facts,
            report.diagnostics,
            limitedTracking: report.limitedTracking,
            hasLosses: isLossy
        )
    }

    /// The points that no picture showed, or why all are without colour.
    private static func colourless(_ mesh: SurfaceMesh, _ reason: String?) -> Fact {
        if let reason { return Fact("colours", "none: \(reason)", "points_without_colour", mesh.points.count) }
        let count = mesh.points.count { !$0.hasColour }
        let percent = 100 * Double(count) / Double(max(mesh.points.count, 1))
        let share = percent < 0.1 ? "\(count)" : "\(Format.number(percent, decimals: 1)) %"
        let some = count == 0 ? "" : "\(share) of the points have none, and are white: no picture showed them"
        let text = count < mesh.points.count ? some : SurfaceMesh.byHeight
        return Fact("colours", text, "points_without_colour", count)
    }

    /// The edges of the box around a mesh, in the order of the frame `map`; empty without a mesh.
    private static func size(_ mesh: SurfaceMesh) -> String {
        guard let bounds = mesh.bounds else { return "" }
        let edges = bounds.high - bounds.low
        let texts = [edges.x, edges.z, edges.y].map { Format.number(Double($0), decimals: 2) }
        return texts.joined(separator: " x ") + " m (the last is the height)"
    }
}

extension MapReport {
    fileprivate var facts: [Fact] {
        let fused = "\(keyFrameCount) fused of \(depthFrameCount) with depth, \(frameCount) in all"
        let memory = "\(Format.bytes(byteCount)) while it was made"
        let first = Format.number(firstJumpSeconds ?? 0, decimals: 2)
        let jumps = "poses moved faster than 3 m/s, the first at \(first) s: the map may be torn"
        let full = "frames needed more than --max-memory: the map is incomplete"
        return [
            Fact("frames", fused, "frames", frameCount), .json("frames_with_depth", depthFrameCount),
            .json("frames_fused", keyFrameCount), Fact("memory", memory, "field_bytes", byteCount),
            .json("blocks", blockCount),
            .count("no depth", withoutDepth, "key-frames had no depth that can be used", "without_depth"),
            .count("no colour", withoutColour, "key-frames had no image that can be used", "without_colour"),
            .count("far away", outOfReach, MapReport.outOfReachText, "out_of_reach"),
            .count("jumps", jumpCount, jumps, "pose_jumps"),
            .count("full", frameCountWithoutRoom, full, "frames_without_room"),
        ]
    }

    fileprivate static let outOfReachText =
        "key-frames are farther from the first one than a map of this voxel size reaches: not fused"
}

extension SurfaceMesh {
    /// The pieces of the mesh that were too small to keep.
    fileprivate var droppedText: String {
        "\(droppedTriangles) triangles in pieces below --min-component, "
            + "\(Format.number(droppedSquareMetres, decimals: 2)) m\u{B2} in all"
    }
}
