import Perception
import Recording
import TestSupport

/// A depth map of a room, and the relative depth that a known line, noise and outliers make of it.
struct CalibrationScene {
    var width = 128
    var height = 96
    /// Between these the depths lie.
    var nearest = 0.6
    var farthest = 3.2
    var slope = 1.6
    var intercept = 0.08
    var noise = 0.001
    var outlierRatio = 0.3
    var kind = RelativeDepthMap.Kind.inverseDepth
    var seed: UInt64 = 1

    /// The exact depth at a place of the view, both coordinates in 0...1.
    func depthMetres(_ x: Double, _ y: Double) -> Double {
        let box = (0.3..<0.55).contains(x) && (0.4..<0.8).contains(y) ? 0.35 : 0
        let part = max(0, min(1, 0.55 * x + 0.45 * (1 - y) - box))
        return nearest + (farthest - nearest) * part
    }

    func depth() -> DepthMap {
        var metres: [Float] = []
        for row in 0..<height {
            for column in 0..<width {
                metres.append(Float(depthMetres((Double(column) + 0.5) / 128, (Double(row) + 0.5) / 96)))
            }
        }
        return DepthMap(width: width, height: height, metres: metres)
    }

    /// On a grid of any size over the same view.
    func relative(width: Int? = nil, height: Int? = nil) -> RelativeDepthMap {
        var random = SeededRandomNumbers(seed: seed)
        let width = width ?? self.width
        let height = height ?? self.height
        var values: [Float] = []
        for row in 0..<height {
            for column in 0..<width {
                let z = depthMetres((Double(column) + 0.5) / Double(width), (Double(row) + 0.5) / Double(height))
                let metric = kind == .inverseDepth ? 1 / z : z
                var value = (metric - intercept) / slope + noise * random.normal()
                if Double.random(in: 0..<1, using: &random) < outlierRatio {
                    value = Double.random(in: 0.01..<3, using: &random)
                }
                values.append(Float(value))
            }
        }
        return RelativeDepthMap(width: width, height: height, kind: kind, values: values)
    }
}

extension RelativeDepthCalibration {
    /// The depth in metres of a value of the original map; not positive, or infinite, where there is none.
    func depthMetres(_ value: Double) -> Double {
        switch model {
        case .inverseDepth: scale / (value + inverseShift) + offset
        case .straightLine: scale * value + offset
        }
    }
}
