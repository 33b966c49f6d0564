import Perception
import Recording
import Testing

@Suite struct GridRefusalTests {
    private let line = RelativeDepthCalibration(
        model: .inverseDepth,
        method: .robust,
        kind: .inverseDepth,
        scale: 1.7,
        offset: 0,
        inverseShift: -0.15,
        sampleCount: 1000,
        coverage: 1
    )

    private func depth(_ width: Int, _ height: Int, _ value: (Int) -> Float) -> DepthMap {
        DepthMap(width: width, height: height, metres: (0..<max(0, width * height)).map(value))
    }

    private func relative(_ width: Int, _ height: Int, _ value: (Int) -> Float) -> RelativeDepthMap {
        RelativeDepthMap(
            width: width,
            height: height,
            kind: .inverseDepth,
            values: (0..<max(0, width * height)).map(value)
        )
    }

    private func error(_ depth: DepthMap, _ map: RelativeDepthMap) -> CalibrationError? {
        #expect(throws: CalibrationError.self) { try GridCalibration(line, depth: depth, relativeDepth: map) }
    }

    private func ramp(_ index: Int) -> Float { 1 + Float(index % 64) * 0.05 }

    private func network(_ index: Int) -> Float { 1.7 / ramp(index) + 0.15 }

    @Test func countsThatDoNotMatch() {
        let good = (depth: depth(64, 48, ramp), map: relative(64, 48, network))
        var wrong = good
        wrong.depth.metres.removeLast()
        wrong.map.values.append(1)
        #expect(error(wrong.depth, good.map) == .gridCount(grid: "depth map", expected: 3072, found: 3071))
        #expect(error(good.depth, wrong.map) == .gridCount(grid: "relative depth map", expected: 3072, found: 3073))
        wrong = good
        wrong.depth.confidence = [2]
        #expect(error(wrong.depth, good.map) == .gridCount(grid: "confidence map", expected: 3072, found: 1))
        for (width, height) in [(0, 0), (0, 48), (-4, -12), (Int.max, 2), (Int.min, Int.min)] {
            wrong = good
            wrong.depth.width = width
            wrong.depth.height = height
            wrong.map.width = width
            wrong.map.height = height
            _ = error(wrong.depth, good.map)
            _ = error(good.depth, wrong.map)
        }
    }

    @Test func nothingToFit() {
        let bad: [Float] = [0, -1, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
        for value in bad {
            #expect(
                error(depth(64, 48) { _ in value }, relative(64, 48, network)) == .tooFewSamples(expected: 50, found: 0)
            )
        }
        for value in bad.prefix(5) {
            let found = error(depth(64, 48, ramp), relative(64, 48) { _ in value })
            #expect(found == .tooFewSamples(expected: 50, found: 0))
        }
        #expect(error(depth(64, 48, ramp), relative(64, 48) { _ in 1 }) == .degenerateSpread(ratio: 0))
    }

    @Test func linesOfNoUse() {
        let good = (depth: depth(64, 48, ramp), map: relative(64, 48, network))
        let numbers: [Double] = [0, -0.0, .nan, .infinity, -.infinity, 1e300, -1e300, 1e-300, 1e38, -1e38, 1e-38, -1]
        for model in RelativeDepthCalibration.Model.allCases {
            for scale in numbers {
                for addend in numbers {
                    var line = line
                    line.model = model
                    line.scale = scale
                    line.offset = addend
                    line.inverseShift = addend
                    // An error or a calibration, but never a crash or a number that is not one.
                    guard let grid = try? GridCalibration(line, depth: good.depth, relativeDepth: good.map) else {
                        continue
                    }
                    #expect(grid.metres(good.map).metres.allSatisfy { $0 >= 0 && $0 < .infinity })
                }
            }
        }
    }

    @Test func parametersOfNoUse() {
        let good = (depth: depth(64, 48, ramp), map: relative(64, 48, network))
        let numbers: [Double] = [0, -1, .nan, .infinity, 1e300]
        for stride in [Int.min, -1, 0, 7, Int.max] {
            for (nearest, farthest) in numbers.flatMap({ low in numbers.map { (low, $0) } }) {
                var parameters = CalibrationParameters()
                parameters.stride = stride
                parameters.minimumInliers = stride
                parameters.minimumDepthMetres = nearest
                parameters.maximumDepthMetres = farthest
                _ = try? GridCalibration(line, depth: good.depth, relativeDepth: good.map, parameters: parameters)
            }
        }
    }

    @Test func badNumbersAmongGoodOnes() throws {
        let bad: [Float] = [0, -1, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
        let depth = depth(64, 48) { $0 % 5 == 0 ? bad[$0 / 5 % 7] : ramp($0) }
        let map = relative(64, 48) { $0 % 7 == 0 ? bad[$0 / 7 % 7] : network($0) }
        let grid = try GridCalibration(line, depth: depth, relativeDepth: map)
        let metres = grid.metres(map).metres
        for index in metres.indices {
            #expect(metres[index] >= 0 && metres[index] < .infinity)
            guard index % 7 != 0 else { continue }
            #expect(abs(metres[index] - ramp(index)) < 0.01 * ramp(index))
        }
        #expect(grid.metres(relative(0, 0) { _ in 0 }).metres.isEmpty)
        var wrong = map
        wrong.values.removeLast()
        #expect(grid.metres(wrong).metres.isEmpty)
        #expect(grid.metres(relative(1, 1) { _ in 1 }).metres.count == 1)
        #expect(grid.metres(relative(500, 1) { _ in 1 }).metres.count == 500)
    }

    /// The phone app's line falls in the network's inverse depth: far is where its prediction is large all the same.
    @Test func theLineOfTheApp() throws {
        let frame = GridScene().frame()
        let line = try RelativeDepthCalibrator().calibrate(
            depth: frame.lidar,
            relativeDepth: frame.relative,
            parameters: .app
        )
        let grid = try GridCalibration(line, depth: frame.lidar, relativeDepth: frame.relative)
        let found = SceneErrors(grid.metres(frame.relative).metres, frame)
        let global = SceneErrors(frame.relative.values.map { Float(line.depthMetres(Double($0))) }, frame)
        #expect(found.inside.rmse < 0.2 * global.inside.rmse)
    }
}
