import Recording

/// What is exactly known about a synthetic session: `truth.json`.
struct TruthDocument {
    let options: SampleOptions
    let room: Room
    let schedule: SampleSchedule
    /// 1/z = a * r + b of each image, where there is relative depth.
    let relativeDepth: [(a: Double, b: Double)]

    func write(to file: inout OutputFile) throws(SyntheticError) {
        try file.append("{\"format\":2,\"seed\":\"\(options.seed)\",\n".utf8)
        // Format 1 had cx and cy count from the image's corner.
        try file.append("\"pixel_coordinates\":\"integer_at_centre\",\n".utf8)
        try file.append("\"room\":".utf8)
        try file.append(roomObject().closed)
        try file.append(",\n\"noise\":".utf8)
        try file.append(noiseObject().closed)
        if options.hasGPS {
            try file.append(",\n\"gps_origin\":".utf8)
            try file.append(originObject().closed)
        }
        if options.hasTiles {
            try file.append(",\n\"terrain\":".utf8)
            try file.append(terrainObject().closed)
        }
        try file.append(",\n\"frames\":[".utf8)
        let trajectory = schedule.trajectory
        for index in 0..<schedule.frameCount {
            try file.append((index == 0 ? "\n" : ",\n").utf8)
            try file.append(frameObject(schedule.frame(index), trajectory).closed)
        }
        try file.append("\n]}\n".utf8)
    }

    private func roomObject() -> JSONObject {
        var object = JSONObject()
        object.add("low", room.low)
        object.add("high", room.high)
        object.add("light", room.light)
        object.add(
            "boxes",
            room.boxes.map { box in
                var entry = JSONObject()
                entry.add("name", string: box.name)
                entry.add("low", box.low)
                entry.add("high", box.high)
                return entry
            }
        )
        object.add(
            "spheres",
            room.spheres.map { sphere in
                var entry = JSONObject()
                entry.add("name", string: sphere.name)
                entry.add("centre", sphere.centre)
                entry.add("radius", sphere.radius)
                return entry
            }
        )
        return object
    }

    private func noiseObject() -> JSONObject {
        var object = JSONObject()
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

    private func originObject() -> JSONObject {
        var object = JSONObject()
        object.add("latitude", PhoneLocation.originLatitudeDegrees)
        object.add("longitude", PhoneLocation.originLongitudeDegrees)
        object.add("ellipsoidal_altitude", PhoneLocation.originEllipsoidalAltitudeMetres)
        return object
    }

    private func terrainObject() -> JSONObject {
        var object = JSONObject()
        object.add("base_metres", Terrain.baseMetres)
        object.add("amplitude_metres", Terrain.amplitudeMetres)
        object.add("period_degrees", Terrain.periodDegrees)
        return object
    }

    private func frameObject(_ frame: SampleFrame, _ trajectory: Trajectory) -> JSONObject {
        var object = JSONObject()
        object.add("frame_index", frame.index)
        object.add("timestamp", json: decimalSeconds(frame.timestampNanoseconds))
        object.add("image", frame.image)
        object.add("orientation", string: frame.orientation.rawValue)
        object.add("camera_transform", trajectory.worldFromCamera(atSeconds: frame.seconds).columnMajor)
        if frame.image < relativeDepth.count {
            object.add("relative_depth_a", relativeDepth[frame.image].a)
            object.add("relative_depth_b", relativeDepth[frame.image].b)
        }
        return object
    }
}
