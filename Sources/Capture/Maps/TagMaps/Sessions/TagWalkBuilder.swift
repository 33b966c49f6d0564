import Perception
import Recording
package import Sessions

/// Makes the walk of a session, as the maps are made of, frame by frame.
package final class TagWalkBuilder {
    package private(set) var walk: RawTagMap
    /// For each pose, the line of its frame in the session's file.
    package private(set) var lines: [Int] = []

    package init(name: String) {
        walk = RawTagMap(name: name)
    }

    /// Noise of fixes lasts: one in this time says nearly all.
    private static let secondsOfFixes = 10.0

    /// Adds the fixes of the same session, when all of its frames are there: each to the pose that is nearest in time.
    package func add(_ track: FixTrack) {
        var last = -Double.infinity
        for place in track.places where walk.poses.count > 0 {
            let seconds = place.fix.time.seconds
            guard place.fix.horizontalSigmaMetres != nil, seconds - last >= Self.secondsOfFixes else { continue }
            let after = walk.poses.firstIndex { $0.seconds >= seconds } ?? walk.poses.count - 1
            let before = max(0, after - 1)
            let isBefore = seconds - walk.poses[before].seconds < abs(walk.poses[after].seconds - seconds)
            let pose = isBefore ? before : after
            guard abs(walk.poses[pose].seconds - seconds) <= 1 else { continue }
            walk.fixes.append(RawTagMap.Fix(pose: pose, sample: place.fix))
            last = seconds
        }
    }

    package func add(_ found: FrameTags) {
        let pose = walk.poses.count
        lines.append(found.frame.line)
        walk.poses.append(
            RawTagMap.Pose(
                id: Int64(found.frame.index),
                seconds: found.frame.time.seconds,
                worldFromCamera: found.frame.worldFromCamera
            )
        )
        for sighting in found.sightings {
            let id = Int64(sighting.tag.id)
            var detection = RawTagMap.Detection(tag: id, pose: pose, cameraFromTag: sighting.cameraFromTag)
            detection.cameraFromTagBefore = sighting.poses.first?.cameraFromTag
            if sighting.source == .ambiguous { detection.cameraFromTagOther = sighting.poses.last?.cameraFromTag }
            detection.corners = sighting.tag.corners
            detection.camera = found.camera
            detection.covariance = sighting.covariance
            walk.detections.append(detection)
        }
    }
}
