import Perception
import Platform
import Recording
import Sessions
import Text

/// The kinds of depth of one frame beside each other, each judged by LiDAR pixels that it was not given.
enum DepthSection {
    private static let pixels = 480
    private static let bytes = 13_000
    /// A LiDAR pixel of less confidence judges nothing.
    private static let leastConfidence: UInt8 = 1
    private static let mostMetres: Float = 5

    /// A kind of depth that was made of the LiDAR pixels that were kept.
    private struct Made {
        var name: String
        var depth: DepthMap
        var errors: [Double]
        /// Of the LiDAR pixels that were left out.
        var share: Double
    }

    /// - Parameter frames: those that may be taken; the one in the middle of those with relative depth is, if there are any.
    static func section(_ frames: [FrameReference], _ session: any Session) -> ReportPage.Section? {
        let depthSession = session as? DepthSession
        let recorded = depthSession?.recorded ?? session
        var plan = depthSession?.plan ?? DepthPlan()
        plan.dense = plan.dense ?? .standard
        plan.kind = .lidar
        // Pictures of a video go by once.
        let usable = frames.filter { $0.tracking.isNormal && $0.depthSize != nil && $0.hasImage && $0.videoRow == nil }
        guard recorded.summary.hasDepth, !usable.isEmpty else { return nil }
        let whole = usable.filter { $0.relativeDepthSize != nil }
        let chosen = whole.isEmpty ? usable : whole
        var frame = chosen[chosen.count / 2]
        frame.denseDepthSize = plan.dense?.size(frame.intrinsics.size)
        var diagnostics = Diagnostics()
        let loader = DepthSession(recorded, plan).makeLoader()
        guard let lidar = loader.lidarDepth(of: frame, &diagnostics) else { return nil }
        let kept = without(lidar)
        var made = [made("interpolated", interpolated(kept), lidar)]
        if let dense = loader.denseDepth(from: kept, of: frame, &diagnostics) {
            made.append(self.made("dense", dense, lidar))
        }
        if let relative = loader.relativeDepth(of: frame, &diagnostics),
            let line = try? RelativeDepthCalibrator().calibrate(depth: kept, relativeDepth: relative)
        {
            let values = line.relativeDepth(relative)
            let (scale, offset) = (Float(line.scale), Float(line.offset))
            let metres = values.values.map { $0 > 0 ? scale * $0 + offset : 0 }
            let global = DepthMap(width: relative.width, height: relative.height, metres: metres)
            made.append(self.made("relative, line", global, lidar))
            if let grid = try? GridCalibration(line, depth: kept, relativeDepth: relative) {
                made.append(self.made("relative, grid", grid.metres(relative), lidar))
            }
        }
        return section(made, lidar, frame, recorded.summary)
    }

    private static func section(
        _ made: [Made],
        _ lidar: DepthMap,
        _ frame: FrameReference,
        _ summary: SessionSummary
    ) -> ReportPage.Section {
        var section = ReportPage.Section("depths", "Kinds of depth")
        let seconds = frame.time.seconds(since: summary.firstTime).text(decimals: 1)
        let shown = [("LiDAR", lidar)] + made.dropFirst().map { ($0.name, $0.depth) }
        let tiles = shown.compactMap { name, depth -> ContactSheet.Tile? in
            guard let image = PictureMaker.picture(depth, frame, pixels: pixels, bytes: bytes) else { return nil }
            let label = "\(name), \(depth.width)x\(depth.height)"
            return ContactSheet.Tile(seconds: nil, image: image, depth: nil, label: label)
        }
        section.figures = [
            ContactSheet.figure(
                tiles,
                caption:
                    "Frame \(frame.index), at \(seconds) s. Blue is near (0.2 m), red is far (5 m), grey where there is none.",
                named: "depths"
            )
        ]
        section.rows = [ReportPage.Row("depth", "pixels", "median mm", "90 % within mm", "of them it has")]
        section.rows += made.map { one in
            ReportPage.Row(
                one.name,
                "\(one.depth.width) x \(one.depth.height)",
                one.errors.quantile(0.5).map { (1000 * $0).text(decimals: 1) } ?? "-",
                one.errors.quantile(0.9).map { (1000 * $0).text(decimals: 1) } ?? "-",
                (100 * one.share).text(decimals: 1) + " %"
            )
        }
        section.notes = [
            "One LiDAR pixel in 4 was left out, and each kind of depth made of the others; the numbers say how far it is "
                + "from those that were left out, up to 5 m. Phones smooth their depth, so that neighbours say much of a pixel: "
                + "this sees errors, not how sharp edges are."
        ]
        section.showsRows = true
        return section
    }

    // MARK: - Left out

    /// True for one pixel in four.
    private static func isLeftOut(_ place: Int, _ width: Int) -> Bool {
        let (column, row) = (place % width, place / width)
        return column % 2 == 1 && row % 2 == 1
    }

    private static func without(_ lidar: DepthMap) -> DepthMap {
        var kept = lidar
        for place in kept.metres.indices where isLeftOut(place, lidar.width) { kept.metres[place] = 0 }
        return kept
    }

    private static func made(_ name: String, _ depth: DepthMap, _ lidar: DepthMap) -> Made {
        var errors: [Double] = []
        var count = 0
        for place in lidar.metres.indices where isLeftOut(place, lidar.width) {
            let truth = lidar.metres[place]
            guard truth > 0, truth < mostMetres, (lidar.confidence?[place] ?? 2) >= leastConfidence else { continue }
            count += 1
            let column = (2 * (place % lidar.width) + 1) * depth.width / (2 * lidar.width)
            let row = (2 * (place / lidar.width) + 1) * depth.height / (2 * lidar.height)
            let metres = depth.metres[row * depth.width + column]
            if metres > 0, metres.isFinite { errors.append(Double(abs(metres - truth))) }
        }
        return Made(
            name: name,
            depth: depth,
            errors: errors.sorted(),
            share: count == 0 ? 0 : Double(errors.count) / Double(count)
        )
    }

    /// The depth of a map whose pixels of odd columns and rows are missing, those from the four around them.
    private static func interpolated(_ kept: DepthMap) -> DepthMap {
        var map = kept
        for place in map.metres.indices where isLeftOut(place, kept.width) {
            let (column, row) = (place % kept.width, place / kept.width)
            guard column + 1 < kept.width, row + 1 < kept.height else { continue }
            let around = [place - 1, place + 1, place - kept.width, place + kept.width].map { kept.metres[$0] }
            let usable = around.filter { $0 > 0 && $0.isFinite }
            if !usable.isEmpty { map.metres[place] = usable.reduce(0, +) / Float(usable.count) }
        }
        return map
    }
}
