import Recording
import Sessions
import Text
import Translation

/// What better poses have changed: the way as it was recorded and as it is now, and the places that were seen again.
enum PoseSection {
    private static let size = SIMD2(1000.0, 620.0)
    private static let (recordedColour, refinedColour, loopColour) = ("#8a8f98", "#2f7fd1", "#d9822b")

    /// - Returns: `nil` for the poses that were recorded.
    static func section(_ walk: RecordWalk, _ correction: PoseCorrection?) -> ReportPage.Section? {
        guard let correction, !walk.frames.items.isEmpty else { return nil }
        let frames = walk.frames.items
        func place(_ pose: Transform) -> SIMD2<Double> {
            let place = Coordinates.mapFromWorld * pose.translation
            return SIMD2(place.x, place.y)
        }
        let recorded = frames.map { place($0.recordedWorldFromCamera) }
        let refined = frames.map { place($0.worldFromCamera) }
        var svg = SVG(
            width: size.x,
            height: size.y,
            title: "The way before and after",
            description:
                "The way of the camera from above, as recorded and with better poses, in metres of the frame map"
        )
        let view = PlanView(recorded + refined, in: (70, 15, size.x - 20, size.y - PlanView.footHeight))
        view.drawGrid(on: &svg)
        svg.path(recorded.map(view.pixel), colour: recordedColour, width: 2)
        for loop in correction.loops {
            let ends = [loop.from, loop.to].compactMap { time in
                correction.knot(nearestTo: time).map { view.pixel(place($0.corrected)) }
            }
            svg.path(ends, colour: loopColour, width: 1.5)
        }
        svg.path(refined.map(view.pixel), colour: refinedColour, width: 3)
        view.drawScale(on: &svg)
        var section = ReportPage.Section("poses", "Poses before and after")
        let loops = correction.loops.isEmpty ? "" : " Orange lines join places that were seen again."
        section.figures = [
            ReportPage.Figure(
                svg,
                name: "poses",
                caption: "Grey: the way as it was recorded. Blue: with better poses (\(correction.origin)).\(loops)",
                metreScale: view.scale
            )
        ]
        let moved = frames.map { ($0.worldFromCamera.translation - $0.recordedWorldFromCamera.translation).length }
        section.rows = [
            ReportPage.Row("poses", "value"),
            ReportPage.Row("places seen again", "\(correction.loops.count)"),
            ReportPage.Row("jumps", "\(correction.jumps.count)"),
            ReportPage.Row("moved at most m", (moved.max() ?? 0).text(decimals: 3)),
        ]
        if let surfaces = correction.surfaceMetres {
            let (before, after) = (surfaces.recorded * 100, surfaces.corrected * 100)
            section.notes = [
                "Views that see the same lie \(before.text(decimals: 1)) cm apart by the recorded poses, "
                    + "\(after.text(decimals: 1)) cm by these."
            ]
            section.rows += [
                ReportPage.Row("views apart before m", surfaces.recorded.text(decimals: 4)),
                ReportPage.Row("views apart after m", surfaces.corrected.text(decimals: 4)),
            ]
        }
        return section
    }
}
