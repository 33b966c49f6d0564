import Maps
import Perception
import Recording
import TestSupport
import Testing

/// Tags whose corners allow two directions, by sightings from several places.
@Suite struct TagFlipTests {
    private let camera = CameraIntrinsics(width: 1920, height: 1440, fx: 1450, fy: 1450, cx: 960, cy: 720)

    /// Ten sightings of a tag 3 m away without LiDAR, from places as many degrees apart about it.
    private func walk(
        _ tag: Transform,
        degrees: Double,
        _ generator: inout SeededRandomNumbers
    ) throws -> RawTagMap {
        let measurer = TagMeasurer(sizes: try #require(TagSizes(["0.152"])))
        var walk = RawTagMap(name: "walk")
        for index in 0..<10 {
            let turn = Quaternion(
                angleRadians: degrees * .pi / 180 * (Double(index) / 9 - 0.5),
                axis: Vector3(0, 1, 0)
            )
            let pose = Transform(rotation: turn, translation: tag.translation + turn.rotating(Vector3(0, 0, 3)))
            let corners = try SquarePose.corners(edgeMetres: 0.152).map { point in
                let noise = SIMD2(normal(&generator), normal(&generator)) * 0.3
                return try #require(camera.pixel(pose.inverse * tag * point)) + noise
            }
            let found = TagDetection(family: .tag36h11, id: 1, hamming: 0, margin: 100, corners: corners)
            let sighting = try #require(measurer.sighting(of: found, camera: camera, depth: nil))
            walk.poses.append(RawTagMap.Pose(id: Int64(index), seconds: Double(index), worldFromCamera: pose))
            var detection = RawTagMap.Detection(tag: 1, pose: index, cameraFromTag: sighting.cameraFromTag)
            (detection.corners, detection.camera) = (corners, camera)
            detection.covariance = sighting.covariance
            if sighting.source == .ambiguous {
                detection.cameraFromTagOther = sighting.poses.last?.cameraFromTag
            }
            walk.detections.append(detection)
        }
        return walk
    }

    private func normal(_ generator: inout SeededRandomNumbers) -> Double {
        (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
    }

    /// Degrees between the normals of the tag in the map and in truth.
    private func error(_ walk: RawTagMap, _ truth: Transform) throws -> Double {
        let map = try #require(TagMapper().maps(of: [walk]).first)
        let found = try #require(map.tags.first).worldFromTag.rotation.rotating(Vector3(0, 0, 1))
        let normal = truth.rotation.rotating(Vector3(0, 0, 1))
        return arcTangent(cross(found, normal).length, dot(found, normal)) * 180 / .pi
    }

    @Test("sightings from 10 degrees and more apart decide which of two directions a tag has")
    func decided() throws {
        var generator = SeededRandomNumbers(seed: 4)
        var (errors, guessed, ambiguous) = ([Double](), [Double](), 0)
        for index in 0..<60 {
            func angle() -> Double { Double.random(in: -0.3...0.3, using: &generator) }
            let turn =
                Quaternion(angleRadians: angle(), axis: Vector3(0, 1, 0))
                * Quaternion(angleRadians: angle(), axis: Vector3(1, 0, 0))
            let tag = Transform(rotation: turn, translation: Vector3(0, 1.5, -3))
            var walk = try walk(tag, degrees: [10.0, 20, 40][index % 3], &generator)
            ambiguous += walk.detections.count { $0.cameraFromTagOther != nil }
            errors.append(try error(walk, tag))
            for index in walk.detections.indices { walk.detections[index].cameraFromTagOther = nil }
            guessed.append(try error(walk, tag))
        }
        #expect(ambiguous > 300)
        let (sorted, before) = (errors.sorted(), guessed.sorted())
        #expect(sorted[30] < 1 && sorted[54] < 2 && sorted[59] < 5, "\(sorted.suffix(10))")
        #expect(sorted[30] < before[30] && sorted[54] < before[54] / 2, "\(before.suffix(10))")
    }

    @Test("one sighting alone decides nothing")
    func alone() throws {
        var generator = SeededRandomNumbers(seed: 5)
        let tag = Transform(
            rotation: Quaternion(angleRadians: 0.1, axis: Vector3(0, 1, 0)),
            translation: Vector3(0, 1.5, -3)
        )
        var walk = try walk(tag, degrees: 10, &generator)
        walk.detections.removeLast(9)
        let map = try #require(TagMapper().maps(of: [walk]).first)
        #expect(walk.detections[0].cameraFromTagOther != nil && map.decidedFlips == 0)
        #expect(map.tags.first?.sightings == 1)
    }
}
