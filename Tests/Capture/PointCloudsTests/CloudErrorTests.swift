import Perception
import Recording
import Testing

@Suite struct CloudErrorTests {
    static let invalid: [(String, @Sendable (inout CloudParameters) -> Void)] = [
        ("minimumDepthMetres", { $0.minimumDepthMetres = -1 }),
        ("maximumDepthMetres", { $0.maximumDepthMetres = 0.05 }),
        ("minimumConfidence", { $0.minimumConfidence = 3 }),
        ("edgeLimitMetres", { $0.edgeLimitMetres = .nan }),
        ("edgeLimitRatio", { $0.edgeLimitRatio = -0.1 }),
        ("stride", { $0.stride = 0 }),
        ("voxelSizeMetres", { $0.voxelSizeMetres = -0.1 }),
        ("maximumRangeMetres", { $0.maximumRangeMetres = 0 }),
        ("outlier neighbours", { $0.outlierFilter = .neighbours(minimum: 27) }),
        ("outlier voxelSizeMetres", { $0.outlierFilter = .neighbours(minimum: 3, voxelSizeMetres: 0) }),
        ("outlier radius", { $0.outlierFilter = .radius(metres: .nan) }),
        ("outlier minimum", { $0.outlierFilter = .radius(metres: 0.1, minimum: -1) }),
    ]

    @Test(arguments: invalid)
    func parametersWithoutSenseAreNamed(name: String, change: @Sendable (inout CloudParameters) -> Void) throws {
        var parameters = CloudParameters()
        change(&parameters)
        let error = #expect(throws: CloudError.self) { try Scene(seed: 1).cloud(parameters) }
        #expect(error?.description.contains(name) == true)
    }

    @Test func arraysOfAnotherLengthThanTheirGridAreRefused() {
        var scene = Scene(seed: 1)
        scene.depth.metres.removeLast()
        #expect(throws: CloudError.gridCount(grid: "depth map", expected: 3072, found: 3071)) {
            try scene.cloud(CloudParameters())
        }
        scene = Scene(seed: 1)
        scene.depth.confidence?.append(0)
        #expect(throws: CloudError.gridCount(grid: "confidence map", expected: 3072, found: 3073)) {
            try scene.cloud(CloudParameters())
        }
        scene = Scene(seed: 1)
        scene.image.pixels.removeLast()
        #expect(throws: CloudError.gridCount(grid: "image", expected: 14400, found: 14399)) {
            try scene.cloud(CloudParameters())
        }
        scene = Scene(seed: 1)
        scene.depth.width = -64
        scene.depth.height = -48
        #expect(throws: CloudError.gridSize(grid: "depth map", width: -64, height: -48)) {
            try scene.cloud(CloudParameters())
        }
    }

    @Test func anImageOfAnotherShapeIsRefused() {
        var scene = Scene(seed: 1)
        swap(&scene.image.width, &scene.image.height)
        #expect(throws: CloudError.imageShape(expectedWidth: 640, expectedHeight: 480, width: 60, height: 80)) {
            try scene.cloud(CloudParameters())
        }
    }

    /// The first and the last pixel of the grid, whose last column is the last of eight.
    @Test(arguments: [0, 3071]) func aPixelTooFarForTheGridIsTold(index: Int) throws {
        var scene = Scene(seed: 1)
        scene.depth = DepthMap(width: 64, height: 48, metres: [Float](repeating: 1, count: 3072))
        var parameters = CloudParameters()
        parameters.maximumDepthMetres = 1e6
        parameters.voxelSizeMetres = 0.05
        parameters.edgeFilter = false
        _ = try scene.cloud(parameters)
        scene.depth.metres[index] = 100_000
        let error = #expect(throws: CloudError.self) { try scene.cloud(parameters) }
        guard case .voxelOverflow = error else {
            Issue.record("expected voxelOverflow")
            return
        }
    }

    @Test func camerasThatAreNotFiniteAreRefused() {
        for field in [\CameraIntrinsics.fx, \.fy, \.cx, \.cy] {
            var scene = Scene(seed: 1)
            scene.camera[keyPath: field] = .nan
            #expect(throws: CloudError.self) { try scene.cloud(CloudParameters()) }
        }
    }

    @Test func posesThatAreNotFiniteAreRefused() {
        var scene = Scene(seed: 1)
        scene.mapFromCamera.translation.y = .infinity
        #expect(throws: CloudError.poseNotFinite) { try scene.cloud(CloudParameters()) }
    }
}
