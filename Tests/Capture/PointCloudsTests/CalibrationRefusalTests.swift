import Perception
import Recording
import Testing

@Suite struct CalibrationRefusalTests {
    private func error(_ depth: DepthMap, _ relative: RelativeDepthMap) -> CalibrationError? {
        #expect(throws: CalibrationError.self) {
            try RelativeDepthCalibrator().calibrate(depth: depth, relativeDepth: relative)
        }
    }

    @Test(arguments: [RelativeDepthMap.Kind.inverseDepth, .depth])
    func aSlopeOfTheWrongSign(kind: RelativeDepthMap.Kind) {
        var scene = CalibrationScene()
        scene.kind = kind
        scene.slope = -1.2
        scene.intercept = 4
        guard case .slopeNotPositive = error(scene.depth(), scene.relative()) else {
            Issue.record("expected slopeNotPositive")
            return
        }
    }

    @Test func aWallSeenHeadOn() {
        var scene = CalibrationScene()
        scene.farthest = scene.nearest
        let found = error(scene.depth(), scene.relative())
        #expect(found == .degenerateSpread(ratio: 0))
        scene.farthest = scene.nearest * 1.001
        guard case .degenerateSpread = error(scene.depth(), scene.relative()) else {
            Issue.record("expected degenerateSpread of a nearly flat wall")
            return
        }
    }

    @Test func aUniformRelativeMap() {
        let scene = CalibrationScene()
        var relative = scene.relative()
        relative.values = relative.values.map { _ in 0.5 }
        #expect(error(scene.depth(), relative) == .slopeNotPositive(slope: 0))
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func mapsThatHaveNothingToDoWithEachOther(seed: UInt64) {
        var scene = CalibrationScene()
        scene.outlierRatio = 1
        scene.seed = seed
        #expect(error(scene.depth(), scene.relative()) != nil)
    }

    @Test func tooFewPixelsWithBothDepths() {
        let scene = CalibrationScene()
        var depth = scene.depth()
        for index in depth.metres.indices where index % 300 != 0 { depth.metres[index] = .nan }
        #expect(error(depth, scene.relative()) == .tooFewSamples(expected: 51, found: 41))
        depth.metres = depth.metres.map { _ in 0 }
        #expect(error(depth, scene.relative()) == .tooFewSamples(expected: 51, found: 0))
    }

    @Test func valuesThatOverflowSinglePrecision() {
        let scene = CalibrationScene()
        var relative = scene.relative()
        for index in relative.values.indices {
            relative.values[index] = index % 2 == 0 ? .greatestFiniteMagnitude : .leastNonzeroMagnitude
        }
        #expect(error(scene.depth(), relative) == .slopeNotPositive(slope: 0))
    }

    @Test func arraysOfAnotherLengthThanTheirGrid() {
        let scene = CalibrationScene()
        var relative = scene.relative()
        relative.values.removeLast()
        #expect(
            error(scene.depth(), relative)
                == .gridCount(grid: "relative depth map", expected: 128 * 96, found: 128 * 96 - 1)
        )
        var depth = scene.depth()
        depth.confidence = [0]
        #expect(
            error(depth, scene.relative()) == .gridCount(grid: "confidence map", expected: 128 * 96, found: 1)
        )
    }
}
