import Text

/// How often values lie where, as bars beside each other.
package enum Histogram {
    private static let size = SIMD2(1000.0, 190.0)
    private static let frame = (left: 60.0, top: 16.0, right: 980.0, bottom: 146.0)

    /// Bins with round borders from 0, or the least value below it, to the largest, and how many values each has; at most 60.
    package static func bins(_ values: [Double]) -> (low: Double, width: Double, counts: [Int]) {
        let values = values.filter(\.isFinite)
        guard let least = values.min().map({ min(0, $0) }), let most = values.max() else { return (0, 1, []) }
        let width = Ticks(from: least, to: max(most, least + 1e-9), count: 10).step
        let low = (least / width).rounded(.down) * width
        func place(_ value: Double) -> Int { Int(max(0, min(59, (value - low) / width))) }
        var counts = [Int](repeating: 0, count: place(most) + 1)
        for value in values { counts[place(value)] += 1 }
        return (low, width, counts)
    }

    /// - Parameter unit: The text under the axis.
    package static func svg(_ values: [Double], unit: String, title: String, description: String) -> SVG {
        var svg = SVG(width: size.x, height: size.y, title: title, description: description)
        let (low, width, counts) = bins(values)
        guard let most = counts.max(), most > 0 else { return svg }
        let high = low + width * Double(counts.count)
        func x(_ value: Double) -> Double { frame.left + (value - low) / (high - low) * (frame.right - frame.left) }
        func y(_ count: Double) -> Double { frame.bottom - count / Double(most) * (frame.bottom - frame.top) }
        let upright = Ticks(from: 0, to: Double(most), count: 3)
        for value in upright.values where value == value.rounded() {
            svg.line(SIMD2(frame.left, y(value)), SIMD2(frame.right, y(value)), "grid")
            svg.text(upright.text(value), SIMD2(frame.left - 6, y(value) + 4), "soft", .end)
        }
        for (place, count) in counts.enumerated() where count > 0 {
            let left = low + width * Double(place)
            let corner = SIMD2(x(left) + 1, y(Double(count)))
            svg.rectangle(corner, SIMD2(x(left + width) - x(left) - 2, frame.bottom - corner.y), "s0", hint: "\(count)")
        }
        let along = Ticks(from: low, to: high, count: 10)
        for value in along.values { svg.text(along.text(value), SIMD2(x(value), frame.bottom + 16), "soft", .middle) }
        svg.text(unit, SIMD2((frame.left + frame.right) / 2, frame.bottom + 36), "soft", .middle)
        return svg
    }
}

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

    package func text(_ value: Double) -> String { value.text(decimals: decimals) }
}
