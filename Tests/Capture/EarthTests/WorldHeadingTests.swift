import Recording
import Sessions
import Testing

/// Which source of the heading counts, and what is said of the others.
@Suite struct WorldHeadingTests {
    /// A walk with fixes of 3 m that tells a heading of 100 degrees, or is too short to.
    private func track(_ extentMetres: Double) -> FixTrack {
        let walk = NoisyWalk(extentMetres: extentMetres, headingDegrees: 100, noiseMetres: 0, wildShare: 0)
        var track = FixTrack()
        for point in walk.points(seed: 1) {
            // Degrees of a sphere at the equator are near enough for what is asked.
            var fix = LocationSample(
                time: Timestamp(nanoseconds: Int64(point.seconds * 1e9)),
                latitudeDegrees: point.fix.y / 110_574,
                longitudeDegrees: 20 + point.fix.x / 111_319
            )
            fix.horizontalAccuracyMetres = 4.5
            fix.ellipsoidalAltitudeMetres = 10
            let position = Vector3(point.track.x, 0, -point.track.y)
            track.add(fix, worldFromCamera: Transform(rotation: .identity, translation: position))
        }
        return track
    }

    private func decide(_ extentMetres: Double, _ request: GeoreferenceRequest) -> Georeference {
        Georeference(track(extentMetres), request)
    }

    @Test func theFirstSourceCounts() throws {
        let compass = CompassObservation(headingDegrees: 104, sigmaDegrees: 8)
        var request = GeoreferenceRequest(
            headingDegrees: -255,
            worldAlignment: .gravityAndHeading,
            compass: compass,
            assumesHeading: true
        )
        let given = decide(80, request).heading
        #expect(given.degrees == 105 && given.chosen?.source == .option && given.text == "105.0 degrees (--heading)")
        #expect(given.evidence.map(\.source) == [.option, .track, .metadata, .compass])

        request.headingDegrees = nil
        let tracked = decide(80, request).heading
        #expect(abs(try #require(tracked.degrees) - 100) < 0.1 && tracked.chosen?.source == .track)
        #expect(tracked.text.hasPrefix("100.0 degrees (track of the fixes, uncertain by "))
        // Too short a track leaves it to the metadata, those to the compass.
        let short = decide(5, request)
        #expect(short.heading.degrees == 0 && short.heading.chosen?.source == .metadata && short.contradictions.isEmpty)
        request.worldAlignment = .gravity
        let measured = decide(5, request).heading
        #expect(measured.degrees == 104 && measured.chosen?.sigmaDegrees == 8)
        #expect(measured.text == "104.0 degrees (compass, uncertain by 8.0)")
        request.compass = nil
        // What a session says of its world counts, so that nothing is assumed.
        let unknown = decide(5, request)
        #expect(unknown.heading.degrees == nil && unknown.heading.text == "unknown (world_alignment gravity)")
        #expect(unknown.reasonForAbsence == "heading unknown (world_alignment gravity)" && unknown.origin == nil)
        request.worldAlignment = nil
        let assumed = decide(5, request)
        #expect(assumed.heading.degrees == 0 && assumed.heading.isAssumed && assumed.earthFromWorld != nil)
    }

    /// In the mode that is named after it the track alone counts; in that of the app it does not.
    @Test func modesChooseTheirSources() throws {
        var request = GeoreferenceRequest(mode: .track, worldAlignment: .gravityAndHeading)
        #expect(decide(80, request).heading.chosen?.source == .track)
        let short = decide(5, request)
        #expect(short.heading.degrees == nil && short.earthFromWorld == nil)
        #expect(try #require(short.reasonForAbsence).hasPrefix("heading unknown ("))
        request.mode = .firstFix
        #expect(decide(80, request).heading.chosen?.source == .metadata)
        request.mode = .off
        let off = decide(80, request)
        #expect(off.earthFromWorld == nil && off.reasonForAbsence == "--georeference off")
    }

    /// Whoever contradicts the track is named with what it says, and so is the track: whichever of them counts.
    @Test func contradictionsNameBoth() throws {
        let compass = CompassObservation(headingDegrees: 160, sigmaDegrees: 10)
        let found = decide(80, GeoreferenceRequest(compass: compass))
        #expect(found.heading.chosen?.source == .track)
        let contradiction = try #require(found.contradictions.first)
        #expect(found.contradictions.count == 1)
        #expect(contradiction.expected == "a heading of 160.0 degrees (compass)")
        #expect(contradiction.found.hasPrefix("100.0 degrees, uncertain by "))

        let given = decide(80, GeoreferenceRequest(headingDegrees: 300, worldAlignment: .gravityAndHeading))
        #expect(given.heading.degrees == 300)
        // What is given takes the place of what the metadata claims.
        #expect(given.contradictions.map { $0.expected.contains("--heading") } == [true])
        // Within what a compass is off by, or within three standard deviations.
        for request in [
            GeoreferenceRequest(headingDegrees: 112),
            GeoreferenceRequest(compass: CompassObservation(headingDegrees: 160, sigmaDegrees: 30)),
        ] { #expect(decide(80, request).contradictions.isEmpty) }
        // What is only assumed is held to how far the fixes then lie from the track.
        let assumed = decide(80, GeoreferenceRequest(mode: .firstFix, assumesHeading: true))
        #expect(assumed.contradictions.map { $0.expected.contains("assumed") } == [true])
        #expect(decide(5, GeoreferenceRequest(compass: compass)).contradictions.isEmpty)
    }

    /// A world that is not level has no heading, and no track against the fixes.
    @Test func tiltedWorlds() {
        let compass = CompassObservation(headingDegrees: 160, sigmaDegrees: 10)
        let found = decide(80, GeoreferenceRequest(worldAlignment: .camera, compass: compass))
        #expect(found.heading.degrees == nil && found.alignment == nil && found.earthFromWorld == nil)
        #expect(found.reasonForAbsence == "heading unknown (world_alignment camera: the world is not level)")
    }
}
