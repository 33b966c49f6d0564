import Perception
import Recording
import Testing

/// The global line's and the grid's metres of a scene, and what is wrong with them.
private struct Outcome {
    var frame: GridScene.Frame
    var line: RelativeDepthCalibration
    var grid: GridCalibration
    var metres: [Float]
    var global: SceneErrors
    var found: SceneErrors

    init(_ scene: GridScene, _ change: (inout GridScene.Frame) -> Void = { _ in }) throws {
        var frame = scene.frame()
        change(&frame)
        self.frame = frame
        line = try RelativeDepthCalibrator().calibrate(depth: frame.lidar, relativeDepth: frame.relative)
        grid = try GridCalibration(line, depth: frame.lidar, relativeDepth: frame.relative)
        metres = grid.metres(frame.relative).metres
        found = SceneErrors(metres, frame)
        let global = frame.relative.values.map { [line] value -> Float in
            let z = Float(line.depthMetres(Double(value)))
            return z > 0 && z < .infinity ? z : 0
        }
        self.global = SceneErrors(global, frame)
    }

    /// Inside of the LiDAR's range: 5 mm + 0.3 % of the depth, at every depth; pixels that the blur mixed are left out.
    func expectAccuracy(of scene: GridScene) {
        let name = Comment(rawValue: "\(scene.kind) \(scene.bend) \(scene.seed)")
        #expect(found.inside.rmse <= found.inside.limit, name)
        for metre in 0..<5 where found.bins[metre].count > 0 {
            #expect(found.bins[metre].rmse <= found.bins[metre].limit, name)
        }
        // Outside it is no worse than the line, but for 0.1 % of the depth where the line has no error.
        #expect(found.outside.rmse <= global.outside.rmse + 0.006, name)
        #expect(found.insideWithEdges.rmse <= global.insideWithEdges.rmse + 0.002, name)
        #expect(found.inside.count >= global.inside.count, name)
    }
}

