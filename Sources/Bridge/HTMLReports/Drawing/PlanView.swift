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

/// Colours for numbers from 0 to 1, as polynomials of them.
package enum ColourMap: Sendable {
    /// Blue, green, yellow, red: for distances (A. Mikhailov 2019, "Turbo, an improved rainbow colormap").
    case turbo
    /// Dark blue to yellow, ever brighter: readable in grey, and for the colour-blind (S. van der Walt and N. Smith 2015).
    case viridis

    private static let turboTerms: [SIMD3<Double>] = [
        SIMD3(0.13572138, 0.09140261, 0.10667330), SIMD3(4.61539260, 2.19418839, 12.64194608),
        SIMD3(-42.66032258, 4.84296658, -60.58204836), SIMD3(132.13108234, -14.18503333, 110.36276771),
        SIMD3(-152.94239396, 4.27729857, -89.90310912), SIMD3(59.28637943, 2.82956604, 27.34824973),
    ]
    private static let viridisTerms: [SIMD3<Double>] = [
        SIMD3(0.2777273272, 0.0054073445, 0.3340998053), SIMD3(0.1050930431, 1.4046135299, 1.3845901626),
        SIMD3(-0.3308618287, 0.2148475595, 0.0950951630), SIMD3(-4.6342304990, -5.7991009734, -19.3324409563),
        SIMD3(6.2282699363, 14.1799333668, 56.6905526007), SIMD3(4.7763849977, -13.7451453777, -65.3530326334),
        SIMD3(-5.4354558559, 4.6458526122, 26.3124352496),
    ]

    /// Red, green and blue; what is below 0 or no number has the first colour, what is above 1 the last.
    package func colour(_ value: Double) -> (red: UInt8, green: UInt8, blue: UInt8) {
        let value = value > 0 ? min(1, value) : 0
        let terms = self == .turbo ? Self.turboTerms : Self.viridisTerms
        var sum = SIMD3<Double>.zero
        for term in terms.reversed() { sum = sum * value + term }
        func byte(_ part: Double) -> UInt8 { UInt8(max(0, min(255, (part * 255).rounded()))) }
        return (byte(sum.x), byte(sum.y), byte(sum.z))
    }

    /// As HTML writes colours: `#rrggbb`.
    package func text(_ value: Double) -> String {
        let (red, green, blue) = colour(value)
        let digits = Array("0123456789abcdef")
        return "#" + [red, green, blue].map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()
    }
}
