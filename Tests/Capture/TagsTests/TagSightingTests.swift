import Perception
import Recording
import TestSupport
import Testing

/// Poses with depth, as LiDAR sees a wall.
@Suite struct TagSightingTests {
    private let camera = CameraIntrinsics(width: 1920, height: 1440, fx: 1450, fy: 1440, cx: 955, cy: 722)

    /// The depth of the plane of a tag, with noise and something in front of it.
    private func depth(_ pose: Transform, noise: Double, obstacles: Double = 0, seed: UInt64 = 1) -> DepthMap {
        var generator = SeededRandomNumbers(seed: seed)
        let normal = pose.rotation.rotating(Vector3(0, 0, 1))
        var metres: [Float] = []
        for row in 0..<192 {
            for column in 0..<256 {
                // Pixels of the image that the depth pixel covers: its middle.
                let (u, v) = ((Double(column) + 0.5) * 7.5 - 0.5, (Double(row) + 0.5) * 7.5 - 0.5)
                let ray = Vector3((u - 955) / 1450, -(v - 722) / 1440, -1)
                var z = dot(normal, pose.translation) / dot(normal, ray)
                let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
                z += noise * normal
                let chance = Double.random(in: 0..<1, using: &generator)
                if chance < obstacles { z *= 0.6 }
                metres.append(chance > 0.99 ? .nan : Float(z))
            }
        }
        return DepthMap(width: 256, height: 192, metres: metres, confidence: [UInt8](repeating: 2, count: 256 * 192))
    }

    private func detection(_ pose: Transform, edge: Double, noise: Double, seed: UInt64) -> TagDetection {
        var generator = SeededRandomNumbers(seed: seed)
        let corners = SquarePose.corners(edgeMetres: edge).map { corner in
            let p = pose * corner
            func error() -> Double { noise * Double.random(in: -1.7...1.7, using: &generator) }
            return SIMD2(955 + 1450 * p.x / -p.z + error(), 722 - 1440 * p.y / -p.z + error())
        }
        return TagDetection(family: .tag36h11, id: 5, hamming: 0, margin: 90, corners: corners)
    }

    private func pose(tilt: Double, roll: Double, distance: Double = 1.5) -> Transform {
        let turn = Quaternion(angleRadians: tilt, axis: Vector3(0, 1, 0))
        return Transform(
            rotation: (turn * Quaternion(angleRadians: roll, axis: Vector3(0, 0, 1))).normalized,
            translation: Vector3(0.1, 0.05, -distance)
        )
    }

