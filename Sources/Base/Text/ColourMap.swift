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
        // Behind a one, so that zeros ahead are kept.
        "#" + String(0x100_0000 | packed(value), radix: 16).dropFirst()
    }

    /// 0x00RRGGBB.
    func packed(_ value: Double) -> UInt32 {
        let (red, green, blue) = colour(value)
        return UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
    }
}

/// Colours of heights, for what no image showed, as the pages give them (`span` and `ramp` in viewer.js).
///
/// They are for eyes alone: no message of a recording and nothing that learns from colours has them.
package struct HeightColours: Sendable {
    private let low: Float
    private let high: Float

    /// - Parameter heights: 96 of a hundred of them are within the colours; what is lower has the first one, what is higher the last.
    package init(_ heights: [Float]) {
        let some = stride(from: 0, to: heights.count, by: max(1, heights.count / 8000)).map { heights[$0] }.sorted()
        func rank(_ share: Float) -> Float {
            some.isEmpty ? 0 : some[Int((share * Float(some.count - 1)).rounded())]
        }
        let wider = max(0, 0.2 - (rank(0.98) - rank(0.02))) / 2
        (low, high) = (rank(0.02) - wider, rank(0.98) + wider)
    }

    /// 0x00RRGGBB.
    package func colour(_ height: Float) -> UInt32 {
        ColourMap.viridis.packed(Double((height - low) / (high - low)))
    }
}
