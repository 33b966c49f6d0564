import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// What a check of a whole session finds, and that it finds nothing where nothing is wrong.
@Suite struct SessionCheckTests {
    private func check(_ builder: SessionBuilder, jobs: Int = 2) async throws -> SessionCheckReport {
        let directory = try TemporaryDirectory()
        return try await SessionCheck(path: builder.write(into: directory.path).string, jobs: jobs).run()
    }

    private func kinds(_ report: SessionCheckReport) -> [ProblemKind: Int] {
        Dictionary(uniqueKeysWithValues: report.findings.map { ($0.kind, $0.count) })
    }

    private func places(_ report: SessionCheckReport, _ kind: ProblemKind) -> [String] {
        report.findings.first { $0.kind == kind }?.places.map(\.place) ?? []
    }

    @Test(arguments: SessionBuilder.Generation.allCases)
    func soundSessionHasNoFinding(generation: SessionBuilder.Generation) async throws {
        let report = try await check(SessionBuilder(frameCount: 40, generation: generation))
        #expect(report.findings.isEmpty && report.isSound, "\(report.findings)")
        let examined = report.examined
        #expect(examined.frames == 40 && examined.frameLines == 40 && examined.images == 40)
        #expect(examined.depthMaps == 40 && examined.confidenceMaps == 40)
        #expect(examined.motionLines == (generation == .zero ? 20 : 0))
    }

