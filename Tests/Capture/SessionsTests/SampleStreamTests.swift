import Recording
import Sessions
import TestSupport
import Testing

/// imu.jsonl, imu.csv, gps.jsonl and relative_depth.
@Suite struct SampleStreamTests {
    private static func motionLine(_ time: String, _ x: Int = 0) -> String {
        "{\"timestamp\":\(time),\"user_acceleration\":[\(x),0,0],\"rotation_rate\":[0,0,0.5],\"gravity\":[0,0,-1],"
            + "\"attitude_quaternion\":[0,0,0.6,0.8],\"magnetic_field\":[1,2,3]}"
    }

    private func session(_ file: String, _ text: String) throws -> ReadSession {
        var builder = try SessionBuilder()
        builder.files[file] = Array(text.utf8)
        return try ReadSession(builder)
    }

    @Test func motionFileWinsOverTheFrames() throws {
        let lines = (0..<50).map { Self.motionLine("\"1000.\(SessionBuilder.number($0 * 10_000))001\"", $0) }
        let read = try session("imu.jsonl", lines.joined(separator: "\n") + "\n")
        #expect(read.diagnostics.isEmpty)
        #expect(read.summary.motionSource == .samplesFile && read.motion.count == 50)
        let times = (0..<50).map { (index: Int64) -> Int64 in 1_000_000_000_001 + index * 10_000_000 }
        #expect(read.motion.map(\.time.nanoseconds) == times)
        let sample = read.motion[7]
        #expect(sample.userAcceleration == Vector3(7, 0, 0) && sample.rotationRate == Vector3(0, 0, 0.5))
        #expect(sample.gravity == Vector3(0, 0, -1) && sample.magneticField == Vector3(1, 2, 3))
        #expect(sample.attitude == Quaternion(x: 0, y: 0, z: 0.6, w: 0.8))
    }

    @Test func brokenMotionLinesCostThemselves() throws {
        let good = [0, 1, 5].map { Self.motionLine("1000.0\($0)") }
        let text = """
            \(good[0])
            nonsense
            \(good[1])
            {"timestamp":1000.02,"user_acceleration":[1e300,0,0],"rotation_rate":[0,0,0],"gravity":[0,0,-1]}
            {"timestamp":1000.03,"user_acceleration":[0,0,0],"rotation_rate":[0,0],"gravity":[0,0,-1]}
            {"timestamp":1000.04,"user_acceleration":[0,0,0],"rotation_rate":[0,0,0]}
            \(good[2])
            {"timestamp":1000.06,"user_acc
            """
        let read = try session("imu.jsonl", text)
        let times: [Int64] = [1_000_000_000_000, 1_000_010_000_000, 1_000_050_000_000]
        #expect(read.motion.map(\.time.nanoseconds) == times)
        #expect(read.kinds == [.unreadableLine: 1, .badMotionSample: 3, .cutLastLine: 1])
        #expect(try #require(read.only(.unreadableLine)).place == "imu.jsonl:2")
        #expect(try #require(read.only(.cutLastLine)).place == "imu.jsonl:8")
        let places = try #require(read.diagnostics.entries.first { $0.kind == .badMotionSample }).examples.map(\.place)
        #expect(places == ["imu.jsonl:4:user_acceleration", "imu.jsonl:5:rotation_rate", "imu.jsonl:6:gravity"])
    }

    @Test func quaternionThatIsNoneIsLeftOut() throws {
        let line = Self.motionLine("1000").replacing("[0,0,0.6,0.8]", with: "[0,0,0,0]")
        let read = try session("imu.jsonl", line + "\n")
        #expect(read.motion.count == 1 && read.motion[0].attitude == nil && read.diagnostics.isEmpty)
    }

