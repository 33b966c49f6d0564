import Foundation
import Recording
import Sessions
import SystemPackage
import TestSupport

/// A session of a walk around two corners on the Earth, whose world has any heading: frames at 5 Hz, a fix a second.
struct SurveyedWalk {
    static let place = (latitude: -33.8568, longitude: 151.2153, height: 41.5)
    static let undulation = 22.5

    /// The azimuth of -z of ARKit's world.
    var heading = 0.0
    /// Of the fixes: what they are turned by against the poses.
    var fixHeading: Double?
    var seconds = 60
    var metadataAlignment: String?
    var hasEllipsoidalAltitude = true
    var hasAltitude = true
    var accuracy = "4"
    /// Appended to each fix.
    var change: (_ second: Int, inout JSONFieldList) -> Void = { _, _ in }
    /// Words of `tracking_state`.
    var tracking: (_ frame: Int) -> String = { _ in "normal" }

    /// East, north and up of the place, after some seconds.
    static func eastNorthUp(_ second: Double) -> Vector3 {
        let metres = 1.5 * second
        if metres < 40 { return Vector3(0.2 * metres, metres, 0.01 * metres) }
        return Vector3(8 + (metres - 40), 40 - 0.1 * (metres - 40), 0.4)
    }

    /// What is east and north of the start, in ARKit's world of a heading: x to the right, y up, z backward.
    static func world(_ enu: Vector3, heading: Double) -> Vector3 {
        let azimuth = heading * .pi / 180
        let forward = enu.x * sin(azimuth) + enu.y * cos(azimuth)
        let right = enu.x * cos(azimuth) - enu.y * sin(azimuth)
        return Vector3(right, enu.z, -forward)
    }

    func builder() throws -> SessionBuilder {
        var builder = try SessionBuilder(frameCount: 2)
        builder.files = [:]
        let line = builder.lines[0]
        builder.lines = (0...5 * seconds).map { frame in
            var line = line
            let p = Self.world(Self.eastNorthUp(Double(frame) / 5), heading: heading)
            line["frame_index"] = "\(frame)"
            line["timestamp"] = "\(1000 + Double(frame) / 5)"
            line["imu_timestamp"] = "\(1000 + Double(frame) / 5 + 0.01)"
            line["camera_transform"] = "[-1,0,0,0, 0,-1,0,0, 0,0,1,0, \(p.x + 3),\(p.y - 1),\(p.z + 2),1]"
            line["tracking_state"] = "\"\(tracking(frame))\""
            return line
        }
        builder.metadata?["frameCount"] = "\(builder.lines.count)"
        builder.metadata?["endTimestamp"] = "\(1000 + seconds)"
        if let metadataAlignment { builder.metadata?["world_alignment"] = "\"\(metadataAlignment)\"" }
        builder.files["gps.jsonl"] = Array((0..<seconds).map { fix($0).text + "\n" }.joined().utf8)
        return builder
    }

    /// Between two frames, so that poses have to be interpolated.
    private func fix(_ second: Int) -> JSONFieldList {
        let time = Double(second) + 0.13
        var enu = Self.eastNorthUp(time)
        if let fixHeading {
            let turned = Self.world(enu, heading: heading - fixHeading)
            enu = Vector3(turned.x, -turned.z, turned.y)
        }
        let place = NaiveEarth.place(of: NaiveEarth.position(eastNorthUp: enu, of: Self.place), near: Self.place)
        var fix = JSONFieldList()
        fix["timestamp"] = "\(1000 + time)"
        fix["latitude"] = "\(place.latitude)"
        fix["longitude"] = "\(place.longitude)"
        if hasEllipsoidalAltitude { fix["ellipsoidal_altitude"] = "\(place.height)" }
        if hasAltitude { fix["altitude"] = "\(place.height - Self.undulation)" }
        fix["horizontal_accuracy"] = accuracy
        fix["vertical_accuracy"] = "6"
        change(second, &fix)
        return fix
    }
}
