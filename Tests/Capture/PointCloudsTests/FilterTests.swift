import Perception
import Recording
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
            variant("20 cm") { $0.voxelSizeMetres = 0.2 },
            variant("2 cm, neighbours as fine") {
                $0.voxelSizeMetres = 0.02
                $0.outlierFilter = .neighbours(voxelSizeMetres: 0.02)
            },
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
            variant("usual radius at 2 cm") {
                $0.voxelSizeMetres = 0.02
                $0.outlierFilter = .radius()
            },
            variant("every confidence, no edge filter") {
                $0.minimumConfidence = 0
                $0.edgeFilter = false
            },
            variant("every third pixel") { $0.stride = 3 },
            variant("radius at 2 cm") {
                $0.voxelSizeMetres = 0.02
                $0.outlierFilter = .radius(metres: 0.05, minimum: 4)
            },
            variant("a radius of more than a metre") {
                $0.voxelSizeMetres = nil
                $0.outlierFilter = .radius(metres: 1.6, minimum: 600)
            },
            variant("range") { $0.maximumRangeMetres = 2.5 },
            variant("range from the origin") {
                $0.maximumRangeMetres = 4
                $0.rangeCentre = .worldOrigin
            },
            variant("app") { $0 = .app },
            variant("far") { $0.maximumDepthMetres = .infinity },
        ]
    }()

    /// Two pixels beside each other keep each other, wherever in the grid they are; with one between them they do not.
    @Test(arguments: [5, 8, 16, 29]) func pairsOfPixelsStay(width: Int) throws {
        var parameters = CloudParameters()
        parameters.voxelSizeMetres = nil
        parameters.outlierFilter = .off
        let builder = CloudBuilder()
        var scene = Scene(width: width, height: 4, seed: 1, hasConfidence: false)
        func count(_ pixels: [(column: Int, row: Int)]) throws -> Int {
            scene.depth.metres = [Float](repeating: 0, count: width * 4)
            for pixel in pixels { scene.depth.metres[pixel.row * width + pixel.column] = 1 }
            return try scene.cloud(parameters, builder: builder).points.count
        }
        for row in 0..<4 {
            for column in 0..<width {
                #expect(try count([(column, row)]) == 0)
                if column + 1 < width { #expect(try count([(column, row), (column + 1, row)]) == 2) }
                if column + 2 < width { #expect(try count([(column, row), (column + 2, row)]) == 0) }
                if row + 1 < 4 { #expect(try count([(column, row), (column, row + 1)]) == 2) }
                if row + 2 < 4 { #expect(try count([(column, row), (column, row + 2)]) == 0) }
            }
        }
    }

    @Test(arguments: variants)
    func agreesWithTheReference(name: String, parameters: CloudParameters) throws {
        let builder = CloudBuilder()
        for seed in 1...6 as ClosedRange<UInt64> {
            let scene = Scene(width: seed == 6 ? 101 : 64, seed: seed)
            var bare = parameters
            bare.voxelSizeMetres = nil
            bare.outlierFilter = .off
            bare.maximumRangeMetres = nil
            let all = try scene.cloud(bare, builder: builder).points
            var reference = parameters
            if reference.voxelSizeMetres == 0 { reference.voxelSizeMetres = nil }
            let naive = ReferencePipeline(parameters: reference)
            let (expected, dropped) = naive.filtered(all, sensor: scene.mapFromCamera.translation)
            let cloud = try scene.cloud(parameters, builder: builder)
            let found = cloud.points
            #expect(all.count > (parameters.stride > 1 ? 15 : 150))
            let (pixels, droppedPixels) = naive.pixelCounts(scene.depth)
            let allDropped = dropped.merging(droppedPixels, uniquingKeysWith: +)
            for filter in CloudCounts.Filter.allCases {
                #expect(cloud.counts.dropped(by: filter) == allDropped[filter] ?? 0, "\(name), seed \(seed): \(filter)")
            }
            #expect(cloud.counts.pixels == pixels && cloud.counts.points == found.count && cloud.counts.clouds == 1)
            #expect(pixels == found.count + allDropped.values.reduce(0, +))
            let isEqual = found == expected
            #expect(isEqual, "\(name), seed \(seed): \(found.count) points, expected \(expected.count)")
            let again = try scene.cloud(parameters).points == found
            #expect(again, "\(name): depends on what the builder did before")
        }
    }

    /// That the counts above mean something: each filter drops pixels in some of the variants.
    @Test func everyFilterDropsSomething() throws {
        var counts = CloudCounts()
        for (_, parameters) in Self.variants { counts.append(try Scene(seed: 2).cloud(parameters).counts) }
        for filter in CloudCounts.Filter.allCases { #expect(counts.dropped(by: filter) > 0, "\(filter)") }
        #expect(counts.clouds == Self.variants.count)
        let dropped = CloudCounts.Filter.allCases.map { counts.dropped(by: $0) }.reduce(0, +)
        #expect(counts.pixels == counts.points + dropped && counts.points > 0)
    }

    /// A wall seen at a flat angle: its depth pixels lie farther apart than the 27 voxels of 2 cm around a point reach.
    ///
    /// With a neighbourhood as fine as the voxels much of it was taken for outliers.
    @Test func farWallsSurviveAFineGrid() throws {
        let camera = CameraIntrinsics(width: 1920, height: 1440, fx: 1447.7, fy: 1452, cx: 963.9, cy: 716.6)
        var metres: [Float] = []
        for _ in 0..<192 {
            for column in 0..<256 {
                let x = (Double(column) + 0.5) * 7.5 - 0.5
                // The plane z = 3 + 1.5 x, where x is slope times z.
                metres.append(Float(3 / (1 - 1.5 * (x - camera.cx) / camera.fx)))
            }
        }
        var parameters = CloudParameters()
        parameters.voxelSizeMetres = 0.02
        func cloud(_ filter: CloudParameters.OutlierFilter) throws -> PointCloud {
            parameters.outlierFilter = filter
            return try CloudBuilder().build(
                depth: DepthMap(width: 256, height: 192, metres: metres),
                intrinsics: camera,
                mapFromCamera: .identity,
                image: nil,
                parameters: parameters
            )
        }
        let all = try cloud(.off).count
        #expect(all > 15_000)
        #expect(try cloud(.neighbours()).count == all)
        #expect(try cloud(.radius()).count == all)
        // What the default was before.
        #expect(try cloud(.neighbours(voxelSizeMetres: 0.02)).count < all * 3 / 4)
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
            .filtered(all, sensor: scene.mapFromCamera.translation).points
        #expect(try scene.cloud(CloudParameters()).points == expected)
    }
}
