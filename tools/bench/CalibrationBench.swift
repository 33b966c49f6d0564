import Capture
import PointClouds

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
    let names = ["inverse depth", "straight line", "least squares, stride 4 (app)"]
    var samples = Array(repeating: Samples(), count: names.count)
    var roundMedians = samples
    var peers: [String: Samples] = [:]
    let calibrator = RelativeDepthCalibrator()
    var worst = [0.0, 0.0, 0.0]
    for _ in 0..<rounds {
        var round = Array(repeating: Samples(), count: names.count)
        for (frame, map) in zip(frames, maps) {
            let inverse = try round[0].measure {
                try calibrator.calibrate(depth: frame.depth, relativeDepth: map.inverse)
            }
            let linear = try round[1].measure {
                try calibrator.calibrate(depth: frame.depth, relativeDepth: map.linear)
            }
            _ = try round[2].measure {
                try calibrator.calibrate(depth: frame.depth, relativeDepth: map.linear, parameters: .app)
            }
            worst[0] = max(worst[0], abs(inverse.scale * truth.slope - 1))
            worst[1] = max(worst[1], abs(linear.scale / truth.slope - 1))
        }
        for index in names.indices {
            round[index].milliseconds.forEach { samples[index].append($0) }
            roundMedians[index].append(round[index].median)
        }
        if let peer = arguments.peer("calib_bench") {
            for (name, median) in try peerMedians([peer, path, "1"]) {
                peers[name, default: Samples()].append(median)
            }
        }
    }
    let peerNames = ["cpp_irls10_huber_mad_fast", "cpp_irls10_huber_mad_fast", "cpp_lsq_plain_1pass"]
    let lines = names.indices.map { index in
        var line = ReportLine(name: names[index], samples: samples[index])
        if index < 2 { line.note = "largest error of the scale \(fixed(100 * worst[index], 1, digits: 3)) %" }
        if let peer = peers[peerNames[index]] {
            line.peer = ReportLine.Comparison(
                name: peerNames[index],
                median: peer.median,
                ratio: roundMedians[index].median / peer.median,
                goal: index == 2 ? nil : ReportLine.Goal(must: 2, stretch: 1)
            )
        }
        return line
    }
    return Report(title: "calibration of relative depth (goal 1 ms)", lines: lines)
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