@Suite struct GridCalibrationTests {
    @Test(arguments: Bend.allCases, [RelativeDepthMap.Kind.inverseDepth, .depth])
    func bendsAreTakenOut(bend: Bend, kind: RelativeDepthMap.Kind) throws {
        for seed in 1...3 as ClosedRange<UInt64> {
            var scene = GridScene()
            scene.seed = seed
            scene.bend = bend
            scene.kind = kind
            scene.blurRadius = Int(seed)
            let outcome = try Outcome(scene)
            outcome.expectAccuracy(of: scene)
            // Saturation d / (1 + 0.3 d) is a straight line in depth.
            let isStraight = bend == .none || bend == .saturation && kind == .depth
            let isSlight = bend == .logarithm && kind == .depth
            if !isStraight { #expect(outcome.global.inside.rmse > (isSlight ? 0.02 : 0.03)) }
            #expect(outcome.grid.rmseMetres < 0.02)
        }
    }

    @Test(arguments: [4, 5, 6] as [UInt64])
    func aScaleThatDriftsIsTakenOut(seed: UInt64) throws {
        var scene = GridScene()
        scene.seed = seed
        scene.drift = 0.05
        let outcome = try Outcome(scene)
        outcome.expectAccuracy(of: scene)
        scene.bend = .none
        try Outcome(scene).expectAccuracy(of: scene)
    }

    @Test(arguments: [7, 8, 9] as [UInt64], [RelativeDepthMap.Kind.inverseDepth, .depth])
    func aTenthOfOutliers(seed: UInt64, kind: RelativeDepthMap.Kind) throws {
        var scene = GridScene()
        scene.seed = seed
        scene.kind = kind
        scene.outlierRatio = 0.1
        try Outcome(scene).expectAccuracy(of: scene)
    }

    @Test(arguments: 0..<4)
    func aQuarterWithoutLiDAR(quarter: Int) throws {
        var scene = GridScene()
        scene.seed = 11
        func remove(_ frame: inout GridScene.Frame) {
            for row in 0..<96 {
                for column in 0..<128 {
                    frame.lidar.metres[(row + quarter / 2 * 96) * 256 + column + quarter % 2 * 128] = 0
                }
            }
        }
        try Outcome(scene, remove).expectAccuracy(of: scene)
        // The drift of a quarter that nothing measures stays unknown, but is not made worse.
        scene.drift = 0.05
        let drifting = try Outcome(scene, remove)
        #expect(drifting.found.inside.rmse < 0.8 * drifting.global.inside.rmse)
        #expect(drifting.found.outside.rmse <= drifting.global.outside.rmse)
    }

    /// The LiDAR sees a pane at 1.5 m, and the network what is 8 m behind it.
    @Test(arguments: [RelativeDepthMap.Kind.inverseDepth, .depth])
    func aWindow(kind: RelativeDepthMap.Kind) throws {
        var scene = GridScene()
        scene.seed = 12
        scene.kind = kind
        let outcome = try Outcome(scene) { frame in
            for row in 60..<110 {
                for column in 100..<150 where frame.lidar.metres[row * 256 + column] == 0 {
                    frame.lidar.metres[row * 256 + column] = 1.5
                }
            }
        }
        outcome.expectAccuracy(of: scene)
    }

    @Test func theLineIsKeptWhereNothingIsWrong() throws {
        var scene = GridScene()
        scene.bend = .none
        let outcome = try Outcome(scene)
        #expect(outcome.grid.scales.allSatisfy { abs($0 - 1) < 0.005 })
        #expect(outcome.grid.shifts.allSatisfy { abs($0) < 0.002 })
        #expect(zip(outcome.grid.knots, outcome.grid.knotValues).allSatisfy { abs($0 / $1 - 1) < 0.01 })
        #expect(outcome.grid.line == outcome.line)
    }

    @Test(arguments: [RelativeDepthMap.Kind.inverseDepth, .depth], Bend.allCases)
    func risesWithoutSeams(kind: RelativeDepthMap.Kind, bend: Bend) throws {
        var scene = GridScene()
        scene.kind = kind
        scene.bend = bend
        scene.drift = 0.05
        let outcome = try Outcome(scene)
        let largest = outcome.frame.relative.values.max() ?? 0
        var map = RelativeDepthMap(width: 160, height: 120, kind: kind, values: [])
        var last = [Float](repeating: 0, count: 160 * 120)
        for step in 1...200 {
            let value = largest * 1.3 * Float(step) / 200
            map.values = [Float](repeating: value, count: 160 * 120)
            let metres = outcome.grid.metres(map).metres
            #expect(metres.allSatisfy { $0 >= 0 && $0 < .infinity })
            // Of neighbouring pixels with the same value, in the LiDAR's range and around it.
            var jump: Float = 0
            var isRising = true
            for index in metres.indices {
                if index % 160 > 0, min(metres[index - 1], metres[index]) > 0.2, metres[index] < 10 {
                    jump = max(jump, abs(metres[index] / metres[index - 1] - 1))
                }
                guard last[index] > 0, metres[index] > 0 else { continue }
                isRising = isRising && (kind == .depth ? metres[index] > last[index] : metres[index] < last[index])
            }
            #expect(jump < 0.004)
            #expect(isRising)
            last = metres
        }
    }

    @Test func farAwayItIsTheLine() throws {
        let outcome = try Outcome(GridScene())
        let scale = Float(outcome.line.scale)
        // 1 / z of 0.08: 12.5 m.
        let value = 0.08 * scale - Float(outcome.line.inverseShift)
        let map = RelativeDepthMap(width: 3, height: 2, kind: .inverseDepth, values: .init(repeating: value, count: 6))
        for z in outcome.grid.metres(map).metres { #expect(abs(z - 12.5) < 0.01) }
    }

    @Test func theSameOnEveryRun() throws {
        let frame = GridScene().frame()
        let line = try RelativeDepthCalibrator().calibrate(depth: frame.lidar, relativeDepth: frame.relative)
        let first = try GridCalibration(line, depth: frame.lidar, relativeDepth: frame.relative)
        let second = try GridCalibration(line, depth: frame.lidar, relativeDepth: frame.relative)
        #expect(first == second)
        #expect(first.metres(frame.relative).metres == second.metres(frame.relative).metres)
    }

    @Test(arguments: [(32, 24), (256, 192), (98, 70)].map { GridSize(width: $0.0, height: $0.1) })
    func smallMapsOfTheNetwork(size: GridSize) throws {
        var scene = GridScene()
        scene.size = size
        scene.blurRadius = 1
        let outcome = try Outcome(scene)
        #expect(outcome.metres.count == size.count)
        // Where a pixel covers much, the LiDAR and the network see different things.
        let limit = size.width < 50 ? 4 * outcome.found.inside.limit : outcome.found.inside.limit
        #expect(outcome.found.inside.rmse <= limit)
    }
}
