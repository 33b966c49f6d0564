import Perception
import Platform
import Recording
import SystemPackage

/// The exact truth about a synthetic session: `truth.json`.
struct TruthDocument {
    static let file = "truth.json"
    /// Exact depth of the image's size: `truth_depth/NNNNNN.bin`, Float32 metres, row-major in the sensor's axes.
    static let depthFolder = "truth_depth"
    static let tagFile = "tags_truth.txt"

    let options: SampleOptions
    let room: Room
    let schedule: SampleSchedule
    /// 1/z = a * r + b of each image, where there is relative depth.
    let relativeDepth: [(a: Double, b: Double)]

    /// True for a file that begins as this document does, of whatever format.
    static func isOurs(_ path: FilePath) -> Bool {
        guard FileType(notFollowing: path) == .regular, let head = try? RegularFile.head(of: path, byteCount: 24) else {
            return false
        }
        let start = String(decoding: head, as: UTF8.self)
        return ["{\"format\":1,\"seed\":", "{\"format\":2,\"seed\":"].contains { start.hasPrefix($0) }
    }

    func write(to file: OutputFile) throws(FileError) {
        try file.append(text: "{\"format\":2,\"seed\":\"\(options.seed)\",\n")
        // Format 1 had cx and cy count from the image's corner.
        try file.append(text: "\"pixel_coordinates\":\"integer_at_centre\",\n")
        try file.append(text: "\"room\":")
        try file.append(roomObject().closed)
        try file.append(text: ",\n\"noise\":")
        try file.append(noiseObject().closed)
        if options.hasGPS {
            try file.append(text: ",\n\"gps_origin\":")
            try file.append(originObject().closed)
        }
        if options.hasTags {
            try file.append(text: ",\n\"tags\":[")
            for (index, tag) in room.tags.enumerated() {
                try file.append(text: index == 0 ? "\n" : ",\n")
                try file.append(tagObject(tag).closed)
            }
            try file.append(text: "\n]")
        }
        if options.hasTiles {
            try file.append(text: ",\n\"terrain\":")
            try file.append(terrainObject().closed)
        }
        let jumps = PoseErrors(options).jumps
        if !jumps.isEmpty {
            var object = JSONLine()
            object.add("jumps", jumps.map(jumpObject))
            // Without the braces around it.
            try file.append(text: ",\n")
            try file.append(Array(object.closed.dropFirst().dropLast()))
        }
        try file.append(text: ",\n\"frames\":[")
        let trajectory = schedule.trajectory
        for index in 0..<schedule.frameCount {
            try file.append(text: index == 0 ? "\n" : ",\n")
            try file.append(frameObject(schedule.frame(index), trajectory).closed)
        }
        try file.append(text: "\n]}\n")
    }

    private func roomObject() -> JSONLine {
        var object = JSONLine()
        object.add("low", room.low)
        object.add("high", room.high)
        object.add("light", room.light)
        object.add("boxes", room.boxes[..<room.movingBoxes.lowerBound].map(boxObject))
        object.add(
            "spheres",
            room.spheres.map { sphere in
                var entry = JSONLine()
                entry.add("name", string: sphere.name)
                entry.add("centre", sphere.centre)
                entry.add("radius", sphere.radius)
                return entry
            }
        )
        return object
    }

    private func boxObject(_ box: Room.Box) -> JSONLine {
        var entry = JSONLine()
        entry.add("name", string: box.name)
        entry.add("low", box.low)
        entry.add("high", box.high)
        return entry
    }

    private func noiseObject() -> JSONLine {
        var object = JSONLine()
        object.add("enabled", options.hasNoise)
        guard options.hasNoise else { return object }
        object.add("depth_relative_deviation", Double(LidarModel.relativeDeviation))
        object.add("depth_edge_metres", Double(LidarModel.edgeMetres))
        object.add("depth_zero_part", Double(LidarModel.zeroPart))
        object.add("depth_nan_part", Double(LidarModel.invalidPart))
        object.add("relative_depth_deviation", Double(RelativeDepthModel.deviation))
        object.add("relative_depth_outlier_part", Double(RelativeDepthModel.outlierPart))
        object.add("gps_deviation_metres", Double(PhoneLocation.horizontalDeviationMetres))
        return object
    }

    private func originObject() -> JSONLine {
        var object = JSONLine()
        object.add("latitude", PhoneLocation.originLatitudeDegrees)
        object.add("longitude", PhoneLocation.originLongitudeDegrees)
        object.add("ellipsoidal_altitude", PhoneLocation.originEllipsoidalAltitudeMetres)
        return object
    }

    private func tagObject(_ tag: HangingTag) -> JSONLine {
        var object = JSONLine()
        object.add("family", string: HangingTag.family.rawValue)
        object.add("id", tag.id)
        object.add("size", tag.edgeMetres)
        object.add("world_from_tag", tag.worldFromTag.columnMajor)
        object.add("corners", tag.corners.flatMap { [$0.x, $0.y, $0.z] })
        return object
    }

    private func terrainObject() -> JSONLine {
        var object = JSONLine()
        object.add("base_metres", Terrain.baseMetres)
        object.add("amplitude_metres", Terrain.amplitudeMetres)
        object.add("period_degrees", Terrain.periodDegrees)
        return object
    }

    private func jumpObject(_ jump: PoseErrors.Jump) -> JSONLine {
        var object = JSONLine()
        object.add("timestamp", json: decimalSeconds(schedule.frame(jump.frame).timestampNanoseconds))
        object.add("metres", jump.metres)
        object.add("turn_radians", jump.turnRadians)
        return object
    }

    private func frameObject(_ frame: SampleFrame, _ trajectory: Trajectory) -> JSONLine {
        var object = JSONLine()
        object.add("frame_index", frame.index)
        object.add("timestamp", json: decimalSeconds(frame.timestampNanoseconds))
        object.add("image", frame.image)
        object.add("orientation", string: frame.orientation.rawValue)
        object.add("camera_transform", trajectory.worldFromCamera(atSeconds: frame.seconds).columnMajor)
        // A repeated image shows what was there when it was first shown.
        let seconds = schedule.frame(frame.image).seconds
        if room.hasWalker, seconds < Walker.seconds {
            object.add("walker", Walker.boxes(atSeconds: seconds).map(boxObject))
        }
        if room.hasThinThings { object.add("fabric_seen_through", ThinThings.isSeenThrough(image: frame.image)) }
        if frame.image < relativeDepth.count {
            object.add("relative_depth_a", relativeDepth[frame.image].a)
            object.add("relative_depth_b", relativeDepth[frame.image].b)
        }
        return object
    }
}

/// Where the tags of a room hang, as text: `rpy ID x y z roll pitch yaw`, in metres and radians, z up.
enum TagTruthText {
    static func text(_ tags: [HangingTag]) -> String {
        // The world's y is up; x stays.
        let half = 0.5.squareRoot()
        let upright = Transform(rotation: Quaternion(x: half, y: 0, z: 0, w: half))
        return tags.map { tag in
            let pose = upright * tag.worldFromTag
            let (c0, c1, c2) = pose.rotation.columns
            let t = pose.translation
            let (roll, pitch, yaw) = (arcTangent(c1.z, c2.z), arcSine(-c0.z), arcTangent(c0.y, c0.x))
            return "rpy \(tag.id) \(t.x) \(t.y) \(t.z) \(roll) \(pitch) \(yaw)\n"
        }.joined()
    }
}
