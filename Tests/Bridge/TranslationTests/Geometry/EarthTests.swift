import Codecs
import Messages
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing
import Translation

/// `earth` -> `map` only where it is known, and then right: judged by a geodesy of the tests' own.
@Suite struct EarthTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func play(
        _ walk: SurveyedWalk,
        profile: String = "full",
        _ change: (inout ReplayPlan) -> Void = { _ in }
    ) async throws -> Replayed {
        let path = try walk.builder().write(into: directory.path)
        return try await Replayed(path, profile: profile, epoch: .boot) { plan in
            change(&plan)
        }
    }

    private func earthFromMap(_ replayed: Replayed) throws -> Recording.Transform? {
        let edges = try #require(replayed.all("/tf_static", TFMessage.self).first).transforms
        #expect(edges.contains { $0.childFrameID == "odom" })
        return edges.first { $0.header.frameID == "earth" && $0.childFrameID == "map" }
            .map { Recording.Transform($0.transform) }
    }

    /// Every pose, taken to the Earth through the tree, is where the walk was: for a world of any heading.
    @Test(arguments: [0.0, 37, 130, 250.5], [FramePolicy.ros, .app])
    func mapLiesOnTheEarth(heading: Double, frames: FramePolicy) async throws {
        let replayed = try await play(SurveyedWalk(heading: heading)) { plan in
            plan.headingDegrees = heading
            plan.profile.axes = frames
        }
        let earthFromMap = try #require(try earthFromMap(replayed))
        let poses = replayed.all("/mapping/pose", PoseStamped.self)
        #expect(poses.count == 301)
        for pose in poses {
            let seconds = Double(pose.header.stampNanoseconds) / 1e9 - 1000
            let truth = NaiveEarth.position(
                eastNorthUp: SurveyedWalk.eastNorthUp(seconds),
                of: SurveyedWalk.place
            )
            let found = earthFromMap * Recording.Vector3(pose.pose.position)
            #expect(found.isClose(to: truth, 0.01), "\((found - truth).length) m at \(seconds) s")
        }
        #expect(replayed.setup.georeference.contradictions.isEmpty)
    }

    /// The logger app's worlds have any heading: a track that is long against the accuracy of its fixes tells it.
    @Test(arguments: [0.0, 130, 250.5], [FramePolicy.ros, .app])
    func trackTellsTheHeading(heading: Double, frames: FramePolicy) async throws {
        let replayed = try await play(SurveyedWalk(heading: heading, metadataAlignment: "gravity")) { plan in
            plan.profile.axes = frames
        }
        let earthFromMap = try #require(try earthFromMap(replayed))
        for pose in replayed.all("/mapping/pose", PoseStamped.self) {
            let seconds = Double(pose.header.stampNanoseconds) / 1e9 - 1000
            let truth = NaiveEarth.position(eastNorthUp: SurveyedWalk.eastNorthUp(seconds), of: SurveyedWalk.place)
            let found = earthFromMap * Recording.Vector3(pose.pose.position)
            #expect(found.isClose(to: truth, 0.01), "\((found - truth).length) m at \(seconds) s")
        }
        let metadata = try #require(replayed.all("/mapping/gps/metadata", GPSMetadata.self).first).georeference
        #expect(metadata.contains("\"origin_established\":true") && metadata.contains("60 of 60 fixes along the track"))
        let provenance = replayed.setup.provenance
        #expect(provenance["mapeverything.heading"]?.contains("track of the fixes, uncertain by") == true)
        #expect(provenance["mapeverything.georeference"] == "auto")
        #expect(provenance["mapeverything.origin"] == "60 of 60 fixes along the track")
    }

    /// Every fix lies in the map where the phone was, with its own covariance.
    @Test(arguments: [FramePolicy.ros, .app])
    func fixesInTheMap(frames: FramePolicy) async throws {
        let replayed = try await play(SurveyedWalk(heading: 77)) { $0.profile.axes = frames }
        let messages = replayed.all("/mapping/gps/odometry", Odometry.self)
        #expect(messages.count == 60)
        let variance = (4 / 1.515) * (4 / 1.515)
        for message in messages {
            let seconds = Double(message.header.stampNanoseconds) / 1e9 - 1000
            let world = SurveyedWalk.world(SurveyedWalk.eastNorthUp(seconds), heading: 77) + Vector3(3, -1, 2)
            let truth = frames == .ros ? Vector3(world.x, -world.z, world.y) : world
            let found = Recording.Vector3(message.pose.pose.position)
            #expect(found.isClose(to: truth, 0.01), "\((found - truth).length) m at \(seconds) s")
            #expect(message.header.frameID == "map" && message.childFrameID == "gps_link")
            let covariance = message.pose.covariance
            let up = frames == .ros ? 14 : 7
            #expect([0, 7, 14].allSatisfy { abs(covariance[$0] - ($0 == up ? 36 : variance)) < 1e-9 })
            #expect(covariance[21] == 1e6 && message.twist.covariance[0] == 1e6)
        }
        // Without a place of the map there is none, and it is said.
        let unplaced = try await play(SurveyedWalk(heading: 77, seconds: 6))
        #expect(unplaced.all("/mapping/gps/odometry", Odometry.self).isEmpty)
        let absence = try #require(unplaced.setup.absent.first { $0.name == "/mapping/gps/odometry" })
        #expect(absence.reason.hasPrefix("no earth -> map: heading unknown"))
    }

    /// Aligned to heading, +y of the map is north where the track does not tell it: no option is needed, and one wins.
    @Test func headingOfTheMetadata() async throws {
        let replayed = try await play(SurveyedWalk(seconds: 6, metadataAlignment: "gravity_and_heading"))
        #expect(try earthFromMap(replayed) != nil)
        #expect(replayed.setup.georeference.heading.degrees == 0)
        #expect(replayed.setup.provenance["mapeverything.heading"]?.contains("world_alignment") == true)
        let given = try await play(SurveyedWalk(metadataAlignment: "gravity_and_heading")) { $0.headingDegrees = -90 }
        #expect(given.setup.georeference.heading.degrees == 270)
        #expect(given.setup.georeference.heading.source == "--heading")
    }

    /// The camera of the walk looks along -z of the world, so that its azimuth is the world's.
    @Test(arguments: ["gravity", "gravity_and_heading"])
    func compassTellsTheHeadingOfAWorldThatNothingElseDoes(alignment: String) throws {
        var builder = try SurveyedWalk(heading: 130, seconds: 6, metadataAlignment: alignment).builder()
        let lines = (0..<60).map { tick in
            let degrees = 130 + (tick % 2 == 0 ? 3 : -3)
            return "{\"timestamp\":\(1000 + Double(tick) / 10),\"true_heading\":\(degrees),\"heading_accuracy\":8}\n"
        }
        builder.files["heading.jsonl"] = Array(lines.joined().utf8)
        let directory = try TemporaryDirectory()
        let georeference = try Replayed.setup(builder.write(into: directory.path)).georeference
        let heading = try #require(georeference.heading.degrees)
        if alignment == "gravity" {
            #expect(abs(heading - 130) <= 3 && georeference.heading.source == "compass")
            #expect(georeference.heading.chosen?.sigmaDegrees == 8)
            #expect(georeference.earthFromWorld != nil)
        } else {
            // ARKit's own alignment counts first; what the compass says is kept beside it.
            #expect(heading == 0 && georeference.heading.evidence.map(\.source) == [.metadata, .compass])
        }
    }

    /// A few metres tell no heading: nothing is made up, and it is said.
    @Test(arguments: [nil, "gravity", "camera", "north"] as [String?])
    func noEarthWithoutAHeading(alignment: String?) async throws {
        let replayed = try await play(SurveyedWalk(heading: 130, seconds: 6, metadataAlignment: alignment))
        #expect(try earthFromMap(replayed) == nil)
        let georeference = replayed.setup.georeference
        #expect(georeference.heading.degrees == nil && georeference.origin == nil)
        #expect(try #require(georeference.reasonForAbsence).hasPrefix("heading unknown"))
        #expect(try #require(replayed.setup.provenance["mapeverything.heading"]).hasPrefix("unknown"))
        #expect(replayed.setup.provenance["mapeverything.georeferenced"] == nil)
        let metadata = try #require(replayed.all("/mapping/gps/metadata", GPSMetadata.self).first)
        #expect(metadata.georeference.contains("\"origin_established\":false"))
        #expect(metadata.georeference.contains("heading unknown"))
        #expect(!metadata.georeference.contains("x=east"))
        // A world that is not level has no track to compare with.
        #expect((georeference.alignment == nil) == (alignment == "camera"))
        #expect(georeference.alignment?.tellsHeading != true)
    }

    /// The ways to look for the place, and that each is named.
    @Test func modes() async throws {
        let walk = SurveyedWalk(heading: 130, metadataAlignment: "gravity_and_heading")
        for (mode, degrees) in [(.track, 130), (.firstFix, 0), (.off, 0)] as [(GeoreferenceMode, Double)] {
            let replayed = try await play(walk) { $0.georeference = mode }
            let found = replayed.setup.georeference
            #expect(abs(try #require(found.heading.degrees) - degrees) < 0.1 && found.mode == mode)
            #expect((try earthFromMap(replayed) == nil) == (mode == .off))
            #expect(replayed.setup.provenance["mapeverything.georeference"] == mode.rawValue)
            // Which of them counts is one thing, that they contradict each other another.
            #expect(replayed.setup.diagnostics.count(of: .fixesContradictPoses) == (mode == .off ? 0 : 1))
        }
        let app = try await play(walk, profile: "app")
        #expect(app.setup.georeference.mode == .firstFix)
    }

    /// A world that is not level has no heading at all.
    @Test func tiltedWorldsRefuseAHeading() async throws {
        let walk = SurveyedWalk(metadataAlignment: "camera")
        let error = await #expect(throws: PlanError.self) { try await play(walk) { $0.headingDegrees = 10 } }
        #expect("\(try #require(error))".contains("world_alignment camera"))
    }

    /// The first accurate fix that has a trusted pose, not the first accurate one.
    @Test func originHasATrustedPose() async throws {
        var walk = SurveyedWalk(metadataAlignment: "gravity_and_heading")
        // Tracking is normal from 10 s on, and lost again around 12 s.
        walk.tracking = { $0 < 50 || (58...66).contains($0) ? "limited_features" : "normal" }
        walk.change = { second, fix in if second < 12 { fix["horizontal_accuracy"] = second == 5 ? "3" : "80" } }
        let replayed = try await play(walk) { $0.georeference = .firstFix }
        let origin = try #require(replayed.setup.georeference.origin)
        // At 12.13 s and 13.13 s the frames on either side are not trusted.
        #expect(origin.fix?.time.nanoseconds == 1_014_130_000_000)
        let without = try await play(
            SurveyedWalk(metadataAlignment: "gravity_and_heading", tracking: { _ in "initializing" })
        ) { $0.keepsLimitedTracking = true }
        #expect(try earthFromMap(without) == nil && without.setup.georeference.origin == nil)
        #expect(without.setup.georeference.reasonForAbsence?.contains("normal tracking") == true)
        let coarse = try await play(SurveyedWalk(metadataAlignment: "gravity_and_heading", accuracy: "25.1"))
        #expect(coarse.setup.georeference.origin == nil)
        #expect(coarse.setup.georeference.reasonForAbsence == "no fix is accurate to 25 m")
    }

    /// Height above sea level is none above the ellipsoid: with a geoid it becomes one, without it there is no anchor.
    @Test func heightsNeedAGeoid() async throws {
        var walk = SurveyedWalk(metadataAlignment: "gravity_and_heading")
        walk.hasEllipsoidalAltitude = false
        let without = try await play(walk)
        #expect(try earthFromMap(without) == nil)
        #expect(without.setup.georeference.reasonForAbsence?.contains("--geoid") == true)
        #expect(without.all("/mapping/gps/fix", NavSatFix.self).allSatisfy { $0.altitude.isNaN })
        #expect(without.setup.georeference.heightless?.contains("--geoid FILE gives it") == true)

        let grid = try geoid()
        let with = try await play(walk) { $0.geoid = grid }
        let position = try #require(with.all("/mapping/pose", PoseStamped.self).first).pose.position
        let found = try #require(try earthFromMap(with)) * Recording.Vector3(position)
        let truth = NaiveEarth.position(eastNorthUp: .zero, of: SurveyedWalk.place)
        #expect(found.isClose(to: truth, 0.01), "\((found - truth).length) m")
        let fixes = with.all("/mapping/gps/fix", NavSatFix.self)
        #expect(!fixes.isEmpty)
        #expect(with.setup.georeference.heightless == nil)
        #expect(try #require(with.setup.georeference.origin).heightSource.contains("grid.gtx"))
        // A recorded height wins.
        walk.hasEllipsoidalAltitude = true
        walk.hasAltitude = false
        let recorded = try await play(walk) { $0.geoid = grid }
        #expect(try #require(recorded.setup.georeference.origin).heightSource == "as recorded")
        let truths = recorded.all("/mapping/gps/fix", NavSatFix.self)
        #expect(truths.count == fixes.count && zip(fixes, truths).allSatisfy { abs($0.altitude - $1.altitude) < 0.01 })
        walk.hasEllipsoidalAltitude = false
        let none = try await play(walk) { $0.geoid = grid }
        #expect(none.setup.georeference.reasonForAbsence?.contains("no height") == true)
        let bare = try await play(walk)
        #expect(bare.setup.georeference.reasonForAbsence == none.setup.georeference.reasonForAbsence)
    }

    /// A grid of another part of the Earth is named for what it is.
    @Test func gridsThatDoNotCoverThePlaceAreNamed() async throws {
        var walk = SurveyedWalk(metadataAlignment: "gravity_and_heading")
        walk.hasEllipsoidalAltitude = false
        let elsewhere = try geoid([10, 0, 1, 1])
        let replayed = try await play(walk) { $0.geoid = elsewhere }
        #expect(replayed.setup.georeference.origin == nil)
        let reason = try #require(replayed.setup.georeference.reasonForAbsence)
        #expect(reason.hasPrefix("the geoid grid grid.gtx does not cover the place (-33.85"), "\(reason)")
        #expect(reason.contains(", 151.21"))
    }

    /// A plane of 22.5 m, made from the description of the format: its south and west, and its steps.
    private func geoid(_ corner: [Double] = [-90, -180, 90, 180]) throws -> GeoidGrid {
        func big(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
        var bytes = corner.flatMap { big($0.bitPattern) } + big(Int32(3)) + big(Int32(2))
        for _ in 0..<6 { bytes += big(Float(SurveyedWalk.undulation).bitPattern) }
        let path = directory.appending("grid.gtx")
        try SessionBuilder.write(bytes, to: path)
        return try GeoidGrid(path: path.string)
    }

    /// Fixes turned by 130 degrees against the poses: said where a heading is claimed.
    @Test func contradictionsAreReported() async throws {
        let turned = SurveyedWalk(fixHeading: 130, metadataAlignment: "gravity_and_heading")
        let replayed = try await play(turned)
        let entry = try #require(
            replayed.report.diagnostics.entries.first { $0.kind == .fixesContradictPoses }
        )
        #expect(entry.count == 1 && entry.examples[0].expected.contains("heading of 0.0 degrees"))
        #expect(entry.examples[0].found.hasPrefix("130.0 degrees"))
        let inspection = try await Inspection.run(replayed.setup)
        #expect(inspection.diagnostics.count(of: .fixesContradictPoses) == 1)
        // The heading that fits, given by hand, ends it; a few degrees are a compass's error.
        let mended = try await play(turned) { $0.headingDegrees = 135 }
        #expect(mended.report.diagnostics.count(of: .fixesContradictPoses) == 0)
    }

    /// The app takes its world for one that is aligned to heading; that is its convention, and named as such.
    @Test func appAssumesItsHeading() async throws {
        let replayed = try await play(SurveyedWalk(heading: 130), profile: "app")
        let metadata = try #require(replayed.all("/mapping/gps/metadata", GPSMetadata.self).first)
        #expect(
            metadata.georeference.hasPrefix("{\"map_axis_convention\":\"x=east,y=up,z=-north\",\"map_frame\":\"map\"")
        )
        #expect(metadata.georeference.contains("\"origin_established\":true"))
        #expect(replayed.setup.provenance["mapeverything.heading"] == "0.0 degrees (assumed, as the app does)")
        // The fixes follow the walk, 130 degrees off: that is said, and published as the app would.
        let contradiction = replayed.report.diagnostics.entries.first { $0.kind == .fixesContradictPoses }
        #expect(contradiction?.examples.first?.expected.contains("assumed, as the app does") == true)
    }

    /// What a session says of its world wins over the app's convention.
    @Test(arguments: ["gravity", "camera"])
    func appAssumesNothingThatTheSessionDenies(alignment: String) async throws {
        let replayed = try await play(SurveyedWalk(metadataAlignment: alignment), profile: "app")
        let heading = replayed.setup.georeference.heading
        #expect(heading.degrees == nil && !heading.isAssumed && heading.source.contains(alignment))
        #expect(replayed.setup.georeference.origin == nil)
        let metadata = try #require(replayed.all("/mapping/gps/metadata", GPSMetadata.self).first)
        #expect(metadata.georeference.contains("\"origin_established\":false"))
        #expect(!metadata.georeference.contains("x=east"))
    }
}
