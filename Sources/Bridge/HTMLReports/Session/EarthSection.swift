import Platform
import Recording
import Sessions
import Text

/// Location fixes against the camera's way.
enum EarthSection {
    private static let size = SIMD2(1000.0, 600.0)

    static func section(
        _ track: FixTrack,
        _ georeference: Georeference,
        _ summary: SessionSummary
    ) -> ReportPage.Section {
        guard summary.location.count > 0 else { return .absent("gps", "GPS", "The session has no GPS fixes.") }
        var section = ReportPage.Section("gps", "GPS")
        section.place = .closed
        guard let origin = georeference.origin, let earthFromWorld = georeference.earthFromWorld else {
            section.notes = [
                "\(summary.location.count) fixes; the place of the map on the Earth stays open: "
                    + "\(georeference.reasonForAbsence ?? "not known")."
            ]
            return section
        }
        let localFromEarth = Geodesy.earthFromLocal(
            latitudeDegrees: origin.latitudeDegrees,
            longitudeDegrees: origin.longitudeDegrees,
            heightMetres: origin.heightMetres
        ).inverse
        let pairs = track.places.compactMap { place -> (fix: SIMD2<Double>, camera: SIMD2<Double>, radius: Double)? in
            let fix = place.fix
            let there =
                localFromEarth
                * Geodesy.earthPosition(
                    latitudeDegrees: fix.latitudeDegrees,
                    longitudeDegrees: fix.longitudeDegrees,
                    heightMetres: origin.heightMetres
                )
            let camera = localFromEarth * (earthFromWorld * place.worldFromCamera.translation)
            guard abs(there.x) < 100_000, abs(there.y) < 100_000 else { return nil }
            return (SIMD2(there.x, there.y), SIMD2(camera.x, camera.y), fix.horizontalAccuracyMetres ?? 0)
        }
        var svg = SVG(
            width: size.x,
            height: size.y,
            title: "GPS fixes and the camera's way",
            description: "\(pairs.count) fixes with their accuracy, in metres east and north of the origin"
        )
        let all = pairs.flatMap { [$0.fix, $0.camera] }
        let view = PlanView(all, in: (50, 15, size.x - 20, size.y - PlanView.footHeight), leastMetres: 10)
        view.drawGrid(on: &svg)
        let drawn = stride(from: 0, to: pairs.count, by: max(1, (pairs.count + 599) / 600)).map { pairs[$0] }
        for pair in drawn where pair.radius > 0 {
            svg.circle(view.pixel(pair.fix), radius: min(300, pair.radius * view.scale), "halo")
        }
        svg.bars(drawn.map { (view.pixel($0.fix), view.pixel($0.camera)) }, "warn")
        svg.path(pairs.map { view.pixel($0.camera) }, "s0")
        for pair in drawn { svg.circle(view.pixel(pair.fix), radius: 2.5, "s1") }
        svg.text("camera", SIMD2(size.x - 150, 30), "s0")
        svg.text("fixes", SIMD2(size.x - 90, 30), "s1")
        view.drawScale(on: &svg)
        let distances = pairs.map { pair in
            let off = pair.fix - pair.camera
            return (off * off).sum().squareRoot()
        }.sorted()
        section.figures = [
            ReportPage.Figure(
                svg,
                name: "gps",
                caption:
                    "East to the right, north up. Circles are the accuracy that the phone claims, lines go from each fix to "
                    + "the camera."
                    + (drawn.count < pairs.count ? " Of \(pairs.count) fixes \(drawn.count) are drawn." : "")
            )
        ]
        if distances.count > 1 {
            let histogram = Histogram.svg(
                distances,
                unit: "distance from the camera's way, m",
                title: "Distances of the fixes",
                description: "How many of \(distances.count) fixes lie how far from the camera's way"
            )
            section.figures.append(ReportPage.Figure(histogram, name: "gps-distances"))
        }
        section.notes = [
            "Origin \(origin.latitudeDegrees.text(decimals: 6)), \(origin.longitudeDegrees.text(decimals: 6)) "
                + "(\(georeference.method ?? "")), accuracy \(origin.horizontalAccuracyMetres.text(decimals: 1)) m; "
                + "heading \(georeference.heading.text)."
        ]
        section.rows = [
            ReportPage.Row("GPS", "value"), ReportPage.Row("fixes", "\(summary.location.count)"),
            ReportPage.Row("with a pose", "\(pairs.count)"),
        ]
        if !distances.isEmpty {
            section.rows += [
                ReportPage.Row("median distance m", (distances.quantile(0.5) ?? 0).text(decimals: 2)),
                ReportPage.Row("largest distance m", distances[distances.count - 1].text(decimals: 2)),
            ]
        }
        if let alignment = georeference.alignment {
            section.rows += [
                ReportPage.Row(
                    "heading by the track deg",
                    "\(alignment.headingDegrees.text(decimals: 1)) \u{B1} \(alignment.headingSigmaDegrees.text(decimals: 1))"
                ),
                ReportPage.Row("fixes that are not wild", "\(alignment.inlierCount) of \(alignment.pointCount)"),
            ]
        }
        return section
    }
}
