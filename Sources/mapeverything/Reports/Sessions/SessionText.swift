import Earth
import Recording
import Replay
import Sessions

/// Parts of reports about a session, for people.
enum SessionText {
    static func anchor(_ setup: ReplaySetup) -> String {
        let anchor = setup.anchor
        let first = anchor.stamp(setup.session.summary.firstTime)
        let time = anchor.source == .boot ? "" : CalendarText.utc(nanoseconds: first) + ", from "
        let remark = anchor.remark.map { " (\($0))" } ?? ""
        return "\(setup.session.summary.name): first frame at \(time)\(anchor.source.rawValue)\(remark)"
    }

    /// The heading of the map, and whether it has a place on the Earth.
    static func georeference(_ georeference: Georeference) -> String {
        let heading = "heading \(georeference.heading.text)"
        guard let reason = georeference.reasonForAbsence else { return heading + ", origin at \(place(georeference))" }
        return heading + (reason.hasPrefix("heading") ? "; no earth -> map" : "; no earth -> map: \(reason)")
    }

    /// Latitude, longitude, and the height with its source.
    static func place(_ georeference: Georeference) -> String {
        guard let origin = georeference.origin, let method = georeference.method else { return "an unknown place" }
        let degrees = [origin.latitudeDegrees, origin.longitudeDegrees]
            .map { Format.number($0, decimals: 6) }.joined(separator: ", ")
        return "\(degrees), \(Format.number(origin.heightMetres, decimals: 1)) m above the ellipsoid "
            + "(\(origin.heightSource)), to \(Format.number(origin.horizontalAccuracyMetres, decimals: 1)) m by \(method)"
    }

    /// What the fixes along the track say; empty where there are too few.
    static func track(_ track: TrackAlignment?) -> String {
        guard let track else { return "" }
        let fixes =
            "\(track.inlierCount) of \(track.pointCount) fixes"
            + " over \(Format.number(track.extentMetres, decimals: 1)) m"
        let distances = [track.medianResidualMetres, track.highResidualMetres, track.worstResidualMetres]
            .map { Format.number($0, decimals: 1) }
        let residual = "distances: median \(distances[0]), 90 % \(distances[1]), largest \(distances[2]) m"
        guard track.tellsHeading else { return "\(fixes) do not tell a heading; \(residual)" }
        let heading = Format.number(track.headingDegrees, decimals: 1)
        let sigma = Format.number(track.headingSigmaDegrees, decimals: 1)
        let scale = "scale \(Format.number(track.scale, decimals: 3)) ± \(Format.number(track.scaleSigma, decimals: 3))"
        return "\(fixes) fit a heading of \(heading) degrees, uncertain by \(sigma); \(residual); \(scale)"
    }

    /// How high the fixes are above the terrain; empty where that is not known.
    static func terrain(_ terrain: TerrainComparison?) -> String {
        guard let terrain, let differences = terrain.differences, let reference = terrain.reference else { return "" }
        let metres = [differences.medianMetres, differences.lowMetres, differences.highMetres]
            .map { Format.number($0, decimals: 1) }
        return "\(terrain.comparedCount) of \(terrain.fixCount) fixes: median \(metres[0]) m above the terrain, "
            + "10 % below \(metres[1]), 10 % above \(metres[2]) m (fixes above \(reference.rawValue), "
            + "tiles of the vertical datum \(terrain.datums.joined(separator: ", ")))"
    }

    /// Every kind of problem with its count and its first places; empty where there is none.
    static func problems(_ diagnostics: Diagnostics, _ counts: ReplayCounts) -> String {
        var lines: [String] = []
        for entry in diagnostics.entries {
            let label = entry.kind.severity == .lost ? "skipped" : "note"
            lines.append("\(label): \(entry.count) x \(entry.kind.rawValue): \(entry.kind.explanation)")
            lines += entry.examples.prefix(3).map { "    \($0)" }
            if entry.count > 3 { lines.append("    and \(entry.count - 3) more") }
        }
        return (lines + SessionFacts.leftOut(counts).sentences).joined(separator: "\n")
    }
}
