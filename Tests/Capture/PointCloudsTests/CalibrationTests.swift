import Perception
import Recording
import Testing

@Suite struct CalibrationTests {
    private let calibrator = RelativeDepthCalibrator()

    private func calibrate(
        _ scene: CalibrationScene,
        _ parameters: CalibrationParameters = CalibrationParameters()
    ) throws -> RelativeDepthCalibration {
        try calibrator.calibrate(depth: scene.depth(), relativeDepth: scene.relative(), parameters: parameters)
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64], [RelativeDepthMap.Kind.inverseDepth, .depth])
    func aThirdOfOutliersMovesTheScaleByLessThanAPercent(seed: UInt64, kind: RelativeDepthMap.Kind) throws {
        var scene = CalibrationScene()
        scene.seed = seed
        scene.kind = kind
        let found = try calibrate(scene)
        let scale = kind == .inverseDepth ? 1 / scene.slope : scene.slope
        #expect(abs(found.scale / scale - 1) < 0.01)
        #expect(found.rmseMetres < 0.03)
        #expect(found.medianAbsoluteErrorMetres < 0.03)
        #expect(found.sampleCount == 128 * 96)
        #expect(found.coverage == 1)
        #expect(found.method == .robust && found.kind == kind)
        #expect((0.6..<0.75).contains(found.inlierRatio))
        if kind == .inverseDepth {
            #expect(found.model == .inverseDepth)
            #expect(found.offset == 0)
            #expect(abs(found.inverseShift * scene.slope - scene.intercept) < 0.01)
        } else {
            #expect(found.model == .straightLine)
            #expect(abs(found.offset - scene.intercept) < 0.01)
        }
    }

    @Test(arguments: [0.0, 0.1, 0.3])
    func closeFlatScenes(outlierRatio: Double) throws {
        var scene = CalibrationScene()
        scene.nearest = 0.45
        scene.farthest = 0.55
        scene.outlierRatio = outlierRatio
        let found = try calibrate(scene)
        #expect(abs(found.scale * scene.slope - 1) < 0.01)
        #expect(found.rmseMetres < 0.03)
    }

    /// A window: a third of the view shows another depth in one map than in the other, and consistently so.
    @Test func outliersThatAgreeWithEachOther() throws {
        var scene = CalibrationScene()
        scene.outlierRatio = 0
        var relative = scene.relative()
        for row in 0..<96 {
            for column in 0..<42 { relative.values[row * 128 + column] = 0.05 + 0.001 * Float(row) }
        }
        let found = try calibrator.calibrate(depth: scene.depth(), relativeDepth: relative)
        #expect(abs(found.scale * scene.slope - 1) < 0.01)
    }

    @Test func exactMapsGiveTheExactLine() throws {
        var scene = CalibrationScene()
        scene.noise = 0
        scene.outlierRatio = 0
        let found = try calibrate(scene)
        #expect(abs(found.scale * scene.slope - 1) < 1e-4)
        #expect(found.rmseMetres < 1e-4)
    }

    @Test(arguments: [(518, 392), (64, 48), (129, 97)])
    func gridsOfOtherSizesCoverTheSameView(width: Int, height: Int) throws {
        let scene = CalibrationScene()
        let relative = scene.relative(width: width, height: height)
        let found = try calibrator.calibrate(depth: scene.depth(), relativeDepth: relative)
        #expect(abs(found.scale * scene.slope - 1) < 0.01)
    }

    @Test func thePublishedContractHolds() throws {
        let scene = CalibrationScene()
        let relative = scene.relative()
        let found = try calibrator.calibrate(depth: scene.depth(), relativeDepth: relative)
        let published = found.relativeDepth(relative)
        #expect(published.kind == .depth)
        try #require(published.values.count == relative.values.count)
        for (value, rho) in zip(relative.values, published.values) where rho > 0 {
            let metres = found.scale * Double(rho) + found.offset
            #expect(abs(metres / found.depthMetres(Double(value)) - 1) < 1e-4)
        }
        let errors = zip(scene.depth().metres, published.values).map { depth, rho in
            abs(Double(depth) - found.scale * Double(rho))
        }
        #expect(errors.sorted()[errors.count / 2] < 0.03)
    }

    @Test func valuesBeyondTheHorizonHaveNoRelativeDepth() throws {
        let calibration = RelativeDepthCalibration(
            model: .inverseDepth,
            method: .robust,
            kind: .inverseDepth,
            scale: 2,
            offset: 0,
            inverseShift: -0.5,
            sampleCount: 100,
            inlierCount: 100,
            rmseMetres: 0,
            medianAbsoluteErrorMetres: 0,
            coverage: 1
        )
        let map = RelativeDepthMap(
            width: 6,
            height: 1,
            kind: .inverseDepth,
            values: [0.25, 0.5, 1, .nan, .infinity, 0]
        )
        #expect(calibration.relativeDepth(map).values == [0, 0, 2, 0, 0, 0])
    }

    @Test func theSameFrameGivesTheSameCalibration() throws {
        let scene = CalibrationScene()
        let first = try calibrate(scene)
        var other = scene
        other.width = 64
        _ = try? calibrate(other)
        #expect(try calibrate(scene) == first)
        #expect(
            try RelativeDepthCalibrator().calibrate(depth: scene.depth(), relativeDepth: scene.relative()) == first
        )
    }

    @Test func unsurePixelsWeighLess() throws {
        var scene = CalibrationScene()
        scene.outlierRatio = 0
        scene.noise = 0.01
        var depth = scene.depth()
        // Alternate columns show a second scene that is hard to tell from the first; confidence says which is true.
        var confidence = [UInt8](repeating: 2, count: depth.metres.count)
        for index in depth.metres.indices where index % 2 == 0 {
            depth.metres[index] *= 1.02
            confidence[index] = 0
        }
        let plain = try calibrator.calibrate(depth: depth, relativeDepth: scene.relative())
        depth.confidence = confidence
        let weighted = try calibrator.calibrate(depth: depth, relativeDepth: scene.relative())
        #expect(abs(weighted.scale * scene.slope - 1) < 0.5 * abs(plain.scale * scene.slope - 1))
    }

    @Test func theAppsFitIsWeightedLeastSquaresOfMetricOnRelative() throws {
        let scene = CalibrationScene()
        let depth = scene.depth()
        let relative = scene.relative()
        let found = try calibrate(scene, .app)
        var sums = (w: 0.0, x: 0.0, y: 0.0, xx: 0.0, xy: 0.0)
        for row in stride(from: 0, to: 96, by: 4) {
            for column in stride(from: 0, to: 128, by: 4) {
                let y = Double(depth.metres[row * 128 + column])
                let x = Double(relative.values[row * 128 + column])
                let deviation = max(0.015, 0.012 + 0.004 * y * y)
                let w = 1 / (deviation * deviation)
                sums = (sums.w + w, sums.x + w * x, sums.y + w * y, sums.xx + w * x * x, sums.xy + w * x * y)
            }
        }
        let scale = (sums.w * sums.xy - sums.x * sums.y) / (sums.w * sums.xx - sums.x * sums.x)
        let offset = (sums.y - scale * sums.x) / sums.w
        #expect(found.model == .straightLine && found.method == .leastSquares && found.kind == .inverseDepth)
        #expect(found.sampleCount == 32 * 24)
        #expect(abs(found.scale - scale) < 1e-4 * abs(scale))
        #expect(abs(found.offset - offset) < 1e-4 * abs(offset))
        #expect(found.scale < 0, "larger is nearer, which a straight line turns into a negative scale")
    }
}