    /// A swapped pair loses nothing; a sample that has the time of another repeats it.
    @Test func samplesSlightlyOutOfOrderArePutInOrder() throws {
        let text = ["1000", "1000.1", "1000.05", "1000.1", "1000.2"].map { Self.motionLine($0) + "\n" }.joined()
        let read = try session("imu.jsonl", text)
        #expect(read.motion.map(\.time.seconds) == [1000, 1000.05, 1000.1, 1000.2])
        #expect(read.kinds.isEmpty)
        let fixes = ["1000.4", "1000.2", "1000.3"].map { "{\"timestamp\":\($0),\"latitude\":1,\"longitude\":2}\n" }
        let located = try session("gps.jsonl", fixes.joined())
        #expect(located.locations.map(\.time.seconds) == [1000.2, 1000.3, 1000.4] && located.kinds.isEmpty)
    }

    /// What is behind by more than the window was handed out without it.
    @Test func samplesTooLateAreCountedWithTheirPlace() throws {
        var times = (0..<200).map { "1000.\(SessionBuilder.number($0 * 2000))" }
        times.append(times.remove(at: 5))
        let read = try session("imu.jsonl", times.map { Self.motionLine($0) + "\n" }.joined())
        #expect(read.motion.count == 199 && read.kinds == [.sampleTooLate: 1])
        #expect(try #require(read.only(.sampleTooLate)).place == "imu.jsonl:200:timestamp")
    }

    /// Any disorder within the window is undone, in each of the streams.
    @Test(arguments: 0..<4, ["imu.jsonl", "gps.jsonl"])
    func disorderWithinTheWindowIsUndone(seed: UInt64, file: String) throws {
        var numbers = SeededRandomNumbers(seed: seed)
        var times = (0..<300).map { "1000.\(SessionBuilder.number($0 * 2000 + 1))" }
        for start in stride(from: 0, to: 300, by: 30) { times[start..<start + 30].shuffle(using: &numbers) }
        let lines = times.map { time in
            file == "imu.jsonl" ? Self.motionLine(time) : "{\"timestamp\":\(time),\"latitude\":1,\"longitude\":2}"
        }
        let read = try session(file, lines.joined(separator: "\n"))
        let found = (file == "imu.jsonl" ? read.motion.map(\.time) : read.locations.map(\.time)).map(\.nanoseconds)
        #expect(found == (0..<300).map { 1_000_000_001_000 + $0 * 2_000_000 } && read.kinds.isEmpty)
    }

    /// Samples of another time than the frames are left out, each with its place; a whole stream of them is a loss.
    @Test func samplesOfAnotherTimeAreLeftOut() throws {
        let some = ["900", "998.5", "1000", "1002.5", "1002.7"].map { Self.motionLine($0) + "\n" }.joined()
        let read = try session("imu.jsonl", some)
        #expect(read.motion.map(\.time.seconds) == [998.5, 1000, 1002.5])
        #expect(read.kinds == [.sampleOutsideSession: 2] && read.diagnostics.lostCount == 0)
        let places = try #require(read.diagnostics.entries.first).examples
        #expect(places.map(\.place) == ["imu.jsonl:1:timestamp", "imu.jsonl:5:timestamp"])
        #expect(places[0].found == "900.0, 100.0 s before the first frame")
        let none = try session("imu.jsonl", ["5", "6"].map { Self.motionLine($0) + "\n" }.joined())
        #expect(none.motion.isEmpty && none.kinds == [.sampleOutsideSession: 2, .streamOutsideSession: 1])
        #expect(none.diagnostics.lostCount == 1)
    }

    /// The same rules for samples inside of frames.jsonl.
    @Test func samplesInFramesOfAnotherTime() throws {
        var builder = try SessionBuilder(frameCount: 6)
        builder.lines[2]["imu_timestamp"] = "17.5"
        let read = try ReadSession(builder)
        #expect(read.motion.count == 5 && read.kinds == [.sampleOutsideSession: 1])
        #expect(try #require(read.only(.sampleOutsideSession)).place == "frames.jsonl:3:imu_timestamp")
        for line in 0..<6 { builder.lines[line]["imu_timestamp"] = "\(5000 + line)" }
        let none = try ReadSession(builder)
        #expect(none.motion.isEmpty && none.kinds == [.sampleOutsideSession: 6, .streamOutsideSession: 1])
    }

