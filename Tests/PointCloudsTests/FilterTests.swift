import Capture
import PointClouds
import Testing

/// The filters against the reference, point for point and bit for bit.
@Suite struct FilterTests {
    /// One set of parameters per way through the builder.
    static let variants: [(String, CloudParameters)] = {
        func variant(_ name: String, _ change: (inout CloudParameters) -> Void) -> (String, CloudParameters) {
            var parameters = CloudParameters()
            change(&parameters)
            return (name, parameters)
        }
        return [
            variant("defaults") { _ in },
            variant("2 cm") { $0.voxelSizeMetres = 0.02 },
            variant("2 cm, one neighbour") {
                $0.voxelSizeMetres = 0.02
                $0.outlierFilter = .neighbours(minimum: 1)
            },
            variant("nine neighbours") { $0.outlierFilter = .neighbours(minimum: 9) },
            variant("too fine for bricks") { $0.voxelSizeMetres = 0.005 },
            variant("centroid") { $0.voxelPoint = .centroid },
            variant("no outlier filter") { $0.outlierFilter = .off },
            variant("coarser neighbourhood") {
                $0.outlierFilter = .neighbours(minimum: 5, voxelSizeMetres: 0.2)
            },
            variant("no voxel grid") { $0.voxelSizeMetres = nil },
            variant("voxel grid 0") { $0.voxelSizeMetres = 0 },
            variant("radius") { $0.outlierFilter = .radius(metres: 0.15, minimum: 3) },
            variant("radius at 2 cm") {
                $0.voxelSizeMetres = 0.02
                $0.outlierFilter = .radius(metres: 0.05, minimum: 4)
            },
            variant("box") { $0.boundingBoxMetres = 2.5 },
            variant("box about the origin") {
                $0.boundingBoxMetres = 4
                $0.boundingBoxCentre = .worldOrigin
            },
            variant("app") { $0 = .app },
            variant("far") { $0.maximumDepthMetres = .infinity },
        ]
    }()

    @Test(arguments: variants)
    func agreesWithTheReference(name: String, parameters: CloudParameters) throws {
        let builder = CloudBuilder()
        for seed in 1...6 as ClosedRange<UInt64> {
            let scene = Scene(width: seed == 6 ? 101 : 64, seed: seed)
            var bare = parameters
            bare.voxelSizeMetres = nil
            bare.outlierFilter = .off
            bare.boundingBoxMetres = nil
            let all = try scene.cloud(bare, builder: builder).points
            var reference = parameters
            if reference.voxelSizeMetres == 0 { reference.voxelSizeMetres = nil }
            let expected = ReferencePipeline(parameters: reference)
                .filtered(all, sensor: scene.mapFromCamera.translation)
            let found = try scene.cloud(parameters, builder: builder).points
            #expect(all.count > 150)
            let isEqual = found == expected
            #expect(isEqual, "\(name), seed \(seed): \(found.count) points, expected \(expected.count)")
            let again = try scene.cloud(parameters).points == found
            #expect(again, "\(name): depends on what the builder did before")
        }
    }

    @Test func voxelsAreAnchoredAtTheOriginOfTheMap() throws {
        let scene = Scene(seed: 3)
        var parameters = CloudParameters()
        parameters.outlierFilter = .off
        let voxels = try scene.cloud(parameters).points.map { point in
            [point.x, point.y, point.z].map { Int(($0 / 0.1).rounded(.down)) }
        }
        #expect(Set(voxels).count >= voxels.count - 2)
        #expect(voxels.contains { $0.contains { $0 < 0 } })
    }

    @Test func aVoxelSizeThatOverflowsIsRefused() {
        let scene = Scene(seed: 3)
        for size in [1e-6, 1e-30, 1e-300] {
            var parameters = CloudParameters()
            parameters.voxelSizeMetres = size
            #expect(throws: CloudError.self) { try scene.cloud(parameters) }
            parameters = CloudParameters()
            parameters.outlierFilter = .neighbours(minimum: 3, voxelSizeMetres: size)
            #expect(throws: CloudError.self) { try scene.cloud(parameters) }
            parameters.outlierFilter = .radius(metres: size)
            #expect(throws: CloudError.self) { try scene.cloud(parameters) }
        }
    }

    @Test func cloudsFarFromTheOriginUseTheSameRules() throws {
        var scene = Scene(seed: 4)
        scene.mapFromCamera.translation = Vector3(9_000, -12_000, 400)
        var bare = unfiltered
        bare.edgeFilter = true
        let all = try scene.cloud(bare).points
        let expected = ReferencePipeline(parameters: CloudParameters())
            .filtered(all, sensor: scene.mapFromCamera.translation)
        #expect(try scene.cloud(CloudParameters()).points == expected)
    }
}
