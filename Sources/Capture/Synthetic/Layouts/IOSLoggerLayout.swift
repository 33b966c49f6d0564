import Files
import Recording
import SessionLines

/// ios_logger's text files: poses, cameras, IMU and GPS with Unix times; neither its video nor depth.
struct IOSLoggerLayout: SampleLayout {
    let schedule: SampleSchedule

    static let leavings = SampleLeavings(files: [
        "Accel.txt", "Gyro.txt", "MotARH.txt", "GPS.txt", "ARposes.txt", "Frames.txt",
    ])

    var folders: [String] { [] }
    var files: SampleFiles { SampleFiles() }

    func writeLists(_ folder: SessionFolder) throws -> SampleCounts {
        var counts = SampleCounts()
        if options.imuRateHertz > 0 { counts.motion = try writeMotion(folder) }
        if options.hasGPS { counts.locations = try writeFixes(folder) }
        let poses = try OutputFile(creating: folder.path("ARposes.txt"))
        let frames = try OutputFile(creating: folder.path("Frames.txt"))
        let k = sensorCamera
        try schedule.eachFrame { frame, pose throws(FileError) in
            let (t, q) = (pose.translation, pose.rotation)
            try Self.append([t.x, t.y, t.z, q.w, q.x, q.y, q.z], at: frame.timestampNanoseconds, to: poses)
            // No picture has this number: there is no video.
            let numbers = [-1, k.fx, k.fy, k.cx, k.cy]
            try Self.append(numbers, at: frame.timestampNanoseconds, to: frames)
        }
        try poses.finish()
        try frames.finish()
        return counts
    }

    /// Accelerations in g with Apple's sign, turn rates, and both with gravity apart: rate, gravity, acceleration.
    private func writeMotion(_ folder: SessionFolder) throws -> Int {
        let accelerations = try OutputFile(creating: folder.path("Accel.txt"))
        let rates = try OutputFile(creating: folder.path("Gyro.txt"))
        let motion = try OutputFile(creating: folder.path("MotARH.txt"))
        let count = try schedule.eachMotionSample { sample throws(FileError) in
            let (u, g, w) = (sample.userAcceleration, sample.gravity, sample.rotationRate)
            let time = sample.time.nanoseconds
            try Self.append([u.x + g.x, u.y + g.y, u.z + g.z], at: time, to: accelerations)
            try Self.append([w.x, w.y, w.z], at: time, to: rates)
            try Self.append([w.x, w.y, w.z, g.x, g.y, g.z, u.x, u.y, u.z], at: time, to: motion)
        }
        for file in [accelerations, rates, motion] { try file.finish() }
        return count
    }

    /// Latitude, longitude, horizontal accuracy, altitude, vertical accuracy, floor, course, speed.
    private func writeFixes(_ folder: SessionFolder) throws -> Int {
        let file = try OutputFile(creating: folder.path("GPS.txt"))
        let fixes = schedule.locationFixes
        for fix in fixes {
            let place = [fix.latitudeDegrees, fix.longitudeDegrees, fix.horizontalAccuracyMetres ?? -1]
            let height = [fix.altitudeMetres ?? 0, fix.verticalAccuracyMetres ?? -1, 0]
            let motion = [fix.courseDegrees ?? -1, fix.speedMetresPerSecond ?? -1]
            try Self.append(place + height + motion, at: fix.time.nanoseconds, to: file)
        }
        try file.finish()
        return fixes.count
    }

    private static func append(_ numbers: [Double], at nanoseconds: Int64, to file: OutputFile) throws(FileError) {
        let columns = numbers.map(JSONObject.number).joined(separator: ",")
        try file.append(text: "\(SampleSchedule.unixSeconds(nanoseconds)),\(columns)\r\n")
    }
}