    /// A clock is known from fixes that are used, and from no others.
    @Test func clockOfFixesOutsideTheSession() throws {
        func offset(_ times: [Double]) throws -> Int64? {
            let lines = times.map { "{\"timestamp\":\($0),\"unix_time\":\($0 + 1e9),\"latitude\":1,\"longitude\":2}\n" }
            return try session("gps.jsonl", lines.joined()).summary.wallClock.locationOffsetNanoseconds
        }
        #expect(try offset([500, 1000.5]) == 1_000_000_000_000_000_000)
        for times in [[997.9], [4600, 4601], [200_000]] { #expect(try offset(times) == nil) }
    }

    /// Fixes that leap farther than anything flies; a poor accuracy excuses its own size.
    @Test func leapingFixesAreReported() throws {
        func kinds(_ longitudes: [Double], accuracy: Int = 5) throws -> [ProblemKind: Int] {
            let lines = longitudes.enumerated().map { second, longitude in
                "{\"timestamp\":\(1000 + Double(second) / 5),\"latitude\":48,\"longitude\":\(longitude),"
                    + "\"horizontal_accuracy\":\(accuracy)}\n"
            }
            let read = try session("gps.jsonl", lines.joined())
            #expect(read.locations.count == longitudes.count)
            return read.kinds
        }
        #expect(try kinds([11, 11.0001, -74, 11.0002]) == [.fixLeaps: 2])
        // 0.01 degrees are 745 m.
        #expect(try kinds([11, 11.01, 11.01]) == [.fixLeaps: 1])
        #expect(try kinds([11, 11.01, 11.01], accuracy: 200) == [:])
        let read = try session(
            "gps.jsonl",
            [11, -74].map { "{\"timestamp\":1000.\($0 == 11 ? 1 : 2),\"latitude\":48,\"longitude\":\($0)}\n" }.joined()
        )
        #expect(try #require(read.only(.fixLeaps)).place == "gps.jsonl:2:latitude")
    }

    /// A table that was cut inside a number would read as another number.
    @Test(arguments: 1...20)
    func cutTableLosesItsLastLineOnly(cut: Int) throws {
        var builder = try SessionBuilder(generation: .zero)
        let whole = Array(SessionBuilder.motionTable(sampleCount: 20).utf8)
        builder.files["imu.csv"] = Array(whole.dropLast(cut))
        let read = try ReadSession(builder)
        // The last column is not read; only its commas tell that the line got that far.
        let isWhole = cut <= 4
        #expect(read.motion.count == (isWhole ? 20 : 19))
        #expect(read.kinds == (isWhole ? [:] : [.cutLastLine: 1]))
        #expect(read.motion.allSatisfy { $0.gravity == Vector3(1, 0, 0) })
    }

    @Test func badTableLinesNameTheirColumn() throws {
        var builder = try SessionBuilder(generation: .zero)
        var lines = SessionBuilder.motionTable(sampleCount: 6).split(separator: "\n").map { String($0) }
        lines[2] = lines[2].replacing("0.200000", with: "nan")
        lines[3] = "1000.02,1,2,3"
        lines[4] = lines[4].replacing("1000.", with: "-1000.")
        lines[5] = ""
        builder.files["imu.csv"] = Array((lines.joined(separator: "\n") + "\n").utf8)
        let read = try ReadSession(builder)
        #expect(read.motion.count == 2 && read.kinds == [.badMotionSample: 3])
        let examples = try #require(read.diagnostics.entries.first).examples
        #expect(examples.map(\.place) == ["imu.csv:3:gyro_y", "imu.csv:4", "imu.csv:5:timestamp"])
        #expect(examples[0].found == "nan" && examples[1].found == "4 cells")
    }

    @Test func fixesWithEverythingAndWithNothing() throws {
        let read = try session(
            "gps.jsonl",
            """
            {"timestamp":"1000.123456789","unix_time":"1700000000.987654321","latitude":48.137154,"longitude":-11.57549,\
            "altitude":519.6,"ellipsoidal_altitude":565.2,"horizontal_accuracy":3.5,"vertical_accuracy":4.5,"speed":1.25,\
            "speed_accuracy":0.3,"course":271.5,"course_accuracy":12,"floor":-2}
            {"timestamp":1001,"latitude":-90,"longitude":180}

            """
        )
        // From Munich to the South Pole in a second.
        #expect(read.kinds == [.fixLeaps: 1])
        try #require(read.locations.count == 2)
        let fix = read.locations[0]
        #expect(fix.time.nanoseconds == 1_000_123_456_789 && fix.unixNanoseconds == 1_700_000_000_987_654_321)
        #expect(fix.latitudeDegrees == 48.137154 && fix.longitudeDegrees == -11.57549)
        #expect(fix.altitudeMetres == 519.6 && fix.ellipsoidalAltitudeMetres == 565.2)
        #expect(fix.horizontalAccuracyMetres == 3.5 && fix.verticalAccuracyMetres == 4.5)
        #expect(fix.speedMetresPerSecond == 1.25 && fix.speedAccuracyMetresPerSecond == 0.3)
        #expect(fix.courseDegrees == 271.5 && fix.courseAccuracyDegrees == 12 && fix.floor == -2)
        let bare = read.locations[1]
        #expect(bare.unixNanoseconds == nil && bare.altitudeMetres == nil && bare.horizontalAccuracyMetres == nil)
        #expect(read.summary.location.count == 2)
    }

    @Test func negativeMeansNotKnown() throws {
        let keys = ["horizontal_accuracy", "vertical_accuracy", "speed", "speed_accuracy", "course", "course_accuracy"]
        let members = keys.map { "\"\($0)\":-1" }.joined(separator: ",")
        let read = try session(
            "gps.jsonl",
            "{\"timestamp\":1000,\"latitude\":1,\"longitude\":2,\"altitude\":-3,\(members)}\n"
        )
        let fix = try #require(read.locations.first)
        #expect(fix.horizontalAccuracyMetres == nil && fix.verticalAccuracyMetres == nil)
        #expect(fix.speedMetresPerSecond == nil && fix.speedAccuracyMetresPerSecond == nil)
        #expect(fix.courseDegrees == nil && fix.courseAccuracyDegrees == nil)
        #expect(fix.altitudeMetres == -3)
        #expect(fix.horizontalSigmaMetres == nil && read.summary.location.count == 1)
    }

    /// A radius of 0 is none: such a fix is no exact one, and no origin of a map.
    @Test func accuracyOfZeroIsNotKnown() throws {
        let places = ["0", "0.0", "5"].enumerated().map { index, accuracy in
            "{\"timestamp\":1000.\(index),\"latitude\":1,\"longitude\":2,\"horizontal_accuracy\":\(accuracy),"
                + "\"ellipsoidal_altitude\":7,\"vertical_accuracy\":\(accuracy),\"speed\":0,\"speed_accuracy\":0}\n"
        }
        let read = try session("gps.jsonl", places.joined())
        #expect(read.locations.map(\.horizontalAccuracyMetres) == [nil, nil, 5])
        #expect(read.locations.map(\.verticalAccuracyMetres) == [nil, nil, 5])
        #expect(read.locations.allSatisfy { $0.speedMetresPerSecond == 0 && $0.speedAccuracyMetresPerSecond == 0 })
        let track = try FixTrack(read.session)
        #expect(track.accurateCount == 1 && track.origin?.fix.time.seconds == 1000.2)
    }

    @Test(
        arguments: [
            ("latitude", "90.1"), ("latitude", "NaN"), ("latitude", "null"), ("longitude", "-180.5"),
            ("longitude", "\"11\""), ("timestamp", "-1"), ("timestamp", "\"soon\""), ("timestamp", "1e300"),
        ]
    )
    func impossibleFixesAreSkipped(field: String, value: String) throws {
        var fields = JSONFieldList()
        for (key, value) in [("timestamp", "1000.1"), ("latitude", "48"), ("longitude", "11")] { fields[key] = value }
        let good = fields.text
        fields[field] = value
        let read = try session("gps.jsonl", "\(fields.text)\n\(good)\n")
        #expect(read.locations.count == 1 && read.summary.location.count == 1)
        let problem = try #require(read.only(.badLocation))
        #expect(problem.place == "gps.jsonl:1:\(field)" && problem.found == value)
    }

    @Test(arguments: ["altitude", "ellipsoidal_altitude", "horizontal_accuracy", "speed", "floor", "unix_time"])
    func absurdOptionalValuesAreNotKnown(field: String) throws {
        for value in ["1e300", "NaN", "Infinity", "null", "\"x\"", "[]"] {
            let line = "{\"timestamp\":1000,\"latitude\":1,\"longitude\":2,\"\(field)\":\(value)}\n"
            let read = try session("gps.jsonl", line)
            let fix = try #require(read.locations.first)
            #expect(read.diagnostics.isEmpty)
            #expect(fix.altitudeMetres == nil && fix.ellipsoidalAltitudeMetres == nil && fix.floor == nil)
            #expect(fix.horizontalAccuracyMetres == nil && fix.speedMetresPerSecond == nil)
            #expect(fix.unixNanoseconds == nil)
        }
    }

    @Test func relativeDepthByMetadataAndByFrame() throws {
        var builder = try SessionBuilder(frameCount: 3)
        builder.metadata?["relative_depth"] = "{\"model\":\"DA2\",\"kind\":\"depth\",\"resolution\":[4,3]}"
        builder.lines[1]["relative_depth_resolution"] = "[8,6]"
        builder.lines[2]["relative_depth_resolution"] = "[4,3]"
        builder.files["relative_depth/000000.bin"] = SessionBuilder.depth(metres: (0..<12).map { Float($0) })
        builder.files["relative_depth/000001.bin"] = SessionBuilder.depth(metres: (0..<48).map { 48 - Float($0) })
        let read = try ReadSession(builder)
        let maps = read.loadAll().map(\.relativeDepth)
        #expect(maps[0]?.width == 4 && maps[0]?.height == 3 && maps[0]?.values == (0..<12).map { Float($0) })
        #expect(maps[1]?.values == (0..<48).map { 48 - Float($0) } && maps[1]?.kind == .depth && maps[2] == nil)
        #expect(read.summary.hasRelativeDepth && read.summary.relativeDepthModel == "DA2")
        #expect(read.kinds == [.missingRelativeDepth: 1])
        builder.files["relative_depth/000001.bin"] = [1, 2, 3]
        builder.files["relative_depth/000002.bin"] = builder.files["relative_depth/000000.bin"]
        let damaged = try ReadSession(builder)
        #expect(damaged.loadAll().map { $0.relativeDepth != nil } == [true, false, true])
        let problem = try #require(damaged.only(.wrongRelativeDepthSize))
        #expect(problem.place == "relative_depth/000001.bin")
        #expect(problem.expected.contains("192 bytes") && problem.found == "3 bytes")
    }

    /// Relative depth covers the sensor's landscape image, 64x48 here, up to the round sizes that models want.
    @Test(
        arguments: [
            (64, 48, true), (8, 6, true), (100, 77, true), (100, 73, true), (100, 78, false), (100, 72, false),
            (6, 8, false), (7, 7, false), (1, 1, false),
        ]
    )
    func relativeDepthOfAnotherShapeIsRefused(width: Int, height: Int, isTaken: Bool) throws {
        var builder = try SessionBuilder(frameCount: 2) { _ in .portrait }
        builder.metadata?["relative_depth"] = "{\"resolution\":[\(width),\(height)]}"
        let values = SessionBuilder.depth(metres: (0..<width * height).map { Float($0) })
        for index in 0..<2 { builder.files["relative_depth/00000\(index).bin"] = values }
        let read = try ReadSession(builder)
        #expect(read.loadAll().allSatisfy { ($0.relativeDepth != nil) == isTaken })
        #expect(read.kinds == (isTaken ? [:] : [.wrongRelativeDepthAspect: 2]))
        guard !isTaken else { return }
        let problem = try #require(read.diagnostics.entries.first?.examples.first)
        #expect(problem.place == "relative_depth/000000.bin")
        #expect(problem.expected.contains("64x48") && problem.found.hasPrefix("\(width)x\(height)"))
        #expect(problem.found.contains("turned") == (width == 6))
        #expect(problem.kind.severity == .lost)
    }
}
