/// The look of a surface: a pattern over two surface coordinates in metres, and a base colour of 0 to 255.
enum Material: Sendable {
    case plaster(SIMD3<Float>)
    case wallpaper(SIMD3<Float>)
    case bricks(SIMD3<Float>)
    case planks(SIMD3<Float>)
    case fabric(SIMD3<Float>)
    case wood(SIMD3<Float>)
    case paint(SIMD3<Float>)
    case carton(SIMD3<Float>)
    case cabinet(SIMD3<Float>)
    case shelf(SIMD3<Float>)
    case stripes(SIMD3<Float>)

    /// The colour in daylight; `sharpness` is the number of pixels to a metre, for smooth edges.
    @inline(__always)
    func albedo(_ u: Lanes, _ v: Lanes, sharpness: Lanes, noise: NoiseTexture.Sampler) -> LaneTriple {
        switch self {
        case .plaster(let base): Patterns.rough(base, u, v, 0.10, noise)
        case .wallpaper(let base): Patterns.wallpaper(base, u, v, sharpness, noise)
        case .bricks(let base): Patterns.bricks(base, u, v, sharpness, noise)
        case .planks(let base): Patterns.planks(base, u, v, sharpness, noise)
        case .fabric(let base): Patterns.fabric(base, u, v, noise)
        case .wood(let base): Patterns.wood(base, u, v, noise)
        case .paint(let base): Patterns.rough(base, u, v, 0.06, noise)
        case .carton(let base): Patterns.carton(base, u, v, sharpness, noise)
        case .cabinet(let base): Patterns.cabinet(base, u, v, sharpness, noise)
        case .shelf(let base): Patterns.shelf(base, u, v, sharpness, noise)
        case .stripes(let base): Patterns.stripes(base, u, v, sharpness, noise)
        }
    }
}

/// The patterns of the materials; all lengths in metres on the surface.
enum Patterns {
    typealias Colour = SIMD3<Float>
    typealias Noise = NoiseTexture.Sampler

    /// 1 where `distance` is positive, 0 where it is negative, smooth over one pixel.
    @inline(__always) static func step(_ distance: Lanes, _ sharpness: Lanes) -> Lanes {
        clamp(distance * sharpness + 0.5, to: 1)
    }

    /// A number of 0 to 1 that looks random, from whole numbers.
    @inline(__always) static func tone(_ a: Lanes, _ b: Lanes) -> Lanes {
        fraction(a * 0.618_034 + b * 0.381_966 + 0.37 * fraction(a * 0.271 + b * 0.733))
    }

    /// The distance to the nearest whole multiple of `period`.
    @inline(__always) static func distanceToLine(_ x: Lanes, period: Float) -> Lanes {
        let f = fraction(x * (1 / period))
        return smaller(f, 1 - f) * period
    }

    static func rough(_ base: Colour, _ u: Lanes, _ v: Lanes, _ depth: Float, _ noise: Noise) -> LaneTriple {
        LaneTriple(base) * (1 + depth * noise(u * 700, v * 700))
    }

    static func wallpaper(_ base: Colour, _ u: Lanes, _ v: Lanes, _ sharpness: Lanes, _ noise: Noise) -> LaneTriple {
        let stripe = step(distanceToLine(u, period: 0.18) - 0.045, sharpness)
        let grain = noise(u * 650, v * 650)
        var colour = LaneTriple(base) * (0.94 + 0.06 * stripe + 0.12 * grain)
        // A skirting board at the floor.
        let board = step(-1.32 - v, sharpness)
        colour = colour.mixed(with: LaneTriple(SIMD3(222, 218, 208)) * (1 + 0.05 * grain), board)
        // A framed picture in each cell of 1.6 m.
        let cell = floorOf(u * (1 / 1.6)).value
        let x = absolute(u - (cell + 0.5) * 1.6)
        let y = absolute(v - 0.12)
        let frame = smaller(0.38 - x, 0.29 - y)
        let isFrame = step(frame, sharpness)
        guard !LaneMask.less(.zero, isFrame).isNone else { return colour }
        colour = colour.mixed(with: SIMD3<Float>(62, 46, 36), isFrame)
        let shape = noise(u * 90 + cell * 331, v * 90)
        let shade = clamp(0.5 + 1.6 * shape, to: 1)
        let picture = LaneTriple(SIMD3(52, 76, 110)).mixed(with: SIMD3<Float>(226, 188, 120), shade)
        return colour.mixed(with: picture * (1 + 0.25 * grain), step(frame - 0.03, sharpness))
    }

    static func bricks(_ base: Colour, _ u: Lanes, _ v: Lanes, _ sharpness: Lanes, _ noise: Noise) -> LaneTriple {
        let row = floorOf(v * (1 / 0.078)).value
        let along = u * (1 / 0.25) + 0.5 * (row - 2 * floorOf(row * 0.5).value)
        let column = floorOf(along).value
        let part = along - column
        let horizontal = distanceToLine(v, period: 0.078)
        let vertical = smaller(part, 1 - part) * 0.25
        let grain = noise(u * 620, v * 620)
        let mortar = 1 - step(smaller(horizontal, vertical) - 0.0045 - 0.002 * grain, sharpness)
        let brick = LaneTriple(base) * (0.84 + 0.3 * tone(column, row) + 0.28 * grain)
        return brick.mixed(with: LaneTriple(SIMD3(188, 182, 172)) * (0.95 + 0.18 * grain), mortar)
    }

    static func planks(_ base: Colour, _ u: Lanes, _ v: Lanes, _ sharpness: Lanes, _ noise: Noise) -> LaneTriple {
        let plank = floorOf(u * (1 / 0.15)).value
        let along = v + 0.7 * tone(plank, plank)
        let piece = floorOf(along * (1 / 1.3)).value
        let gap = smaller(distanceToLine(u, period: 0.15), distanceToLine(along, period: 1.3))
        let grain = noise(u * 620, along * 48 + plank * 97)
        let wood = LaneTriple(base) * (0.82 + 0.3 * tone(plank, piece) + 0.34 * grain)
        var colour = wood * (0.5 + 0.5 * step(gap - 0.0016, sharpness))
        // A rug with a border and a check.
        let edge = smaller(1.25 - absolute(u + 0.5), 0.85 - absolute(v + 0.35))
        let isRug = step(edge, sharpness)
        guard !LaneMask.less(.zero, isRug).isNone else { return colour }
        let weave = noise(u * 800, v * 800)
        let check = fraction(0.5 * (floorOf(u * (1 / 0.125)).value + floorOf(v * (1 / 0.125)).value)) * 2
        let inner = LaneTriple(SIMD3(126, 44, 50)).mixed(with: SIMD3<Float>(60, 62, 96), check)
        let rug = LaneTriple(SIMD3(206, 186, 150)).mixed(with: inner, step(edge - 0.09, sharpness))
        colour = colour.mixed(with: rug * (1 + 0.3 * weave), isRug)
        return colour
    }

    static func fabric(_ base: Colour, _ u: Lanes, _ v: Lanes, _ noise: Noise) -> LaneTriple {
        LaneTriple(base) * (1 + 0.16 * noise(u * 900, v * 200) + 0.16 * noise(u * 200, v * 900))
    }

    static func wood(_ base: Colour, _ u: Lanes, _ v: Lanes, _ noise: Noise) -> LaneTriple {
        LaneTriple(base) * (1 + 0.32 * noise(u * 60, v * 700))
    }
}

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