    @Test func damageIsFoundWithPlaceAndAdvice() async throws {
        var builder = try SessionBuilder(frameCount: 8)
        builder.files["rgb/000001.jpg"]?.removeLast(40)
        builder.files["depth/000002.bin"]?.removeLast()
        builder.files["confidence/000003.bin"] = [1]
        builder.files["depth/000004.bin"] = nil
        builder.lines[5]["camera_transform"] = "[1]"
        builder.files["rgb/000050.jpg"] = [1]
        builder.tail = Array("{\"frame_index\":8,".utf8)
        let report = try await check(builder)
        #expect(
            kinds(report) == [
                .truncatedImage: 1, .wrongDepthSize: 1, .wrongConfidenceSize: 1, .missingDepth: 1, .badField: 1,
                .orphanFile: 1, .cutLastLine: 1, .frameCountDiffers: 1,
            ]
        )
        #expect(places(report, .truncatedImage) == ["rgb/000001.jpg"])
        #expect(places(report, .badField) == ["frames.jsonl:6:camera_transform"])
        #expect(places(report, .cutLastLine) == ["frames.jsonl:9"])
        #expect(!report.isSound && report.findings.reduce(0) { $0 + ($1.severity == .error ? $1.count : 0) } == 6)
        #expect(report.findings.map(\.severity) == report.findings.map(\.severity).sorted(by: >))
        #expect(report.findings.allSatisfy { !$0.advice.isEmpty && !$0.explanation.isEmpty })
    }

    /// A sound header and end with a destroyed middle: only decoding shows it.
    @Test func imagesAreDecodedAsAWhole() async throws {
        var builder = try SessionBuilder(frameCount: 3)
        var image = try SessionBuilder.jpeg(.landscapeRight)
        let scan = try #require((0..<image.count - 1).first { image[$0] == 0xFF && image[$0 + 1] == 0xDA })
        for place in (scan + 14)..<(image.count - 2) { image[place] = 0xFE }
        builder.files["rgb/000001.jpg"] = image
        let report = try await check(builder)
        #expect(kinds(report) == [.brokenImage: 1] && report.examined.images == 2)
    }

    @Test func missingFoldersAreMissingFiles() async throws {
        var builder = try SessionBuilder(frameCount: 7)
        for file in builder.files.keys where !file.hasPrefix("confidence/") { builder.files[file] = nil }
        let report = try await check(builder)
        #expect(kinds(report) == [.missingImage: 7, .missingDepth: 7, .emptyFrame: 7])
        #expect(places(report, .missingImage) == (0..<5).map { "rgb/00000\($0).jpg" })
        #expect(!report.isSound)
    }

    @Test func missingMetadataIsAWarning() async throws {
        var builder = try SessionBuilder()
        builder.metadata = nil
        let report = try await check(builder)
        #expect(kinds(report) == [.missingMetadata: 1] && report.isSound)
        #expect(report.findings[0].severity == .warning)
    }

    @Test func gapsAreMeasuredAgainstTheMedian() async throws {
        var builder = try SessionBuilder(frameCount: 30, framesPerSecond: 20)
        for index in 20..<30 {
            builder.lines[index]["timestamp"] = "\(1004 + Double(index) / 20)"
            builder.lines[index]["imu_timestamp"] = "\(1004.03 + Double(index) / 20)"
        }
        builder.metadata?["endTimestamp"] = "1006"
        let report = try await check(builder)
        #expect(kinds(report) == [.frameGap: 1, .motionGap: 1] && report.isSound)
        #expect(places(report, .frameGap) == ["frames.jsonl:21:timestamp"])
        #expect(report.findings[0].places[0].found == "4.05 s")
    }

    @Test func slowRecordingsHaveNoGaps() async throws {
        let report = try await check(SessionBuilder(frameCount: 30, framesPerSecond: 0.5))
        #expect(report.findings.isEmpty, "\(report.findings)")
    }

    @Test func optionalValuesThatDoNotReadAreNamed() async throws {
        var builder = try SessionBuilder(frameCount: 4)
        builder.lines[0]["attitude_quaternion"] = "[0,0,0,2]"
        builder.lines[1]["device_orientation"] = "\"sideways\""
        builder.lines[2]["magnetic_field"] = "null"
        builder.lines[3]["frame_sharpness"] = "\"high\""
        builder.addLocations(count: 2, secondsApart: 1)
        builder.files["gps.jsonl"] = Array(
            String(decoding: try #require(builder.files["gps.jsonl"]), as: UTF8.self)
                .replacing("1609.5", with: "\"high\"").utf8
        )
        builder.metadata?["sessionID"] = "\"a\""
        let directory = try TemporaryDirectory()
        let path = try builder.write(into: directory.path, as: "recording")
        let report = try await SessionCheck(path: path.string).run()
        #expect(report.isSound && report.examined.locationLines == 2)
        #expect(
            places(report, .badOptionalField) == [
                "frames.jsonl:1:attitude_quaternion", "frames.jsonl:2:device_orientation",
                "frames.jsonl:4:frame_sharpness", "gps.jsonl:1:altitude", "gps.jsonl:2:altitude",
            ]
        )
    }

    @Test func attitudesThatGravityContradictsAreNamedOnce() async throws {
        var builder = try SessionBuilder(frameCount: 10)
        // 0.2 rad about x, where gravity says level.
        for line in 0..<10 {
            builder.lines[line]["gravity"] = "[0,0,-1]"
            builder.lines[line]["attitude_quaternion"] = "[0.0998334166,0,0,0.9950041653]"
        }
        let report = try await check(builder)
        #expect(kinds(report)[.attitudeDisagrees] == 1)
    }

    /// Of a part of the samples the attitude is inverted, or gravity negated: no median shows it.
    @Test(arguments: [("attitude_quaternion", ProblemKind.attitudeDisagrees), ("gravity", .gravityDisagrees)])
    func contradictionsOfAPartAreFound(field: String, kind: ProblemKind) async throws {
        var builder = try SessionBuilder(frameCount: 20)
        for line in 0..<8 {
            builder.lines[line]["attitude_quaternion"] = field == "gravity" ? nil : "[0,-0.7071067812,0,0.7071067812]"
            if field == "gravity" { builder.lines[line][field] = "[-1,0,0]" }
        }
        let report = try await check(builder)
        #expect(kinds(report) == [kind: 1])
        #expect(report.findings.first?.places.first?.found.contains("40.0 % of") == true, "\(report.findings)")
    }

    @Test func samplesOfTheUnusedTableAreReadToo() async throws {
        var builder = try SessionBuilder(generation: .zero)
        builder.files["imu.jsonl"] = Array(
            (0..<4).map {
                "{\"timestamp\":1000.\($0),\"user_acceleration\":[0,0,0],\"rotation_rate\":[0,0,0],"
                    + "\"gravity\":[1,0,0],\"attitude_quaternion\":[0,0,0.1,0]}\n"
            }.joined().utf8
        )
        builder.files["imu.csv"] = Array((SessionBuilder.motionTable(sampleCount: 3) + "1,2\n9,9").utf8)
        let report = try await check(builder)
        #expect(kinds(report) == [.badOptionalField: 4, .badMotionSample: 1, .cutLastLine: 1])
    }

    @Test func oddIntrinsicsAreAWarning() async throws {
        var builder = try SessionBuilder()
        builder.lines[2]["camera_intrinsics"] = "[50,0,0,0,80,0,32.25,23.75,1]"
        builder.lines[3]["camera_intrinsics"] = "[50,0,0,0,50,0,2.25,23.75,1]"
        let report = try await check(builder)
        #expect(kinds(report) == [.oddIntrinsics: 2] && report.isSound)
        #expect(places(report, .oddIntrinsics)[0] == "frames.jsonl:3:camera_intrinsics")
    }

    @Test func depthWithoutValuesIsAWarning() async throws {
        var builder = try SessionBuilder()
        builder.files["depth/000001.bin"] = SessionBuilder.depth(
            metres: (0..<SessionBuilder.depthSize.count).map { [0, -1, .nan, .infinity][$0 % 4] }
        )
        let report = try await check(builder)
        #expect(places(report, .emptyDepth) == ["depth/000001.bin"] && report.isSound)
    }

    @Test func mixedOrientationsAreANote() async throws {
        let report = try await check(SessionBuilder { $0 < 2 ? .portrait : .landscapeLeft })
        #expect(kinds(report) == [.mixedOrientations: 1] && report.findings[0].severity == .note)
        #expect(report.findings[0].places[0].found == "2 landscapeLeft, 2 portrait, in 1 changes")
    }

    @Test func clocksAreCompared() async throws {
        var builder = try SessionBuilder()
        // The name says March 2026, the fixes January.
        builder.addLocations(count: 4, secondsApart: 0.5)
        #expect(kinds(try await check(builder)) == [.clocksDisagree: 1])
        builder.metadata?["startUnixTime"] = "1767268700"
        let report = try await check(builder)
        #expect(places(report, .clocksDisagree) == ["metadata.json:startUnixTime"])
        builder.metadata?["startUnixTime"] = "1767268800"
        builder.metadata?["sessionID"] = "\"session_20260101_140000\""
        #expect(kinds(try await check(builder)).isEmpty)
    }

    @Test func clockJumpsAndForeignSamplesAreFound() async throws {
        var builder = try SessionBuilder()
        builder.metadata?["sessionID"] = "\"session_20260101_140000\""
        builder.addLocations(count: 4, secondsApart: 0.5)
        let text = String(decoding: try #require(builder.files["gps.jsonl"]), as: UTF8.self)
        builder.files["gps.jsonl"] = Array(text.replacing("1767268802", with: "1767269802").utf8)
        let report = try await check(builder)
        #expect(kinds(report) == [.clockJump: 2])
        builder.files["gps.jsonl"] = Array(text.replacing("\"timestamp\":100", with: "\"timestamp\":500").utf8)
        let foreign = try await check(builder)
        #expect(kinds(foreign)[.sampleOutsideSession] == 4 && kinds(foreign)[.streamOutsideSession] == 1)
        #expect(foreign.findings.first { $0.kind == .streamOutsideSession }?.severity == .error)
        #expect(foreign.findings.first { $0.kind == .sampleOutsideSession }?.severity == .warning)
    }

    /// Fixes that cannot be of this walk: a cached one, one from another continent, and all of them turned.
    @Test func fixesAreComparedWithThePoses() async throws {
        func session(
            _ alignment: String?,
            _ change: (Int, inout (east: Double, north: Double)) -> Void
        ) throws
            -> SessionBuilder
        {
            var builder = try SessionBuilder(frameCount: 2)
            builder.metadata?["sessionID"] = "\"walk\""
            builder.metadata?["frameCount"] = "121"
            builder.metadata?["endTimestamp"] = "1121"
            if let alignment { builder.metadata?["world_alignment"] = "\"\(alignment)\"" }
            let line = builder.lines[0]
            // North for a minute, then east: -z is north where the world is aligned to heading.
            builder.lines = (0...120).map { second in
                var line = line
                let (east, north) = (1.2 * Double(max(0, second - 60)), 1.2 * Double(min(second, 60)))
                line["frame_index"] = "\(second)"
                line["timestamp"] = "\(1000 + second)"
                line["imu_timestamp"] = "\(1000.01 + Double(second))"
                line["camera_transform"] = "[-1,0,0,0, 0,-1,0,0, 0,0,1,0, \(east),0,\(-north),1]"
                return line
            }
            let fixes = (0...120).map { second in
                var place = (east: 1.2 * Double(max(0, second - 60)), north: 1.2 * Double(min(second, 60)))
                change(second, &place)
                // Degrees of a sphere are near enough for what is asked.
                let (latitude, longitude) = (48 + place.north / 111_195, 11 + place.east / 111_195 / 0.669_13)
                return "{\"timestamp\":\(1000 + second),\"latitude\":\(latitude),\"longitude\":\(longitude),"
                    + "\"horizontal_accuracy\":5}\n"
            }
            builder.files["gps.jsonl"] = Array(fixes.joined().utf8)
            return builder
        }
        func fixKinds(_ builder: SessionBuilder) async throws -> [ProblemKind: Int] {
            kinds(try await check(builder)).filter {
                [.fixesContradictPoses, .fixLeaps, .sampleOutsideSession].contains($0.key)
            }
        }
        func turn(_ place: inout (east: Double, north: Double)) { place = (-place.north, place.east) }
        #expect(try await fixKinds(session("gravity_and_heading") { _, _ in }) == [:])
        #expect(try await fixKinds(session("gravity_and_heading") { turn(&$1) }) == [.fixesContradictPoses: 1])
        // Where no heading is claimed, none is contradicted.
        #expect(try await fixKinds(session(nil) { turn(&$1) }) == [:])
        // A walk ten times as long is another walk, however it is turned.
        let long = try session(nil) { $1 = (10 * $1.east, 10 * $1.north) }
        #expect(try await fixKinds(long) == [.fixesContradictPoses: 1])
        // Some wild ones are no contradiction of the others; each leap there and back is one.
        let wild = try session("gravity_and_heading") { if $0 % 40 == 20 { $1.east += 4e6 } }
        #expect(try await fixKinds(wild) == [.fixLeaps: 6])
        var stale = try session("gravity_and_heading") { _, _ in }
        let cached = "{\"timestamp\":400,\"latitude\":48,\"longitude\":11,\"horizontal_accuracy\":5}\n"
        stale.files["gps.jsonl"] = Array(cached.utf8) + (stale.files["gps.jsonl"] ?? [])
        #expect(try await fixKinds(stale) == [.sampleOutsideSession: 1])
        #expect(places(try await check(stale), .sampleOutsideSession) == ["gps.jsonl:1:timestamp"])
    }

    /// What is said of samples around the frames fits an old fix, a late one, and IMU samples that began early.
    @Test(arguments: [("gps.jsonl", -100.0), ("gps.jsonl", 100), ("imu.jsonl", -5)])
    func adviceFitsSamplesOnEitherSide(file: String, seconds: Double) async throws {
        var builder = try SessionBuilder()
        let lines = [SessionBuilder.startSeconds + seconds, SessionBuilder.startSeconds].map {
            "{\"timestamp\":\($0),\"latitude\":1,\"longitude\":2,\"user_acceleration\":[0,0,0],"
                + "\"rotation_rate\":[0,0,0],\"gravity\":[1,0,0]}\n"
        }
        builder.files[file] = Array(lines.joined().utf8)
        let finding = try #require(try await check(builder).findings.first { $0.kind == .sampleOutsideSession })
        #expect(finding.count == 1 && finding.advice.contains("old fix first"))
        #expect(finding.advice.contains("before the frames") && finding.advice.contains("after them"))
    }

    @Test func tilesAreReadAll() async throws {
        var builder = try SessionBuilder()
        builder.metadata?["sessionID"] = "\"session_20260101_140000\""
        builder.addLocations(count: 1)
        builder.addTiles([SessionBuilder.tileLayer(.satelliteImagery)])
        builder.files["tiles/satellite/9/106/194.jpg"] = try SessionBuilder.jpeg(width: 256, height: 256)
        builder.files["tiles/satellite/9/106/195.jpg"] = try SessionBuilder.jpeg(width: 64, height: 64)
        builder.files["tiles/satellite/9/106/notes.txt"] = [1]
        let report = try await check(builder)
        #expect(report.examined.tiles == 2 && kinds(report) == [.badTiles: 1])
        #expect(places(report, .badTiles) == ["tiles/satellite/9/106/195.jpg"])
        builder.files["tiles/satellite/9/106/194.jpg"] = nil
        #expect(kinds(try await check(builder)) == [.badTiles: 1, .missingTile: 1])
    }

    @Test func findingsDoNotDependOnTheNumberOfJobs() async throws {
        var builder = try SessionBuilder(frameCount: 90)
        for index in stride(from: 1, to: 90, by: 3) {
            builder.files["rgb/\(SessionBuilder.number(index)).jpg"]?.removeLast(20)
            builder.files["depth/\(SessionBuilder.number(index + 1)).bin"]?[0] = 0
            builder.files["confidence/\(SessionBuilder.number(index + 1)).bin"]?[0] = 7
        }
        let reports = try await [check(builder, jobs: 1), check(builder, jobs: 2), check(builder, jobs: 5)]
        for report in reports {
            #expect(report.findings.map(\.places) == reports[0].findings.map(\.places))
            #expect(report.examined == reports[0].examined)
            #expect(kinds(report) == [.truncatedImage: 30, .confidenceOutOfRange: 30])
        }
    }

    @Test func whatIsNoSessionIsAnError() async throws {
        let directory = try TemporaryDirectory()
        await #expect(throws: SessionError.self) { try await SessionCheck(path: directory.path.string).run() }
    }

    @Test(arguments: ["zip", "tar"])
    func archivesAreCheckedLikeFolders(kind: String) async throws {
        var builder = try SessionBuilder(frameCount: 3)
        builder.files["depth/000001.bin"]?.removeLast()
        builder.files["rgb/000009.jpg"] = [1]
        let entries = HandmadeArchives.entries(builder.contents, under: "\(SessionBuilder.name)/")
        let directory = try TemporaryDirectory()
        let path = directory.appending("session.\(kind)")
        try SessionBuilder.write(
            kind == "zip" ? HandmadeArchives.zip(entries) : HandmadeArchives.tar(entries),
            to: path
        )
        let report = try await SessionCheck(path: path.string).run()
        #expect(kinds(report) == [.wrongDepthSize: 1, .orphanFile: 1])
    }

    @Test(
        .enabled(
            if: RealSessionTests.captures.allSatisfy { Captures.have($0.folder) },
            Comment(rawValue: Captures.absence)
        ),
        arguments: RealSessionTests.captures
    )
    func realCapturesRaiseNoFalseAlarm(_ expected: RealSessionTests.Expected) async throws {
        let path = Captures.root.appending(expected.folder).string
        let report = try await SessionCheck(path: path, jobs: 2).run()
        var known = expected.orientations.count > 1 ? [ProblemKind.mixedOrientations: 1] : [:]
        // One of them came without confidence.
        if !Captures.have("\(expected.folder)/confidence") { known[.noConfidence] = 1 }
        #expect(kinds(report) == known, "\(report.findings)")
        #expect(report.examined.images == expected.frames && report.examined.depthMaps == expected.frames)
    }
}
