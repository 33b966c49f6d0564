import JSONText
package import Recording

/// What Invisible Map Creator records: poses of the phone, what its camera saw of the tags, and named places.
///
/// Its JSON has no specification; the keys, orders and axes are those of its stored files. Poses are column-major and have
/// ARKit's camera axes; those of tags and waypoints are row-major, tags in the camera's axes of OpenCV (x right, y down, z
/// forward), with x right, y up and z out of the wall.
package struct RawTagMap: Sendable {
    package struct Pose: Sendable {
        package var id: Int64
        package var seconds: Double
        package var worldFromCamera: Transform
    }

    package struct Detection: Sendable {
        package var tag: Int64
        /// The index into `poses`.
        package var pose: Int
        /// In ARKit's camera axes; corrected by LiDAR and set upright by the app.
        package var cameraFromTag: Transform
        /// As it was before that.
        package var cameraFromTagBefore: Transform?
        /// Bottom left, bottom right, top right, top left of the upright tag, in pixels; empty where there are none.
        package var corners: [SIMD2<Double>] = []
        /// fx, fy, cx, cy of the landscape image.
        package var intrinsics: [Double] = []
    }

    package struct Waypoint: Sendable {
        package var name: String
        package var pose: Int
        package var cameraFromWaypoint: Transform
    }

    package private(set) var name = ""
    package private(set) var poses: [Pose] = []
    package private(set) var detections: [Detection] = []
    package private(set) var waypoints: [Waypoint] = []
    package private(set) var problems = TagMapProblems()
    private var poseIndices: [Int64: Int] = [:]

    private static let valueLimit = 8_000_000
    /// OpenCV's camera axes in ARKit's, and the other way round: y and z turn around.
    private static let arkitFromOpenCV = Transform(rotation: Quaternion(x: 1, y: 0, z: 0, w: 0))

    /// Reads a raw map; what is damaged in it is counted and left out.
    package init(parsing bytes: [UInt8]) throws(TagMapError) {
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONValue.parse(bytes, valueLimit: Self.valueLimit, allowsNonFinite: true)
        } catch {
            throw TagMapError("a JSON file", found: "\(error)")
        }
        guard let poses = root["pose_data"]?.array, let tags = root["tag_data"]?.array else {
            let keys = (root.object?.keys ?? []).prefix(5).joined(separator: ", ")
            throw TagMapError("a raw map with pose_data and tag_data", found: keys.isEmpty ? "none" : "keys \(keys)")
        }
        name = root["map_id"]?.string ?? ""
        for (index, value) in poses.enumerated() { add(pose: value, "pose_data[\(index)]") }
        for (index, value) in tags.enumerated() {
            // A list for each frame; a few old files have the detections themselves.
            for (place, detection) in (value.array ?? [value]).enumerated() {
                add(detection: detection, "tag_data[\(index)][\(place)]")
            }
        }
        // The space is a slip of the app that stored files have.
        let waypoints = root["location_data"]?.array ?? root["location_ data"]?.array ?? []
        for (index, value) in waypoints.enumerated() { add(waypoint: value, "location_data[\(index)]") }
    }

    private mutating func add(pose value: JSONValue, _ place: String) {
        guard let id = value["id"]?.integer, let seconds = value["timestamp"]?.number, seconds.isFinite else {
            return problems.note(.field, place, expected: "id and timestamp", found: "none")
        }
        guard let pose = transform(value["pose"], isRowMajor: false, place) else { return }
        guard poseIndices[id] == nil else {
            return problems.note(.repeatedPose, place, expected: "a number of its own", found: "\(id)")
        }
        poseIndices[id] = poses.count
        poses.append(Pose(id: id, seconds: seconds, worldFromCamera: pose))
    }

    private mutating func add(detection value: JSONValue, _ place: String) {
        guard let tag = value["tag_id"]?.integer, let id = value["pose_id"]?.integer else {
            return problems.note(.field, place, expected: "tag_id and pose_id", found: "none")
        }
        guard let pose = poseIndices[id] else {
            return problems.note(.unknownPose, place, expected: "a pose_id of pose_data", found: "\(id)")
        }
        guard let stored = transform(value["tag_pose"], isRowMajor: true, place) else { return }
        var detection = Detection(tag: tag, pose: pose, cameraFromTag: Self.arkitFromOpenCV * stored)
        if let before = value["orig_pose"] {
            detection.cameraFromTagBefore = transform(before, isRowMajor: true, place).map { Self.arkitFromOpenCV * $0 }
        }
        let corners = numbers(value["tag_corners_pixel_coordinates"], 8)
        let intrinsics = numbers(value["camera_intrinsics"], 4)
        if let corners, let intrinsics, intrinsics[0] > 0, intrinsics[1] > 0 {
            detection.corners = (0..<4).map { SIMD2(corners[2 * $0], corners[2 * $0 + 1]) }
            detection.intrinsics = intrinsics
            if TagSquare(detection)?.isComputed == true {
                problems.note(.madeCorners, place, expected: "measured corners", found: "those of an exact square")
            }
        } else {
            problems.note(.corners, place, expected: "eight numbers, and four of the camera", found: "others")
        }
        detections.append(detection)
    }

    private mutating func add(waypoint value: JSONValue, _ place: String) {
        guard let name = value["name"]?.string, let id = value["pose_id"]?.integer else {
            return problems.note(.field, place, expected: "name and pose_id", found: "none")
        }
        // The app writes the number of the pose after the one that the place is relative to.
        guard let pose = poseIndices[id - 1] ?? poseIndices[id] else {
            return problems.note(.unknownPose, place, expected: "a pose_id of pose_data", found: "\(id)")
        }
        guard let stored = transform(value["transform"], isRowMajor: true, place) else { return }
        waypoints.append(Waypoint(name: name, pose: pose, cameraFromWaypoint: stored))
    }

    private func numbers(_ value: JSONValue?, _ count: Int) -> [Double]? {
        let numbers = value?.array?.compactMap(\.number).filter(\.isFinite)
        return numbers?.count == count && value?.array?.count == count ? numbers : nil
    }

    private mutating func transform(_ value: JSONValue?, isRowMajor: Bool, _ place: String) -> Transform? {
        guard let numbers = numbers(value, 16) else {
            problems.note(.pose, place, expected: "16 numbers", found: "others")
            return nil
        }
        let columns = isRowMajor ? (0..<16).map { numbers[4 * ($0 % 4) + $0 / 4] } : numbers
        do throws(Transform.MatrixProblem) {
            return try Transform(columnMajor: columns, tolerance: 0.01)
        } catch {
            problems.note(.pose, place, expected: "a rigid motion", found: "\(error)")
            return nil
        }
    }
}
