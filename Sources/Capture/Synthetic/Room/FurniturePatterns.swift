extension Patterns {
    static func carton(_ base: Colour, _ u: Lanes, _ v: Lanes, _ sharpness: Lanes, _ noise: Noise) -> LaneTriple {
        let colour = LaneTriple(base) * (1 + 0.12 * noise(u * 900, v * 300))
        let tape = 1 - step(absolute(u - 0.68) - 0.025, sharpness)
        return colour.mixed(with: SIMD3<Float>(206, 178, 128), tape)
    }

    static func cabinet(_ base: Colour, _ u: Lanes, _ v: Lanes, _ sharpness: Lanes, _ noise: Noise) -> LaneTriple {
        let gap = smaller(distanceToLine(u - 0.25, period: 0.65), distanceToLine(v + 0.05, period: 0.58))
        let colour = LaneTriple(base) * (1 + 0.07 * noise(u * 500, v * 500))
        let dark = colour * (0.45 + 0.55 * step(gap - 0.003, sharpness))
        // A round knob on each door.
        let x = u - 0.2 - 0.65 * floorOf((u + 0.4) * (1 / 0.65)).value
        let y = v - 0.25 - 0.58 * floorOf((v + 0.05) * (1 / 0.58)).value
        let knob = step(0.02 - smaller(absolute(x) + absolute(y), Lanes(repeating: 1)), sharpness)
        return dark.mixed(with: SIMD3<Float>(84, 78, 70), knob)
    }

    static func shelf(_ base: Colour, _ u: Lanes, _ v: Lanes, _ sharpness: Lanes, _ noise: Noise) -> LaneTriple {
        let level = floorOf((v + 1.42) * (1 / 0.38)).value
        let height = v + 1.42 - level * 0.38
        let wood = LaneTriple(base) * (1 + 0.3 * noise(u * 60, v * 700))
        // Books of equal width and different height and colour.
        let book = floorOf(u * (1 / 0.042)).value
        let kind = tone(book, level)
        let other = tone(level, book)
        let third = fraction(kind * 3.7)
        let cover = LaneTriple(kind, other, third) * Lanes(repeating: 140) + LaneTriple(SIMD3(60, 50, 60))
        let spine: Lanes = 0.7 + 0.3 * step(distanceToLine(u, period: 0.042) - 0.003, sharpness)
        let books = cover * (spine * (1 + 0.12 * noise(u * 700, v * 700)))
        let isBook = step(smaller(height - 0.03, 0.24 + 0.08 * other - height), sharpness)
        let isBack = step(smaller(height - 0.03, 0.38 - height), sharpness)
        return wood.mixed(with: wood * Lanes(repeating: 0.35), isBack).mixed(with: books, isBook)
    }

    static func stripes(_ base: Colour, _ u: Lanes, _ v: Lanes, _ sharpness: Lanes, _ noise: Noise) -> LaneTriple {
        let band = step(distanceToLine(v, period: 0.11) - 0.028, sharpness)
        let light = LaneTriple(SIMD3(232, 228, 214))
        return light.mixed(with: base, band) * (1 + 0.10 * noise(u * 600, v * 600))
    }
}
