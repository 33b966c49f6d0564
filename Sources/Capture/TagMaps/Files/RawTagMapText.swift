package import JSONText
import Recording
import Tags

/// A raw map as Invisible Map's programs read it, with the covariances that ours have.
extension RawTagMap {
    package var json: JSONValue {
        // A place is written with the number after that of its pose: where there is none, poses are counted anew.
        let ids = poses.contains { $0.id == .max } ? poses.indices.map(Int64.init) : poses.map(\.id)
        var frames: [Int: [JSONValue]] = [:]
        for detection in detections {
            frames[detection.pose, default: []].append(json(detection, ids[detection.pose]))
        }
        return .object([
            "map_id": .string(name), "generated_from": .string(Self.generator),
            "pose_data": .array(zip(poses, ids).map { json($0, $1) }),
            "tag_data": .array(frames.sorted { $0.key < $1.key }.map { .array($0.value) }),
            "location_data": .array(waypoints.map { json($0, ids[$0.pose]) }),
            "plane_data": .array([]),
        ])
    }

    private func json(_ pose: Pose, _ id: Int64) -> JSONValue {
        .object([
            "id": .integer(id), "timestamp": .number(pose.seconds),
            "pose": .numbers(pose.worldFromCamera.columnMajor), "planes": .array([]),
        ])
    }

    private func json(_ detection: Detection, _ id: Int64) -> JSONValue {
        let pose = poses[detection.pose]
        let stored = Self.arkitFromOpenCV.inverse * detection.cameraFromTag
        var members: [(String, JSONValue)] = [
            ("tag_id", .integer(detection.tag)), ("pose_id", .integer(id)), ("timestamp", .number(pose.seconds)),
            ("tag_pose", .numbers(Self.rowMajor(stored))),
        ]
        if let before = detection.cameraFromTagBefore {
            members.append(("orig_pose", .numbers(Self.rowMajor(Self.arkitFromOpenCV.inverse * before))))
        }
        if let other = detection.cameraFromTagOther {
            members.append(("other_pose", .numbers(Self.rowMajor(Self.arkitFromOpenCV.inverse * other))))
        }
        members.append(("tag_corners_pixel_coordinates", .numbers(detection.corners.flatMap { [$0.x, $0.y] })))
        let camera = detection.camera.map { [$0.fx, $0.fy, $0.cx, $0.cy] }
        members.append(("camera_intrinsics", .numbers(camera ?? [])))
        let (place, turn) = Self.variances(detection.covariance ?? .zero, stored)
        members.append(("tag_position_variance", .numbers(place)))
        members.append(("tag_orientation_variance", .numbers(turn)))
        if let covariance = detection.covariance {
            members.append(("covariance", .numbers(covariance.rows.flatMap(\.self))))
        }
        return .object(members)
    }

    private func json(_ waypoint: Waypoint, _ id: Int64) -> JSONValue {
        let pose = poses[waypoint.pose]
        return .object([
            // The number of the pose after it, as the app writes it and reads it back.
            "name": .string(waypoint.name), "timestamp": .number(pose.seconds), "pose_id": .integer(id + 1),
            "transform": .numbers(Self.rowMajor(waypoint.cameraFromWaypoint)),
        ])
    }

    private static func rowMajor(_ transform: Transform) -> [Double] {
        let columns = transform.columnMajor
        return (0..<16).map { columns[4 * ($0 % 4) + $0 / 4] }
    }

    /// Of x, y, z in the camera's axes of OpenCV, and of the quaternion x, y, z, w.
    private static func variances(_ covariance: Matrix6, _ stored: Transform) -> ([Double], [Double]) {
        let turn = Matrix3(stored.rotation)
        let place = (turn * covariance.tt * turn.transposed).diagonal
        // q * (half the small rotation, 1).
        let q = stored.rotation
        let rows = [
            Vector3(q.w, -q.z, q.y), Vector3(q.z, q.w, -q.x), Vector3(-q.y, q.x, q.w), Vector3(-q.x, -q.y, -q.z),
        ]
        return ([place.x, place.y, place.z], rows.map { dot($0, covariance.rr * $0) / 4 })
    }
}

extension JSONValue {
    /// An array of numbers.
    static func numbers(_ values: [Double]) -> JSONValue { .array(values.map { .number($0) }) }
}
