import Glibc
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// Files that are almost right: a byte order mark, keys that come twice, values of other types, things that are no files.
@Suite struct AmbiguityTests {
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private func check(_ path: FilePath) async throws -> [ProblemKind: Int] {
        let report = try await SessionCheck(path: path.string).run()
        return Dictionary(uniqueKeysWithValues: report.findings.map { ($0.kind, $0.count) })
    }

    /// Before, the mark cost the first frame, the first sample and all of metadata.json.
    @Test func byteOrderMarksCostNothing() async throws {
        var builder = try SessionBuilder(frameCount: 4, generation: .two)
        builder.addLocations(count: 4, secondsApart: 0.2)
        builder.metadata?["sessionID"] = "\"garden\""
        builder.addTiles([SessionBuilder.tileLayer(.satelliteImagery)])
        builder.files["imu.jsonl"] = Array(
            (0..<4).map {
                "{\"timestamp\":1000.\($0),\"user_acceleration\":[0,0,0],\"rotation_rate\":[0,0,0],\"gravity\":[1,0,0]}\n"
            }.joined().utf8
        )
        let contents = builder.contents
        for file in ["frames.jsonl", "metadata.json", "gps.jsonl", "imu.jsonl", "tiles/manifest.json"] {
            builder.files[file] = Self.mark + (try #require(contents[file]))
        }
        let read = try ReadSession(builder, as: "garden")
        #expect(read.frames.count == 4 && read.locations.count == 4 && read.motion.count == 4)
        #expect(read.summary.deviceModel == "iPhone15,2" && read.summary.hasSatelliteTiles)
        #expect(read.diagnostics.isEmpty, "\(read.diagnostics.entries)")
    }

    @Test func theTableOfTheOldestGenerationMayHaveAMark() throws {
        var builder = try SessionBuilder(generation: .zero)
        builder.files["imu.csv"] = Self.mark + (try #require(builder.files["imu.csv"]))
        let read = try ReadSession(builder)
        #expect(read.motion.count == 20 && read.diagnostics.isEmpty, "\(read.diagnostics.entries)")
    }

    /// Before, the record was put at the first time and carried the second.
    @Test func aTimestampThatComesTwiceCostsTheFrame() async throws {
        var builder = try SessionBuilder(frameCount: 4)
        builder.tail = Array("{\"timestamp\":1000.7,".utf8) + builder.lines[3].text.dropFirst().utf8 + [0x0A]
        builder.lines[3]["frame_index"] = "3"
        builder.metadata?["frameCount"] = "5"
        builder.tail = Array(
            String(decoding: builder.tail, as: UTF8.self).replacing("\"frame_index\":3", with: "\"frame_index\":4").utf8
        )
        for file in ["rgb", "depth", "confidence"] {
            let ending = file == "rgb" ? "jpg" : "bin"
            builder.files["\(file)/000004.\(ending)"] = builder.files["\(file)/000003.\(ending)"]
        }
        let read = try ReadSession(builder)
        let problem = try #require(read.only(.badField))
        #expect(problem.place == "frames.jsonl:5:timestamp" && problem.expected == "the key once")
        #expect(problem.found == "1000.7 and 1000.6" && read.frames.count == 4)
        #expect(try await check(read.path) == [.badField: 1])
    }

    @Test func keysThatComeTwiceWithOneValueAreHarmless() throws {
        var builder = try SessionBuilder(frameCount: 1)
        builder.files["frames.jsonl"] = Array(
            ("{\"timestamp\":1000.0," + builder.lines[0].text.dropFirst() + "\n").utf8
        )
        let read = try ReadSession(builder)
        #expect(read.frames.count == 1 && read.diagnostics.isEmpty)
    }

    @Test func optionalKeysThatComeTwiceAreAbsent() async throws {
        var builder = try SessionBuilder(frameCount: 2)
        let line = "{\"device_orientation\":\"portrait\"," + builder.lines[1].text.dropFirst()
        builder.files["frames.jsonl"] = Array("\(builder.lines[0].text)\n\(line)\n".utf8)
        let read = try ReadSession(builder)
        #expect(read.frames[1].declaredOrientation == nil)
        let report = try await SessionCheck(path: read.path.string).run()
        let finding = try #require(report.findings.first { $0.kind == .badOptionalField })
        #expect(finding.places[0].place == "frames.jsonl:2:device_orientation")
        #expect(finding.places[0].found == "\"portrait\" and \"landscapeRight\"")
    }

    @Test func samplesWithAKeyTwiceAreSkipped() throws {
        var builder = try SessionBuilder(frameCount: 2)
        builder.addLocations(count: 2)
        let text = String(decoding: try #require(builder.files["gps.jsonl"]), as: UTF8.self)
        builder.files["gps.jsonl"] = Array("{\"latitude\":1,".utf8) + Array(text.utf8.dropFirst())
        let read = try ReadSession(builder)
        #expect(read.locations.count == 1)
        let problem = try #require(read.only(.badLocation))
        #expect(problem.place == "gps.jsonl:1:latitude" && problem.found == "1 and \(SessionBuilder.latitudeDegrees)")
    }

    /// Before, values of other types were absent without a word.
    @Test func wrongTypesInMetadataAreNamed() async throws {
        var builder = try SessionBuilder()
        builder.metadata?["deviceModel"] = "7"
        builder.metadata?["startTimestamp"] = "\"yesterday\""
        builder.metadata?["frameCount"] = "\"four\""
        builder.metadata?["depthResolution"] = "[16]"
        builder.metadata?["osVersion"] = "null"
        builder.metadata?["relative_depth"] = "{\"kind\":\"upside\",\"resolution\":7}"
        let read = try ReadSession(builder)
        #expect(read.kinds == [.badOptionalField: 6])
        let places = read.diagnostics.entries[0].examples.map(\.place)
        #expect(places.allSatisfy { $0.hasPrefix("metadata.json:") } && places.contains("metadata.json:deviceModel"))
        #expect(places.contains("metadata.json:startTimestamp"))
        #expect(try await check(read.path)[.badOptionalField] == 6)
    }

    @Test func framesAtOneTimeAreCounted() async throws {
        var builder = try SessionBuilder(frameCount: 6)
        builder.lines[3]["timestamp"] = builder.lines[2]["timestamp"]
        let directory = try TemporaryDirectory()
        #expect(try await check(builder.write(into: directory.path)) == [.repeatedTime: 1])
    }

    /// The IMU samples come just before the frames, which are farther apart than a comparison may reach.
    @Test(arguments: [0.03, 0.1])
    func negatedGravityIsFoundBeforeSlowFrames(secondsBefore: Double) async throws {
        var builder = try SessionBuilder(frameCount: 8)
        for index in 0..<8 {
            builder.lines[index]["imu_timestamp"] = "\(1000 + Double(index) / 5 - secondsBefore)"
        }
        let directory = try TemporaryDirectory()
        #expect(try await check(builder.write(into: directory.path, as: "sound")).isEmpty)
        for index in 0..<8 { builder.lines[index]["gravity"] = "[-1,0,0]" }
        let broken = try await check(builder.write(into: directory.path, as: "broken"))
        #expect(broken == [.gravityDisagrees: 1])
    }

    /// A pipe under a file's name is refused before it is opened, and said.
    @Test(arguments: [
        ("metadata.json", ProblemKind.unreadableFile), ("imu.jsonl", .unreadableFile), ("gps.jsonl", .unreadableFile),
        ("imu.csv", .unreadableFile), ("tiles/manifest.json", .unreadableFile), ("rgb/000001.jpg", .missingImage),
        ("depth/000001.bin", .missingDepth), ("confidence/000001.bin", .unreadableFile),
    ])
    func pipesAreNamed(file: String, kind: ProblemKind) async throws {
        let directory = try TemporaryDirectory()
        let root = try SessionBuilder().write(into: directory.path)
        let pipe = root.appending(FilePath(file).components).string
        mkdir(root.appending("tiles").string, 0o700)
        unlink(pipe)
        #expect(mkfifo(pipe, 0o600) == 0)
        let report = try await SessionCheck(path: root.string).run()
        let finding = try #require(report.findings.first { $0.kind == kind }, "\(report.findings)")
        #expect(finding.places.map(\.file) == [file] && finding.places[0].found == "a named pipe")
    }

    @Test func aPipeForTheFramesIsAnError() throws {
        let directory = try TemporaryDirectory()
        let root = try SessionBuilder().write(into: directory.path)
        let pipe = root.appending("frames.jsonl").string
        unlink(pipe)
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(SessionFormats.likeness(of: root.string) == .session)
        let error = #expect(throws: SessionError.self) { try SessionFormats.open(path: root.string) }
        let text = try #require(error?.description)
        #expect(text.contains("frames.jsonl") && text.contains("a named pipe"))
    }

    @Test func whatLooksLikeASession() throws {
        let directory = try TemporaryDirectory()
        let root = try SessionBuilder().write(into: directory.path)
        #expect(SessionFormats.likeness(of: root.string) == .session)
        #expect(SessionFormats.likeness(of: root.appending("metadata.json").string) == .session)
        #expect(SessionFormats.likeness(of: directory.path.string) == .several)
        unlink(root.appending("frames.jsonl").string)
        #expect(SessionFormats.likeness(of: root.string) == .remains)
        #expect(SessionFormats.likeness(of: root.appending("rgb").string) == .nothing)
        let archive = directory.appending("cut.zip")
        let entries = HandmadeArchives.entries(try SessionBuilder().contents, under: "")
        try SessionBuilder.write(Array(HandmadeArchives.zip(entries).prefix(1000)), to: archive)
        #expect(SessionFormats.likeness(of: archive.string) == .session)
        #expect(throws: SessionError.self) { try SessionFormats.open(path: archive.string) }
    }
}
