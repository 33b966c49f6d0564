import Perception
package import Recording
package import Text

/// A recording of Invisible Map Creator: poses of the phone, sightings of tags by its camera, and named places.
///
/// Its JSON has no specification; the keys, orders and axes are those of its stored files. Poses are column-major and have
/// ARKit's camera axes; those of tags and waypoints are row-major, tags in the camera's axes of OpenCV (x right, y down, z
/// forward), with x right, y up and z out of the wall.
package struct RawTagMap: Sendable {
    package struct Pose: Sendable {
        package var id: Int64
        package var seconds: Double
        package var worldFromCamera: Transform

        package init(id: Int64, seconds: Double, worldFromCamera: Transform) {
            self.id = id
            self.seconds = seconds
            self.worldFromCamera = worldFromCamera
        }
    }

    package struct Detection: Sendable {
        package var tag: Int64
        /// The index into `poses`.
        package var pose: Int
        /// In ARKit's camera axes; corrected by LiDAR and set upright by the app.
        package var cameraFromTag: Transform
        /// As it was before that.
        package var cameraFromTagBefore: Transform?
        /// The other pose that explains the corners nearly as well, of a direction that is a guess; only ours have it.
        package var cameraFromTagOther: Transform?
        /// Bottom left, bottom right, top right, top left of the upright tag, in pixels; empty where there are none.
        package var corners: [SIMD2<Double>] = []
        /// The camera of the landscape image, whose size files do not say.
        package var camera: CameraIntrinsics?
        /// The covariance of (translation, rotation) in the tag's axes; nil where a file has none, or none that can be believed.
        package var covariance: Matrix6?

        package init(tag: Int64, pose: Int, cameraFromTag: Transform) {
            self.tag = tag
            self.pose = pose
            self.cameraFromTag = cameraFromTag
        }
    }

    package struct Waypoint: Sendable {
        package var name: String
        package var pose: Int
        package var cameraFromWaypoint: Transform

        package init(name: String, pose: Int, cameraFromWaypoint: Transform) {
            self.name = name
            self.pose = pose
            self.cameraFromWaypoint = cameraFromWaypoint
        }
    }

    /// Where the Earth says a pose was.
    package struct Fix: Sendable {
        package var pose: Int
        package var sample: LocationSample

        package init(pose: Int, sample: LocationSample) {
            self.pose = pose
            self.sample = sample
        }
    }

    package var name = ""
    package var poses: [Pose] = []
    package var detections: [Detection] = []
    package var waypoints: [Waypoint] = []
    /// The location fixes of sessions; files have none.
    package var fixes: [Fix] = []
    package private(set) var problems = TagMapProblems()
    /// True if covariances mean something: those of the phone app are of fractions of a millimetre.
    private var isOurs = false
    static let generator = "mapeverything"
    private var poseIndices: [Int64: Int] = [:]

    /// OpenCV's camera axes in ARKit's, and the other way round: y and z turn around.
    static let arkitFromOpenCV = Transform(rotation: Quaternion(x: 1, y: 0, z: 0, w: 0))

    /// A map without anything in it.
    package init(name: String) {
        self.name = name
    }

    /// Reads a raw map; what is damaged in it is counted and left out.
    package init(_ root: JSONValue) throws(TagMapError) {
        guard let poses = root["pose_data"]?.array, let tags = root["tag_data"]?.array else {
            let keys = (root.object?.keys ?? []).prefix(5).joined(separator: ", ")
            throw TagMapError("a raw map with pose_data and tag_data", found: keys.isEmpty ? "none" : "keys \(keys)")
        }
        isOurs = root["generated_from"]?.string?.hasPrefix(Self.generator) == true
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
            let (fx, fy, cx, cy) = (intrinsics[0], intrinsics[1], intrinsics[2], intrinsics[3])
            detection.camera = CameraIntrinsics(width: 0, height: 0, fx: fx, fy: fy, cx: cx, cy: cy)
            if TagSquare(detection)?.isComputed == true {
                problems.note(.madeCorners, place, expected: "measured corners", found: "those of an exact square")
            }
        } else {
            problems.note(.corners, place, expected: "eight numbers, and four of the camera", found: "others")
        }
        if isOurs, let values = numbers(value["covariance"], 36) {
            detection.covariance = Matrix6(rowMajor: values)
            if let other = value["other_pose"] {
                detection.cameraFromTagOther = transform(other, isRowMajor: true, place).map {
                    Self.arkitFromOpenCV * $0
                }
            }
        }
        detections.append(detection)
    }

    private mutating func add(waypoint value: JSONValue, _ place: String) {
        guard let name = value["name"]?.string, let id = value["pose_id"]?.integer else {
            return problems.note(.field, place, expected: "name and pose_id", found: "none")
        }
        // The app writes the number of the pose after the one that the place is relative to.
        let before = id.subtractingReportingOverflow(1)
        guard let pose = (before.overflow ? nil : poseIndices[before.partialValue]) ?? poseIndices[id] else {
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

    /// The variances of x, y, z in the camera's axes of OpenCV, and of the quaternion x, y, z, w.
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
