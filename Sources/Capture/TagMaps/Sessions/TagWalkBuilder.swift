import Recording
import Tags

/// Makes the walk of a session, as the maps are made of, frame by frame.
package final class TagWalkBuilder {
    package private(set) var walk: RawTagMap
    /// By pose: the line of the frame in the session's file.
    package private(set) var lines: [Int] = []

    package init(name: String) {
        walk = RawTagMap(name: name)
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
            detection.corners = sighting.tag.corners
            detection.camera = found.camera
            detection.covariance = sighting.covariance
            walk.detections.append(detection)
        }
    }
}
