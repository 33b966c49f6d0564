import Perception
import Recording

/// The fit of a relative depth map on the depth grid itself: 1/z from a known line, noise, and 8 % outliers.
///
/// The peer fits the same number of pairs, which it has ready; ours reads them from two maps first.
func benchCalibration(_ arguments: Arguments) throws -> Report {
    let path = try arguments.operand(0, "a session")
    let rounds = try arguments.number("--rounds", default: 5)
    let frames = try loadFrames(path)
    var random = Congruential(state: 12_345)
    let maps = frames.map { frame in
        (inverse: relativeMap(frame.depth, .inverseDepth, &random), linear: relativeMap(frame.depth, .depth, &random))
    }
    let calibrator = RelativeDepthCalibrator()
    var tally = Tally()
    var worst = (inverse: 0.0, linear: 0.0)
    for _ in 0..<rounds {
        var times = (inverse: Samples(), linear: Samples(), app: Samples())
        for (frame, map) in zip(frames, maps) {
            let inverse = try times.inverse.measure {
                try calibrator.calibrate(depth: frame.depth, relativeDepth: map.inverse)
            }
            let linear = try times.linear.measure {
                try calibrator.calibrate(depth: frame.depth, relativeDepth: map.linear)
            }
            _ = try times.app.measure {
                try calibrator.calibrate(depth: frame.depth, relativeDepth: map.linear, parameters: .app)
            }
            worst.inverse = max(worst.inverse, abs(inverse.scale * truth.slope - 1))
            worst.linear = max(worst.linear, abs(linear.scale / truth.slope - 1))
        }
        tally.add("inverse depth", times.inverse)
        tally.add("straight line", times.linear)
        tally.add("least squares, stride 4 (app)", times.app)
        try tally.addPeer(arguments.peer("calib_bench").map { [$0, path, "1"] })
        tally.add("1 ms", 1)
    }
    func note(_ error: Double) -> String { "largest error of the scale\(fixed(100 * error, 1, digits: 3)) %" }
    let fast = "cpp_irls10_huber_mad_fast"
    return Report(
        title: "calibration of relative depth; ms",
        lines: [
            tally.line("inverse depth", note: note(worst.inverse), peer: "1 ms", goal: Goal(1, stretch: 0.5)),
            tally.line("inverse depth", peer: fast),
            tally.line("straight line", note: note(worst.linear), peer: "1 ms", goal: Goal(1, stretch: 0.5)),
            tally.line("least squares, stride 4 (app)", peer: "cpp_lsq_plain_1pass"),
        ]
    )
}

private let truth = (slope: 1.7, intercept: 0.35)

/// `(metric - intercept) / slope` with noise of 1 % and outliers of up to 3.
private func relativeMap(
    _ depth: DepthMap,
    _ kind: RelativeDepthMap.Kind,
    _ random: inout Congruential
) -> RelativeDepthMap {
    let values = depth.metres.map { z -> Float in
        guard z.isFinite && z > 0 else { return 0 }
        let metric = kind == .depth ? Double(z) : 1 / Double(z)
        var value = (metric - (kind == .depth ? truth.intercept : -truth.intercept)) / truth.slope
        value += 0.01 * (random.next() - 0.5)
        if random.next() < 0.08 { value += 3 * random.next() }
        return Float(value)
    }
    return RelativeDepthMap(width: depth.width, height: depth.height, kind: kind, values: values)
}

/// The same numbers in 0..<1 on every run.
private struct Congruential {
    var state: UInt32

    mutating func next() -> Double {
        state = state &* 1_664_525 &+ 1_013_904_223
        return Double(state >> 8) / 16_777_216
    }
}
