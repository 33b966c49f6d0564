import Recording
import Sessions
import TestSupport
import Testing

/// The decision about a session's place and heading, on walks whose truth is known, and on bad input.
@Suite struct GeoreferenceTests {
    /// A walk of a phone at 1.4 m height above its world's origin, located somewhere on the Earth.
    private struct LocatedWalk {
        var walk = NoisyWalk(extentMetres: 120, noiseMetres: 0, bias: .zero, wildShare: 0)
        var latitude = 48.137
        var longitude = 11.575
        var seed: UInt64 = 1
        var radius: Double? = 4.5

        /// The fixes by a geodesy of the test's own: on the ellipsoid of revolution with its two radii of curvature.
        var fixes: [PlacedFix] {
            walk.points(seed: seed).map { point in
                let place = Self.moved(latitude, longitude, east: point.fix.x, north: point.fix.y)
                var fix = LocationSample(
                    time: Timestamp(nanoseconds: 5_000_000_000_000 + Int64(point.seconds * 1e9)),
                    latitudeDegrees: place.latitude,
                    longitudeDegrees: place.longitude
                )
                fix.horizontalAccuracyMetres = radius
                fix.verticalAccuracyMetres = radius
                fix.ellipsoidalAltitudeMetres = 20 + 1.4
                let position = Vector3(point.track.x, 1.4, -point.track.y)
                return PlacedFix(
                    fix: fix,
                    worldFromCamera: Transform(rotation: .identity, translation: position)
                )
            }
        }

        /// Across a pole and the 180th meridian too: by the polar distance, in the plane there.
        static func moved(
            _ latitude: Double,
            _ longitude: Double,
            east: Double,
            north: Double
        ) -> (latitude: Double, longitude: Double) {
            let e2 = 0.006_694_379_990_14
            let s = sine(latitude * .pi / 180)
            let n = 6_378_137 / (1 - e2 * s * s).squareRoot()
            let m = n * (1 - e2) / (1 - e2 * s * s)
            if abs(latitude) < 89 {
                let moved = longitude + east / (n * cosine(latitude * .pi / 180)) * 180 / .pi
                return (latitude + north / m * 180 / .pi, moved > 180 ? moved - 360 : moved)
            }
            // Near the north pole: x along the meridian of the walk's beginning, towards the equator.
            let (x, y) = ((90 - latitude) * .pi / 180 * m - north, east)
            let distance = (x * x + y * y).squareRoot() / m * 180 / .pi
            let around = longitude + arcTangent(y, x) * 180 / .pi
            return (90 - distance, around > 180 ? around - 360 : around < -180 ? around + 360 : around)
        }
    }

    private func georeference(_ fixes: [PlacedFix], _ request: GeoreferenceRequest = .init()) -> Georeference {
        var track = FixTrack()
        for fix in fixes { track.add(fix.fix, worldFromCamera: fix.worldFromCamera) }
        return Georeference(track, request)
    }

    /// How far every place of the walk is from where its fix says it is, at most.
    private func worstMiss(_ found: Georeference, _ fixes: [PlacedFix]) throws -> Double {
        let earthFromWorld = try #require(found.earthFromWorld)
        return fixes.map { place in
            let truth = Geodesy.earthPosition(
                latitudeDegrees: place.fix.latitudeDegrees,
                longitudeDegrees: place.fix.longitudeDegrees,
                heightMetres: 21.4
            )
            return (earthFromWorld * place.worldFromCamera.translation - truth).length
        }.max() ?? .infinity
    }

