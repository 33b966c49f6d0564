import Files
import Recording
import SessionLines

/// 3D Scanner App's "All Data": a JSON file for each pose, everything in one folder.
struct ScannerLayout: SampleLayout {
    let schedule: SampleSchedule

    static let leavings = SampleLeavings(
        files: ["info.json"],
        numbered: [
            ("", "frame_", ".json"), ("", "frame_", ".jpg"), ("", "depth_", ".png"), ("", "conf_", ".png"),
        ]
    )

    var folders: [String] { [] }

    var files: SampleFiles {
        SampleFiles(
            picture: { "frame_\(padded($0.index, 5)).jpg" },
            depth: .init(name: { "depth_\(padded($0.index, 5)).png" }, encode: SampleFiles.millimetrePNG),
            confidence: .init(name: { "conf_\(padded($0.index, 5)).png" }, encode: SampleFiles.greyPNG)
        )
    }

    func writeLists(_ folder: SessionFolder) throws -> SampleCounts {
        let fixes = schedule.locationFixes
        var place = 0
        try schedule.eachFrame { frame, pose throws(FileError) in
            var object = self.object(frame, pose)
            // The frame after a fix has it; of two, the newer one.
            var newest: LocationSample?
            while place < fixes.count, fixes[place].time.nanoseconds <= frame.timestampNanoseconds {
                newest = fixes[place]
                place += 1
            }
            if let newest { add(newest, to: &object) }
            try OutputFile.write(object.closed, to: folder.path("frame_\(padded(frame.index, 5)).json"))
        }
        var info = JSONObject()
        info.add("title", string: "Synthetic")
        info.add("appVersionString", string: "1.9.5")
        info.add("projectVersion", 1)
        info.add("captureMode", options.hasLidar ? 1 : 2)
        info.add("numImages", schedule.frameCount)
        try OutputFile.write(info.closed, to: folder.path("info.json"))
        return SampleCounts(locations: place)
    }

    private func object(_ frame: SampleFrame, _ pose: Transform) -> JSONObject {
        let k = sensorCamera
        let (width, height) = (Double(k.width), Double(k.height))
        var object = JSONObject()
        object.add("time", json: decimalSeconds(frame.timestampNanoseconds))
        object.add("frame_index", frame.index)
        object.add("cameraPoseARFrame", pose.rows.flatMap(\.self))
        object.add("intrinsics", [k.fx, 0, k.cx, 0, k.fy, k.cy, 0, 0, 1])
        // OpenGL's, by rows, without a far plane; image coordinates of the corner.
        object.add(
            "projectionMatrix",
            [
                2 * k.fx / width, 0, 1 - 2 * (k.cx + 0.5) / width, 0,
                0, 2 * k.fy / height, 2 * (k.cy + 0.5) / height - 1, 0,
                0, 0, -1, -0.002,
                0, 0, -1, 0,
            ]
        )
        object.add("exposureDuration", 0.01)
        object.add("averageVelocity", 0)
        object.add("averageAngularVelocity", 0)
        object.add("motionQuality", 0.9)
        object.add("cameraGrain", 0.1)
        return object
    }

    private func add(_ fix: LocationSample, to object: inout JSONObject) {
        object.add("hasGPS", true)
        object.add("latitude", fix.latitudeDegrees)
        object.add("longitude", fix.longitudeDegrees)
        object.add("altitude", fix.altitudeMetres ?? 0)
        object.add("horizontalAccuracy", fix.horizontalAccuracyMetres ?? -1)
        object.add("verticalAccuracy", fix.verticalAccuracyMetres ?? -1)
        object.add("gpsTime", json: SampleSchedule.unixSeconds(fix.time.nanoseconds))
    }
}

extension Transform {
    /// The matrix by rows.
    var rows: [[Double]] {
        let m = columnMajor
        return (0..<4).map { row in (0..<4).map { m[4 * $0 + row] } }
    }
}
