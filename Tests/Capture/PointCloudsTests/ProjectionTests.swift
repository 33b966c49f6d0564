import Perception
import Recording
import Testing

@Suite struct ProjectionTests {
    @Test(arguments: [(64, 48), (37, 29), (8, 1), (1, 1), (256, 192)], [true, false])
    func pointsLieWhereTheFormulaeSay(size: (width: Int, height: Int), edgeFilter: Bool) throws {
        let scene = Scene(width: size.width, height: size.height, seed: 5)
        for (stride, point) in [(1, CloudParameters.PixelPoint.centre), (4, .corner), (3, .centre)] {
            var parameters = unfiltered
            parameters.edgeFilter = edgeFilter
            parameters.stride = stride
            parameters.pixelPoint = point
            let reference = ReferencePipeline(parameters: parameters)
            let pixels = reference.validPixels(scene.depth)
            let cloud = try scene.cloud(parameters)
            try #require(cloud.count == pixels.count)
            for (index, pixel) in pixels.enumerated() {
                let expected = reference.position(scene, column: pixel.column, row: pixel.row)
                let found = cloud.position(index)
                let error = (expected - Vector3(Double(found.x), Double(found.y), Double(found.z))).length
                #expect(error < 3e-6, "pixel \(pixel)")
            }
        }
    }

    @Test func pixelsWithoutConfidenceMapAreAllTaken() throws {
        let scene = Scene(seed: 6, hasConfidence: false)
        let cloud = try scene.cloud(unfiltered)
        #expect(cloud.count == ReferencePipeline(parameters: unfiltered).validPixels(scene.depth).count)
    }

    @Test(arguments: [UInt8(0), 1, 2])
    func confidenceIsALowerBound(minimum: UInt8) throws {
        let scene = Scene(seed: 7)
        var parameters = unfiltered
        parameters.minimumConfidence = minimum
        let cloud = try scene.cloud(parameters)
        #expect(cloud.count == ReferencePipeline(parameters: parameters).validPixels(scene.depth).count)
    }

    /// Bytes that no phone writes are as good as 2, and rows of any length are counted.
    @Test(arguments: [(7, 5), (1031, 3), (4100, 2)])
    func countsOfWideGridsWithOddConfidences(width: Int, height: Int) throws {
        var scene = Scene(width: width, height: height, seed: 8)
        scene.depth.confidence = (0..<width * height).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        for edgeFilter in [true, false] {
            for minimum in 0...2 as ClosedRange<UInt8> {
                var parameters = CloudParameters()
                parameters.edgeFilter = edgeFilter
                parameters.minimumConfidence = minimum
                let counts = try scene.cloud(parameters).counts
                let (pixels, dropped) = ReferencePipeline(parameters: parameters).pixelCounts(scene.depth)
                #expect(counts.pixels == pixels)
                for filter in [CloudCounts.Filter.depth, .confidence, .edge] {
                    #expect(counts.dropped(by: filter) == dropped[filter] ?? 0, "\(filter)")
                }
            }
        }
    }

    @Test func bothDepthLimitsAreExclusive() throws {
        var scene = Scene(width: 8, height: 1, seed: 1, hasConfidence: false)
        scene.depth.metres = [0.1, Float(0.1).nextUp, 1, 5, Float(5).nextDown, .nan, .infinity, -2]
        #expect(try scene.cloud(unfiltered).count == 3)
    }

    @Test func anEmptyGridGivesAnEmptyCloud() throws {
        var scene = Scene(seed: 1)
        scene.depth.metres = Array(repeating: 0, count: 64 * 48)
        let cloud = try scene.cloud(CloudParameters())
        #expect(cloud.count == 0)
        #expect(cloud.packed.isEmpty)
    }

    @Test func flyingPixelsAreDroppedAndEdgesOfSurfacesAreKept() throws {
        var scene = Scene(width: 8, height: 3, seed: 1, hasConfidence: false)
        // A near and a far wall, with one blended pixel between them in the middle row only.
        let edge: [Float] = [1, 1, 1, 1, 3, 3, 3, 3]
        scene.depth.metres = edge + [1, 1, 1, 1, 2, 3, 3, 3] + edge
        var parameters = unfiltered
        parameters.edgeFilter = true
        #expect(try scene.cloud(parameters).count == 23)
        parameters.edgeFilter = false
        #expect(try scene.cloud(parameters).count == 24)
    }

    /// The last pixel of a row lies before the first one of the next row in memory, and not beside it in the grid.
    @Test(arguments: [8, 32, 248])
    func rowsDoNotSupportEachOther(width: Int) throws {
        var scene = Scene(width: width, height: 6, seed: 1, hasConfidence: false)
        // Every pixel differs from its neighbours; the last of a row is the first of the next one.
        scene.depth.metres = (0..<6 * width).map { [1, 2, 4][($0 % width + $0 / width) % 3] }
        #expect(scene.depth.metres[width - 1] == scene.depth.metres[width])
        var parameters = unfiltered
        parameters.edgeFilter = true
        #expect(try scene.cloud(parameters).count == 0)
    }

    /// Two pixels of one depth support each other wherever in a row they are, and nobody else.
    @Test(arguments: [8, 16, 24, 37])
    func pairsSupportEachOther(width: Int) throws {
        var parameters = unfiltered
        parameters.edgeFilter = true
        var scene = Scene(width: width, height: 1, seed: 1, hasConfidence: false)
        for column in 0..<width - 1 {
            scene.depth.metres = (0..<width).map { [1, 2, 4][$0 % 3] }
            scene.depth.metres[column + 1] = scene.depth.metres[column]
            #expect(try scene.cloud(parameters).count == 2, "\(column)")
        }
    }

    /// A limit belongs to what it allows, to the last bit: of metres, of a part of the depth, and of half of it.
    @Test(arguments: [
        (metres: 0.25, ratio: 0.03125, near: Float(2), far: Float(2.25), beyond: 0),
        (metres: 0.25, ratio: 0.0625, near: 8, far: 8.5, beyond: 1),
        (metres: 1, ratio: 0.03125, near: 1, far: 1.5, beyond: 1),
    ])
    func edgeLimitsAreInclusive(metres: Double, ratio: Double, near: Float, far: Float, beyond: Int) throws {
        var parameters = unfiltered
        parameters.edgeFilter = true
        parameters.maximumDepthMetres = 10
        parameters.edgeLimitMetres = metres
        parameters.edgeLimitRatio = ratio
        var scene = Scene(width: 8, height: 1, seed: 1, hasConfidence: false)
        scene.depth.metres = [near, far, 0, 0, 0, 0, 0, 0]
        #expect(try scene.cloud(parameters).count == 2)
        scene.depth.metres[1] = far.nextUp
        #expect(try scene.cloud(parameters).count == beyond)
        // Half of 0.5 m, and one more in the last place of the difference.
        scene.depth.metres = [0.5, 0.25, 0, 0, 0, 0, 0, 0]
        #expect(try scene.cloud(parameters).count == 1)
        scene.depth.metres[1] = Float(0.25).nextDown.nextDown
        #expect(try scene.cloud(parameters).count == 0)
    }
}

/// Everything of the pipeline but the projector and its limits switched off.
let unfiltered: CloudParameters = {
    var parameters = CloudParameters()
    parameters.edgeFilter = false
    parameters.voxelSizeMetres = nil
    parameters.outlierFilter = .off
    parameters.maximumRangeMetres = nil
    return parameters
}()