    /// Exact fixes put every pose where it was: anywhere on the Earth.
    @Test(
        arguments: [
            (48.137, 11.575), (-33.857, 151.215), (0, 0), (0.0002, -0.0003), (61, 179.9998), (-16.5, -179.9999),
            (89.99995, 20), (89.9998, -170),
        ] as [(Double, Double)],
        [0.0, 130, 359.9]
    )
    func exactFixesPutTheWorldInItsPlace(place: (Double, Double), heading: Double) throws {
        var walk = LocatedWalk(latitude: place.0, longitude: place.1)
        walk.walk.headingDegrees = heading
        let found = georeference(walk.fixes)
        #expect(try worstMiss(found, walk.fixes) < 0.01)
        #expect(found.heading.chosen?.source == .track && found.contradictions.isEmpty)
        let origin = try #require(found.origin)
        #expect(origin.fix == nil && origin.heightSource == "as recorded" && abs(origin.heightMetres - 21.4) < 0.01)
        // A third of a degree of east is a kilometre or nothing: the heading holds at the origin.
        if abs(place.0) < 89 { #expect(angle(try #require(found.heading.degrees), heading) < 0.01) }
    }

    @Test func noiseAndWildFixes() throws {
        var walk = LocatedWalk(walk: NoisyWalk(shape: .block, extentMetres: 200, headingDegrees: 70))
        walk.walk.bias = .zero
        for seed in 0..<20 as Range<UInt64> {
            walk.seed = seed
            var fixes = walk.fixes
            // Two of them on the other side of the Earth, where the plane of the walk ends, and some with wild heights.
            fixes[7].fix.latitudeDegrees *= -1
            fixes[7].fix.longitudeDegrees -= 180
            fixes[0].fix.latitudeDegrees = 12
            for index in stride(from: 9, to: fixes.count, by: 4) {
                fixes[index].fix.ellipsoidalAltitudeMetres = 200 + Double(index)
            }
            let found = georeference(fixes)
            let origin = try #require(found.origin)
            let chosen = try #require(found.heading.chosen)
            #expect(angle(chosen.degrees, 70) < 3 * (try #require(chosen.sigmaDegrees)))
            #expect(abs(origin.heightMetres - 21.4) < 0.01)
            // A bias of all fixes as large as they claim, and what the noise leaves.
            for axis in 0..<3 { #expect((2.9...5).contains(origin.covariance[5 * axis].squareRoot())) }
            #expect(found.alignment?.pointCount == fixes.count)
            #expect((found.alignment?.inlierCount ?? 0) < fixes.count * 9 / 10)
        }
    }

    /// The order of the lines is no order of times.
    @Test func fixesInTheWrongOrder() throws {
        let walk = LocatedWalk(walk: NoisyWalk(headingDegrees: 250))
        let sorted = georeference(walk.fixes)
        var numbers = SeededRandomNumbers(seed: 3)
        let shuffled = georeference(walk.fixes.shuffled(using: &numbers))
        let (one, other) = (try #require(sorted.heading.chosen), try #require(shuffled.heading.chosen))
        #expect(angle(one.degrees, other.degrees) < 0.5)
        #expect(abs(try #require(one.sigmaDegrees) - (try #require(other.sigmaDegrees))) < 0.2)
    }

    @Test func fixesWithoutAccuracyPlaceNothing() {
        let found = georeference(LocatedWalk(radius: nil).fixes)
        #expect(found.alignment == nil && found.origin == nil && found.contradictions.isEmpty)
        #expect(found.reasonForAbsence == "no fix is accurate to 25 m")
    }

    /// One place again and again, while the camera walked: a phone that kept a cached fix.
    @Test func fixesAllAlike() {
        var fixes = LocatedWalk().fixes
        for index in fixes.indices {
            (fixes[index].fix.latitudeDegrees, fixes[index].fix.longitudeDegrees) = (48, 11)
        }
        let found = georeference(fixes)
        #expect(found.heading.degrees == nil && found.earthFromWorld == nil)
        #expect(found.contradictions.map(\.expected) == ["fixes that move on with the camera"])
        // Nor when the phone lay still.
        for index in fixes.indices { fixes[index].worldFromCamera = .identity }
        let still = georeference(fixes)
        #expect(still.heading.degrees == nil && still.alignment?.headingSigmaDegrees == 180)
        #expect(still.contradictions.isEmpty)
    }

    /// A receiver that stops for a while says nothing of that part of the walk, and is no evidence for the rest.
    @Test func fixesThatFreeze() throws {
        var fixes = LocatedWalk().fixes
        let frozen = fixes.count / 3..<2 * fixes.count / 3
        for index in frozen {
            fixes[index].fix.latitudeDegrees = fixes[frozen.lowerBound].fix.latitudeDegrees
            fixes[index].fix.longitudeDegrees = fixes[frozen.lowerBound].fix.longitudeDegrees
        }
        let found = georeference(fixes)
        #expect(found.contradictions.map(\.field) == ["latitude"], "\(found.contradictions)")
        let alignment = try #require(found.alignment)
        #expect(alignment.pointCount <= fixes.count - frozen.count + 3 && alignment.medianResidualMetres < 0.1)
    }

    /// A heading that was given is judged by how far the fixes lie from the track with it, where noise that lasts leaves
    /// the track's own heading uncertain too.
    @Test func residualsExcludeAHeading() throws {
        var located = LocatedWalk()
        located.walk = NoisyWalk(extentMetres: 24, headingDegrees: 40, noiseMetres: 0.3, claimedMetres: 5, wildShare: 0)
        located.radius = 7.5
        let wrong = georeference(located.fixes, GeoreferenceRequest(headingDegrees: 170))
        #expect(wrong.contradictions.map { $0.expected.contains("170") } == [true], "\(wrong.contradictions)")
        let assumed = georeference(located.fixes, GeoreferenceRequest(assumesHeading: true))
        #expect(assumed.heading.isAssumed == (assumed.heading.chosen?.source == .assumed))
        let right = georeference(located.fixes, GeoreferenceRequest(headingDegrees: 40))
        #expect(right.contradictions.isEmpty, "\(right.contradictions)")
    }

    /// Three fixes tell a heading only if none of them is wild, which they cannot.
    @Test(arguments: 0...3)
    func fewFixes(count: Int) throws {
        var fixes = LocatedWalk().fixes
        fixes = (0..<count).map { fixes[$0 * 50] }
        let found = georeference(fixes)
        #expect(found.heading.degrees == nil && (found.alignment == nil) == (count < 3))
        let aligned = georeference(fixes, GeoreferenceRequest(worldAlignment: .gravityAndHeading))
        #expect((aligned.origin == nil) == (count == 0))
        if count > 0 { #expect(try worstMiss(aligned, Array(fixes.prefix(1))) < 0.01) }
        // The first fix where there are too few, the centre of all of them else.
        #expect((aligned.origin?.fix == nil) == (count == 0 || count == 3))
    }

    /// A session without fixes, one with fixes and no poses.
    @Test(arguments: GeoreferenceMode.allCases)
    func nothingToGoBy(mode: GeoreferenceMode) {
        let request = GeoreferenceRequest(mode: mode, worldAlignment: .gravityAndHeading)
        let none = georeference([], request)
        #expect(none.origin == nil && none.earthFromWorld == nil)
        #expect(none.reasonForAbsence == (mode == .off ? "--georeference off" : "the session has no GPS fixes"))
        var track = FixTrack()
        for fix in LocatedWalk().fixes { track.add(fix.fix, worldFromCamera: nil) }
        let poseless = Georeference(track, request)
        #expect(poseless.origin == nil && poseless.alignment == nil && poseless.reasonForAbsence != nil)
    }

    /// The first accurate fix as the app takes it, with what is known of the heading besides the track.
    @Test func firstFix() throws {
        var walk = LocatedWalk()
        walk.walk.headingDegrees = 90
        var fixes = walk.fixes
        fixes[0].fix.horizontalAccuracyMetres = 26
        let unknown = georeference(fixes, GeoreferenceRequest(mode: .firstFix))
        #expect(unknown.origin == nil && unknown.heading.degrees == nil && unknown.alignment != nil)
        let found = georeference(fixes, GeoreferenceRequest(mode: .firstFix, headingDegrees: 90))
        let origin = try #require(found.origin)
        #expect(origin.fix?.time == fixes[1].fix.time && origin.world == fixes[1].worldFromCamera.translation)
        #expect(abs(origin.horizontalAccuracyMetres - 4.5) < 1e-9 && origin.covariance[15].isNaN)
        #expect(try worstMiss(found, fixes) < 0.01)
    }

    /// Many fixes cost no more memory than some thousand, and the selection is even.
    @Test func manyFixes() throws {
        var track = FixTrack()
        let walk = LocatedWalk().fixes
        for index in 0..<20_000 {
            var place = walk[index % walk.count]
            place.fix.time = Timestamp(nanoseconds: Int64(index) * 1_000_000_000)
            track.add(place.fix, worldFromCamera: place.worldFromCamera)
        }
        #expect(track.fixCount == 20_000 && (2048...4096).contains(track.places.count))
        let times = track.places.map(\.fix.time.seconds)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == times[1] - times[0] })
        #expect(Georeference(track, GeoreferenceRequest()).heading.chosen?.source == .track)
    }
}
