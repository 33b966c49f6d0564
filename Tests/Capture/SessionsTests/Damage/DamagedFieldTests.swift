import Recording
import Sessions
import TestSupport
import Testing

/// One impossible value in one field of one line.
@Suite struct DamagedFieldTests {
    static let required = [
        "frame_index", "timestamp", "camera_transform", "camera_intrinsics", "camera_resolution",
    ]

    @Test(arguments: required)
    func missingRequiredFieldCostsTheFrame(field: String) throws {
        var builder = try SessionBuilder()
        builder.lines[1][field] = nil
        let problem = try lost(builder, .missingField)
        #expect(problem.place == "frames.jsonl:2:\(field)")
        #expect(problem.found == "no such field")
    }

    @Test(
        arguments: required,
        ["null", "\"seven\"", "true", "{}", "[]", "NaN", "Infinity", "-Infinity", "1e300", "-1", "1e999", "[null]"]
    )
    func wrongValueOfARequiredFieldCostsTheFrame(field: String, value: String) throws {
        var builder = try SessionBuilder()
        builder.lines[1][field] = value
        let problem = try lost(builder, .badField)
        #expect(problem.place == "frames.jsonl:2:\(field)")
        #expect(problem.found == value, "\(problem)")
        #expect(!problem.expected.isEmpty)
    }

    @Test(
        arguments: [
            ("camera_transform", "[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0]"),
            ("camera_transform", "[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1,0]"),
            ("camera_transform", "[1,0,0,0,0,1,0,0,0,0,1,0,0,NaN,0,1]"),
            ("camera_transform", "[1,0,0,0,0,1,0,0,0,0,1,0,0,\"0\",0,1]"),
            ("camera_intrinsics", "[50,0,0,0,50,0,32,24]"), ("camera_intrinsics", "[50,0,0,0,50,0,32,24,1,1]"),
            ("camera_intrinsics", "[50,0,0,0,Infinity,0,32,24,1]"),
            ("camera_resolution", "[64]"), ("camera_resolution", "[64,48,1]"), ("camera_resolution", "[0,48]"),
            ("camera_resolution", "[64,-48]"), ("camera_resolution", "[1e9,48]"), ("camera_resolution", "[64.5,48]"),
            ("camera_resolution", "[1e300,48]"),
            ("frame_index", "1.5"), ("frame_index", "1e9"), ("frame_index", "99999999999999999999"),
            ("timestamp", "-0.001"), ("timestamp", "9.3e9"), ("timestamp", "\"1000.2 s\""), ("timestamp", "\"\""),
        ]
    )
    func wrongNumbersCostTheFrame(field: String, value: String) throws {
        var builder = try SessionBuilder()
        builder.lines[1][field] = value
        #expect(try lost(builder, .badField).place == "frames.jsonl:2:\(field)")
    }

    @Test(
        arguments: [
            ("[2,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]", "orthonormal"),
            ("[1,0,0,0, 0.1,1,0,0, 0,0,1,0, 0,0,0,1]", "orthonormal"),
            ("[0,0,0,0, 0,0,0,0, 0,0,0,0, 0,0,0,0]", "orthonormal"),
            ("[-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]", "mirror"),
            ("[1,0,0,0.5, 0,1,0,0, 0,0,1,0, 0,0,0,1]", "last row"),
            ("[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,2]", "last row"),
            ("[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,2e5,0,1]", "200000"),
            ("[1e200,0,0,0, 0,1e200,0,0, 0,0,1e200,0, 0,0,0,1]", "orthonormal"),
            ("[1,0,0,0, 0,1,0,0, 0,0,1,0, 1e300,0,0,1]", "translation"),
        ]
    )
    func whatIsNoRigidMotionCostsTheFrame(matrix: String, word: String) throws {
        var builder = try SessionBuilder()
        builder.lines[1]["camera_transform"] = matrix
        let problem = try lost(builder, .badTransform)
        #expect(problem.place == "frames.jsonl:2:camera_transform")
        #expect(problem.found.contains(word), "\(problem)")
    }

    @Test(
        arguments: [
            "[0,0,0,0,50,0,32,24,1]", "[50,0,0,0,0,0,32,24,1]", "[-50,0,0,0,50,0,32,24,1]",
            "[1e300,0,0,0,50,0,32,24,1]",
            "[50,0,0,0,50,0,1e9,24,1]", "[50,0,0,0,50,0,32,-1e9,1]", "[1e-12,0,0,0,50,0,32,24,1]",
        ]
    )
    func impossibleCameraCostsTheFrame(matrix: String) throws {
        var builder = try SessionBuilder()
        builder.lines[1]["camera_intrinsics"] = matrix
        let problem = try lost(builder, .badIntrinsics)
        #expect(problem.place == "frames.jsonl:2:camera_intrinsics")
        #expect(problem.expected.contains("64x48") && problem.found.contains("fx"))
    }

    /// What is not needed costs nothing but itself.
    @Test(
        arguments: [
            "tracking_state", "device_orientation", "exposure_duration", "frame_sharpness", "camera_euler_angles",
            "exposure_offset",
        ],
        ["null", "NaN", "[1,2]", "\"\\u0000\"", "-1e300"]
    )
    func optionalFieldsCostOnlyThemselves(field: String, value: String) throws {
        var builder = try SessionBuilder()
        builder.lines[1][field] = value
        let read = try ReadSession(builder)
        #expect(read.indices == [0, 1, 2, 3] && read.diagnostics.isEmpty)
        #expect(read.loadAll().allSatisfy { $0.image != nil && $0.depth != nil })
    }

    @Test(
        arguments: ["imu_timestamp", "user_acceleration", "rotation_rate", "gravity"],
        ["null", "NaN", "[1,2]", "[1,2,NaN]", "\"x\"", "[1e300,0,0]", "[0,0,-1e200]", "-5"]
    )
    func badMotionInAFrameCostsTheSample(field: String, value: String) throws {
        var builder = try SessionBuilder()
        builder.lines[1][field] = value
        let read = try ReadSession(builder)
        #expect(read.indices == [0, 1, 2, 3] && read.motion.count == 3)
        let problem = try #require(read.only(.badMotionSample))
        #expect(problem.place == "frames.jsonl:2:\(field)")
        #expect(problem.found == value)
    }

    /// Opens a session that must have lost exactly its second frame, for one reason.
    private func lost(_ builder: SessionBuilder, _ kind: ProblemKind) throws -> Problem {
        let read = try ReadSession(builder)
        #expect(read.indices == [0, 2, 3])
        #expect(read.kinds == [kind: 1], "\(read.diagnostics.entries)")
        #expect(read.summary.frameCount == 3 && read.summary.lineCount == 4)
        return try #require(read.only(kind))
    }
}
