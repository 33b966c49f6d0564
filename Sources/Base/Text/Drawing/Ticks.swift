/// Round numbers along an axis: steps of 1, 2 or 5 times a power of ten.
package struct Ticks: Sendable {
    package let step: Double
    package let values: [Double]
    private let decimals: Int

    /// - Parameter count: About how many there are to be.
    package init(from low: Double, to high: Double, count: Int = 1) {
        let width = high - low
        let rough = width.isFinite && width > 0 ? max(1e-9, min(1e15, width / Double(max(1, count)))) : 1
        var power = 1.0
        var decimals = 0
        while power * 10 <= rough { power *= 10 }
        while power > rough {
            power /= 10
            decimals += 1
        }
        let factor = rough / power >= 5 ? 5.0 : rough / power >= 2 ? 2 : 1
        step = power * factor
        self.decimals = decimals
        values = Self.multiples(of: step, from: low, to: high)
    }

    /// At most a thousand.
    package static func multiples(of step: Double, from low: Double, to high: Double) -> [Double] {
        guard step > 0, low.isFinite, high.isFinite, high >= low else { return [] }
        let first = (low / step).rounded(.up)
        let count = min(1000, Int(max(0, min(1000, (high / step).rounded(.down) - first + 1))))
        return (0..<count).map { (first + Double($0)) * step }
    }

    /// Those of the values that stand at least so far from each other: multiples of twice or five times the step.
    package func values(apart least: Double) -> [Double] {
        guard least.isFinite, let factor = [1.0, 2, 5, 10].first(where: { step * $0 >= least }), factor > 1 else {
            return values
        }
        return values.filter { (($0 / step).rounded()).truncatingRemainder(dividingBy: factor) == 0 }
    }

    package func text(_ value: Double) -> String { value.text(decimals: decimals) }
}
