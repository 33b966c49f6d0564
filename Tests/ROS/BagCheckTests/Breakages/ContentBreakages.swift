import BagTools

/// Messages that decode, but hold what cannot be.
enum ContentBreakages {
    static let all: [Breakage] = [
        change("/points", "row_step", "m.row_step -= 1", [.cloudLayout]),
        change("/points", "too little data", "m.data = m.data[:-4]", [.cloudLayout]),
        change("/points", "a field beyond the point", "m.fields[2].offset = 14", [.cloudLayout]),
        change("/points", "an unknown datatype", "m.fields[0].datatype = 9", [.cloudLayout]),
        change(
            "/points",
            "NaN in a dense cloud",
            "m.data[0:4] = numpy.frombuffer(struct.pack('<f', math.nan), numpy.uint8)",
            [.cloudNonFinite],
            isError: false
        ),
        change("/camera/image_raw", "too little data", "m.data = m.data[:-1]", [.imageLayout]),
        change("/camera/image_raw", "a step below the width", "m.step = 63; m.data = m.data[:63 * 48]", [.imageLayout]),
        change(
            "/camera/image_raw",
            "an unknown encoding",
            "m.encoding = 'purple8'",
            [.imageEncoding],
            isError: false,
            peer: false
        ),
        change(
            "/camera/image_raw/compressed",
            "half a JPEG",
            "m.data = m.data[:len(m.data) // 2]",
            [.imageUndecodable]
        ),
        change("/camera/image_raw/compressed", "no picture", "m.data = m.data[:0]", [.imageUndecodable]),
        change(
            "/camera/image_raw/compressed",
            "not a picture",
            "m.data = numpy.arange(200, dtype=numpy.uint8)",
            [.imageUndecodable]
        ),
        change("/camera/image_raw/compressed", "another format", "m.format = 'png'", [.imageFormat], isError: false),
        change("/camera/camera_info", "no focal length", "m.k[0] = 0.0", [.cameraMatrix]),
        change("/camera/camera_info", "an uncalibrated camera", "m.k[:] = 0.0", [.cameraMatrix], isError: false),
        change(
            "/camera/camera_info",
            "a principal point outside",
            "m.k[2] = 70.0",
            [.cameraPrincipalPoint],
            isError: false
        ),
        change("/camera/camera_info", "another projection", "m.p[0] = 55.0", [.cameraProjection], isError: false),
        change("/camera/camera_info", "another size", "m.width = 640", [.cameraSize], isError: false, peer: false),
        change("/camera/camera_info", "no partner", "m.header.stamp.nanosec += 1", [.cameraUnpaired], isError: false),
        change("/tf", "a long quaternion", "m.transforms[0].transform.rotation.w = 1.1", [.transformQuaternion]),
        change("/tf", "NaN", "m.transforms[0].transform.translation.x = math.nan", [.transformNonFinite], peer: false),
        change("/tf", "a loop", "m.transforms[0].header.frame_id = 'camera'", [.transformLoop], peer: false),
        change(
            "/tf",
            "a second parent",
            "m.transforms[0].header.frame_id = 'odom'",
            [.transformTwoParents],
            isError: false,
            peer: false
        ),
        change(
            "/tf",
            "a tree apart",
            "m.transforms[0].header.frame_id = 'a'; m.transforms[0].child_frame_id = 'b'",
            [.transformDisconnected],
            isError: false,
            peer: false
        ),
        change(
            "/pose",
            "a frame that tf does not have",
            "m.header.frame_id = 'nowhere'",
            [.frameUnknown],
            isError: false,
            peer: false
        ),
        change("/pose", "a quaternion of zeros", "m.pose.orientation.w = 0.0", [.poseQuaternion], isError: false),
        change("/pose", "NaN", "m.pose.position.y = math.nan", [.poseNonFinite]),
        change("/odom", "infinity", "m.pose.pose.position.y = math.inf", [.poseNonFinite]),
        change("/odom", "a long quaternion", "m.pose.pose.orientation.x = 0.5", [.poseQuaternion], isError: false),
        change("/imu", "a long quaternion", "m.orientation.x = 0.5", [.poseQuaternion], isError: false, peer: false),
        Breakage(
            name: "content: no /tf_static in the second file",
            base: .cdr,
            code: """
                run(dbs[1], "DELETE FROM messages WHERE topic_id = (SELECT id FROM topics WHERE name = '/tf_static')")
                """,
            kinds: [.latchedMissing],
            isError: false
        ),
    ]

    private static func change(
        _ topic: String,
        _ name: String,
        _ statements: String,
        _ kinds: [BagFindingKind],
        isError: Bool = true,
        peer: Bool = true
    ) -> Breakage {
        Breakage(
            name: "content: \(topic): \(name)",
            base: .cdr,
            code: "change('\(topic)', \"\"\"\(statements)\"\"\", 2)",
            kinds: kinds,
            isError: isError,
            isFoundByPeer: peer
        )
    }
}
