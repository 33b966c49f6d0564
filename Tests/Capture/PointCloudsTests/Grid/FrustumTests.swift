import Perception
import Recording
import Testing

/// The fast way through the builder is for what fits into 512 voxels each way; what does not must not be folded into them.
@Suite struct FrustumTests {
    /// Looking along each axis, both ways, as the columns right, up and backward.
    static let views: [Transform] = [
        Transform(rotation: Quaternion(columns: Vector3(0, 0, 1), Vector3(0, 1, 0), Vector3(-1, 0, 0))),
        Transform(rotation: Quaternion(columns: Vector3(0, 0, -1), Vector3(0, 1, 0), Vector3(1, 0, 0))),
        Transform(rotation: Quaternion(columns: Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(0, -1, 0))),
        Transform(rotation: Quaternion(columns: Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0))),
        Transform(rotation: Quaternion(columns: Vector3(-1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, -1))),
        Transform(rotation: Quaternion(columns: Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1))),
    ]

    /// Pixels of one ray: the camera has next to no angle of view, so that all points lie on its axis.
    private func ray(_ metres: [Float], _ view: Transform) -> Scene {
        var scene = Scene(width: metres.count, height: 1, seed: 1, hasConfidence: false)
        scene.depth.metres = metres
        scene.camera = CameraIntrinsics(width: metres.count, height: 1, fx: 1e7, fy: 1e7, cx: 0, cy: 0)
        scene.image = RGBImage(width: metres.count, height: 1, pixels: [UInt8](repeating: 7, count: 3 * metres.count))
        scene.mapFromCamera = view
        // In the middle of a voxel across the ray.
        scene.mapFromCamera.translation += Vector3(1, 1, 1) * 0.02
        return scene
    }

    private func voxels(_ size: Double) -> CloudParameters {
        var parameters = unfiltered
        parameters.voxelSizeMetres = size
        return parameters
    }

    private func expectAgreement(_ scene: Scene, _ parameters: CloudParameters, count: Int) throws {
        let all = try scene.cloud(bare(parameters)).points
        let expected = ReferencePipeline(parameters: parameters).filtered(all, sensor: scene.mapFromCamera.translation)
        #expect(expected.points.count == count)
        #expect(try scene.cloud(parameters).points == expected.points)
    }

    private func bare(_ parameters: CloudParameters) -> CloudParameters {
        var bare = unfiltered
        bare.maximumDepthMetres = parameters.maximumDepthMetres
        return bare
    }

    @Test(arguments: views)
    func pointsThatAre512VoxelsApartAreTwo(view: Transform) throws {
        // 8 mm: 512 voxels are 4.096 m.
        let near: [Float] = [0.3, 0.4, 0.5, 0.6]
        try expectAgreement(ray(near + near.map { $0 + 4.096 }, view), voxels(0.008), count: 8)
    }

    /// Without a limit of depth the box ends at the farthest pixel, whichever that is.
    @Test(arguments: views, [0, 3, 14])
    func theFarthestPixelIsInTheBox(view: Transform, place: Int) throws {
        var metres: [Float] = (0..<15).map { 1.02 + 0.1 * Float($0) }
        metres[place] += 25.6
        metres.insert(metres[place] - 25.6, at: 4)
        var scene = ray(metres, view)
        // Depths that are none.
        for none in [Float.infinity, .nan, -3] {
            scene.depth.metres[2] = none
            var parameters = voxels(0.05)
            parameters.maximumDepthMetres = .infinity
            try expectAgreement(scene, parameters, count: 15)
        }
    }

    /// Two rows, or two columns, that look 74 degrees apart: 512 voxels of a centimetre lie between their points.
    @Test(arguments: views, [true, false])
    func allCornersAreInTheBox(view: Transform, isRows: Bool) throws {
        var scene = Scene(width: isRows ? 16 : 2, height: isRows ? 2 : 16, seed: 1, hasConfidence: false)
        // A millimetre from the middle of their voxels, to either side.
        scene.depth.metres = Array(repeating: 2.561 / 0.75, count: 32)
        scene.camera = CameraIntrinsics(
            width: isRows ? 16 : 2,
            height: isRows ? 2 : 16,
            fx: isRows ? 400 : 0.5 / 0.75,
            fy: isRows ? 0.5 / 0.75 : 400,
            cx: isRows ? 7.5 : 0.5,
            cy: isRows ? 0.5 : 7.5
        )
        scene.image = RGBImage(width: scene.camera.width, height: scene.camera.height, pixels: [UInt8](0..<96))
        scene.mapFromCamera = view
        scene.mapFromCamera.translation += Vector3(1, 1, 1) * 0.005
        let all = try scene.cloud(bare(voxels(0.01))).points
        let expected = ReferencePipeline(parameters: voxels(0.01)).filtered(all, sensor: .zero).points
        #expect(try scene.cloud(voxels(0.01)).points == expected)
        // One side of the fold has the same voxels as the other.
        #expect(expected.count > 16 && expected.count % 2 == 0)
    }

    @Test(arguments: views)
    func coordinatesThatAreTooLargeAreRefusedAlongEachAxis(view: Transform) throws {
        let forward = view.rotation.columns.2 * -1
        // A voxel of 1 m and a depth of 5 m: the box ends at 1,048,572, the first number that is too large.
        var scene = ray([1, 2], view)
        scene.mapFromCamera.translation = forward * 1_048_567
        #expect(throws: CloudError.self) { try scene.cloud(voxels(1)) }
        scene.mapFromCamera.translation = forward * 1_048_566
        #expect(try scene.cloud(voxels(1)).count == 2)
    }

    /// From where the camera is to the depth limit is 5 m and a little to the sides, wherever the origin of the map is.
    @Test(arguments: views)
    func theReachIsThatOfTheRays(view: Transform) throws {
        let forward = view.rotation.columns.2 * -1
        var parameters = voxels(0.1)
        parameters.maximumRangeMetres = 3
        for start in [-2.5, -1, 0, 4] {
            var scene = ray([0.55, 1.55, 2.55, 3.55, 4.55], view)
            scene.mapFromCamera.translation += forward * start
            try expectAgreement(scene, parameters, count: 3)
        }
        // What is hardly out of range is out of range.
        parameters.maximumRangeMetres = 4.9975
        try expectAgreement(ray([1, 4.9999], view), parameters, count: 1)
        parameters.maximumRangeMetres = 5.01
        try expectAgreement(ray([1, 4.9999], view), parameters, count: 2)
    }

    @Test(arguments: views)
    func aRangeFromTheOriginIsNotOneFromTheCamera(view: Transform) throws {
        var parameters = voxels(0.1)
        parameters.maximumDepthMetres = 3
        parameters.maximumRangeMetres = 4
        parameters.rangeCentre = .worldOrigin
        var scene = ray([0.5, 1.5, 2.5], view)
        scene.mapFromCamera.translation += view.rotation.columns.2 * -10
        try expectAgreement(scene, parameters, count: 0)
    }

    /// A neighbourhood that is too fine for the fast way is searched in the general one.
    @Test(arguments: [1, 3, 9, 26], [UInt64(2), 5])
    func fineNeighbourhoodsAreTheSameAsCoarseOnes(minimum: Int, seed: UInt64) throws {
        let scene = Scene(width: 256, height: 192, seed: seed)
        var parameters = CloudParameters()
        parameters.voxelSizeMetres = nil
        parameters.outlierFilter = .neighbours(minimum: minimum, voxelSizeMetres: 0.009)
        var bare = parameters
        bare.outlierFilter = .off
        let all = try scene.cloud(bare).points
        let expected = ReferencePipeline(parameters: parameters).filtered(all, sensor: scene.mapFromCamera.translation)
        #expect(try scene.cloud(parameters).points == expected.points)
        #expect(expected.points.count < all.count && (expected.points.count > 1000) == (minimum < 9))
    }
}
