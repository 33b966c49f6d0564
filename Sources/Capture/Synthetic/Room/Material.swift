/// What a surface looks like: a pattern over two surface coordinates in metres, and a base colour of 0 to 255.
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