    /// A lens shows corners and depth elsewhere than a pinhole does; the tag is where it is.
    @Test("behind a lens with distortion", arguments: [true, false])
    func lens(hasDepth: Bool) throws {
        let (k1, k2) = (-0.18, 0.03)
        func seen(_ x: Double, _ y: Double) -> SIMD2<Double> {
            let r2 = x * x + y * y
            let radial = 1 + k1 * r2 + k2 * r2 * r2
            return SIMD2(955 + 1450 * x * radial, 722 + 1440 * y * radial)
        }
        var camera = camera
        camera.distortion = LensDistortion(k1: k1, k2: k2)
        let pose = Transform(
            rotation: Quaternion(angleRadians: 0.4, axis: Vector3(0, 1, 0)),
            translation: Vector3(0.7, 0.45, -1.5)
        )
        let corners = SquarePose.corners(edgeMetres: 0.152).map { corner in
            let p = pose * corner
            return seen(p.x / -p.z, p.y / p.z)
        }
        let tag = TagDetection(family: .tag36h11, id: 5, hamming: 0, margin: 90, corners: corners)
        let normal = pose.rotation.rotating(Vector3(0, 0, 1))
        let metres = (0..<192 * 256).map { place -> Float in
            let u = (Double(place % 256) + 0.5) * 7.5 - 0.5
            let v = (Double(place / 256) + 0.5) * 7.5 - 0.5
            // The radius that is seen there, by halving.
            let (x, y) = ((u - 955) / 1450, (v - 722) / 1440)
            let target = (x * x + y * y).squareRoot()
            var (low, high) = (0.0, 1.5)
            for _ in 0..<60 {
                let r = (low + high) / 2
                if r * (1 + k1 * r * r + k2 * r * r * r * r) < target { low = r } else { high = r }
            }
            let factor = target > 0 ? low / target : 1
            return Float(dot(normal, pose.translation) / dot(normal, Vector3(x * factor, -y * factor, -1)))
        }
        let depth = hasDepth ? DepthMap(width: 256, height: 192, metres: metres, confidence: nil) : nil
        let measurer = TagMeasurer(sizes: try #require(TagSizes(["0.152"])))
        let found = try #require(measurer.sighting(of: tag, camera: camera, depth: depth)).cameraFromTag
        #expect((found.translation - pose.translation).length < 0.003)
        #expect((found.rotation.inverse * pose.rotation).angleRadians < 0.01)
        camera.distortion = nil
        let blind = measurer.sighting(of: tag, camera: camera, depth: depth)?.cameraFromTag
        #expect(blind.map { ($0.translation - pose.translation).length > 0.02 } ?? true)
    }

    @Test(
        "with LiDAR centres are right to a centimetre and normals to a degree, however the tag is turned",
        arguments: [0.0, 0.3, 0.8],
        [0.0, 0.5, .pi / 2, .pi]
    )
    func lidar(tilt: Double, roll: Double) throws {
        let measurer = TagMeasurer(sizes: try #require(TagSizes(["0.152"])))
        for seed in 1...10 as ClosedRange<UInt64> {
            let pose = pose(tilt: tilt, roll: roll)
            let found = try #require(
                measurer.sighting(
                    of: detection(pose, edge: 0.152, noise: 0.3, seed: seed),
                    camera: camera,
                    depth: depth(pose, noise: 0.005, obstacles: 0.1, seed: seed)
                )
            )
            #expect(found.source == .lidar)
            #expect((found.cameraFromTag.translation - pose.translation).length < 0.01)
            let error = (pose.inverse * found.cameraFromTag).rotation
            #expect(error.angleRadians < 1.2 * .pi / 180, "\(error.angleRadians * 180 / .pi)")
            #expect(abs((found.measuredEdgeMetres ?? 0) / 0.152 - 1) < 0.02)
        }
    }

    @Test("a size that was given wrong is seen, and the plane not taken for the tag's")
    func wrongSize() throws {
        let measurer = TagMeasurer(sizes: try #require(TagSizes(["0.2"])))
        let pose = pose(tilt: 0.4, roll: 0)
        let found = try #require(
            measurer.sighting(
                of: detection(pose, edge: 0.152, noise: 0, seed: 1),
                camera: camera,
                depth: depth(pose, noise: 0.002)
            )
        )
        #expect(found.hasOtherPlane && found.source != .lidar)
        #expect(abs((found.measuredEdgeMetres ?? 0) - 0.152) < 0.002)
    }

    @Test("without a size the tag is as large as LiDAR sees it, and without LiDAR there is no pose")
    func automatic() throws {
        let measurer = TagMeasurer(sizes: TagSizes())
        let pose = pose(tilt: 0.4, roll: 1)
        let tag = detection(pose, edge: 0.173, noise: 0, seed: 1)
        let found = try #require(measurer.sighting(of: tag, camera: camera, depth: depth(pose, noise: 0.002)))
        #expect(abs(found.edgeMetres - 0.173) < 0.002 && found.source == .lidar)
        #expect(measurer.sighting(of: tag, camera: camera, depth: nil) == nil)
    }

    @Test("depth without a plane is none, and crashes nothing")
    func noPlane() throws {
        let corners = detection(pose(tilt: 0, roll: 0), edge: 0.152, noise: 0, seed: 1).corners
        var generator = SeededRandomNumbers(seed: 9)
        let random = (0..<256 * 192).map { _ in Float.random(in: 0.5...4, using: &generator) }
        let maps = [
            DepthMap(width: 256, height: 192, metres: random),
            DepthMap(width: 256, height: 192, metres: [Float](repeating: .nan, count: 256 * 192)),
            DepthMap(width: 1, height: 1, metres: [1]), DepthMap(width: 0, height: 0, metres: []),
        ]
        for map in maps { #expect(DepthPlane(map, corners: corners, camera: camera) == nil) }
        let outside = corners.map { $0 + SIMD2(1e5, -1e5) }
        #expect(DepthPlane(depth(pose(tilt: 0, roll: 0), noise: 0), corners: outside, camera: camera) == nil)
    }

    @Test("sizes are read as they are written, and refused where they are none")
    func sizes() throws {
        let sizes = try #require(TagSizes(["0.152,1-7=0.173", "12=0.2", "5=0.1"]))
        #expect([0, 1, 7, 8, 12, 5].map { sizes.metres(of: $0) } == [0.152, 0.173, 0.173, 0.152, 0.2, 0.1])
        #expect(TagSizes(["auto", "3=0.1"])?.metres(of: 4) == nil)
        for word in ["x", "1=", "=0.1", "7-1=0.1", "1-2-3=0.1", "-1=0.1", "0", "-0.1", "nan", "11", "1=2=3", "1-=0.1"] {
            #expect(TagSizes([word]) == nil, "\(word)")
        }
    }
}
