import Text

/// Where things on the ground are on a picture: metres to the right and up become pixels, in one scale.
package struct PlanView: Sendable {
    private let low: SIMD2<Double>
    private let origin: SIMD2<Double>
    /// Pixels of a metre.
    package let scale: Double
    /// The area that is shown, in metres.
    package let span: (low: SIMD2<Double>, high: SIMD2<Double>)

    /// Shows all points with a margin, in the middle of a frame.
    ///
    /// - Parameters:
    ///   - frame: Left, top, right and bottom in pixels.
    ///   - leastMetres: At least this much is shown.
    package init(
        _ points: [SIMD2<Double>],
        in frame: (left: Double, top: Double, right: Double, bottom: Double),
        leastMetres: Double = 1
    ) {
        let points = points.filter { $0.x.isFinite && $0.y.isFinite }
        var low = points.reduce(points.first ?? .zero) { pointwiseMin($0, $1) }
        var high = points.reduce(points.first ?? .zero) { pointwiseMax($0, $1) }
        let middle = (low + high) / 2
        let half = pointwiseMax((high - low) * 0.54, SIMD2(repeating: leastMetres / 2))
        (low, high) = (middle - half, middle + half)
        let size = SIMD2(frame.right - frame.left, frame.bottom - frame.top)
        scale = min(size.x / (high.x - low.x), size.y / (high.y - low.y))
        let rest = (size / scale - (high - low)) / 2
        span = (low - rest, high + rest)
        self.low = low - rest
        origin = SIMD2(frame.left, frame.bottom)
    }

    /// What a script turns metres into pixels of the picture with: the scale, the place in metres that is at a pixel, that pixel.
    package var data: (name: String, value: String) {
        ("plan", [scale, low.x, low.y, origin.x, origin.y].map { $0.text(decimals: 4) }.joined(separator: ","))
    }

    package func pixel(_ point: SIMD2<Double>) -> SIMD2<Double> {
        let offset = (point - low) * scale
        return SIMD2(origin.x + offset.x, origin.y - offset.y)
    }

    /// Draws lines at round numbers of metres, and says them at the left and the bottom.
    package func drawGrid(on svg: inout SVG) {
        let ticks = Ticks(from: 0, to: 90 / scale)
        let (bottomLeft, topRight) = (pixel(span.low), pixel(span.high))
        // Every second number can be left out where there is little room.
        func style(_ value: Double) -> String {
            (value / ticks.step).rounded().truncatingRemainder(dividingBy: 2) == 0 ? "soft" : "soft minor"
        }
        for value in Ticks.multiples(of: ticks.step, from: span.low.x, to: span.high.x) {
            let x = pixel(SIMD2(value, 0)).x
            svg.line(SIMD2(x, topRight.y), SIMD2(x, bottomLeft.y), "grid")
            svg.text(ticks.text(value), SIMD2(x, bottomLeft.y + 15), style(value), .middle)
        }
        for value in Ticks.multiples(of: ticks.step, from: span.low.y, to: span.high.y) {
            let y = pixel(SIMD2(0, value)).y
            svg.line(SIMD2(bottomLeft.x, y), SIMD2(topRight.x, y), "grid")
            svg.text(ticks.text(value), SIMD2(bottomLeft.x - 5, y + 4), style(value), .end)
        }
    }

    /// The height below the frame that the numbers of the grid and the scale bar need.
    package static let footHeight = 52.0

    /// Draws a bar of a round number of metres, about a sixth of the picture wide, under its lower right corner.
    package func drawScale(on svg: inout SVG) {
        let corner = pixel(SIMD2(span.high.x, span.low.y)) + SIMD2(0, 44)
        let ticks = Ticks(from: 0, to: (span.high.x - span.low.x) / 6)
        let start = corner - SIMD2(ticks.step * scale, 0)
        svg.path([start - SIMD2(0, 5), start, corner, corner - SIMD2(0, 5)], "")
        svg.text(ticks.text(ticks.step) + " m", (start + corner) / 2 - SIMD2(0, 5), "", .middle)
    }
}
