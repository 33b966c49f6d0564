package import Recording

/// Gives points on the room's surfaces their colours: pattern times light, without camera noise.
struct Shader {
    private let materials: [Material]
    private let boxCount: Int
    private let low: SIMD3<Float>
    private let high: SIMD3<Float>
    private let light: SIMD3<Float>
    private let centres: [SIMD3<Float>]
    private let inverseRadii: [Float]
    private let shadows: [SIMD4<Float>]
    private let tags: TagPaint
    private let noise: NoiseTexture.Sampler

    init(room: Room, noise: NoiseTexture.Sampler) {
        materials = room.sideMaterials + room.boxes.map(\.material) + room.spheres.map(\.material)
        boxCount = room.boxes.count
        low = SIMD3<Float>(room.low)
        high = SIMD3<Float>(room.high)
        light = SIMD3<Float>(room.light)
        centres = room.spheres.map { SIMD3<Float>($0.centre) }
        inverseRadii = room.spheres.map { Float(1 / $0.radius) }
        // What stands on the floor darkens it around.
        shadows = room.boxes.filter { $0.low.y <= room.low.y && $0.high.x - $0.low.x > 0.1 }.map {
            SIMD4(Float($0.low.x), Float($0.high.x), Float($0.low.z), Float($0.high.z))
        }
        tags = room.tagPaint
        self.noise = noise
    }

    /// The colours, 0 to 255, of points in the world; `sharpness` is the number of pixels to a metre there.
    @inline(__always)
    func colour(at point: LaneTriple, surface: LaneMask, axis: LaneMask, sharpness: Lanes) -> LaneTriple {
        let first = surface.x
        let firstAxis = axis.x
        let rest =
            LaneMask.equal(surface, LaneMask(repeating: first))
            & LaneMask.equal(axis, LaneMask(repeating: firstAxis))
        let colour = colour(at: point, index: Int(first), axis: Int(firstAxis), sharpness: sharpness)
        if rest.isAll { return colour }
        return mixedColour(at: point, surface: surface, axis: axis, sharpness: sharpness, done: rest, colour)
    }

    /// The rarer case: rays side by side met different surfaces.
    @inline(never)
    private func mixedColour(
        at point: LaneTriple,
        surface: LaneMask,
        axis: LaneMask,
        sharpness: Lanes,
        done: LaneMask,
        _ start: LaneTriple
    ) -> LaneTriple {
        var colour = start
        var done = done
        for lane in 1..<4 where done[lane] == 0 {
            let isSame =
                LaneMask.equal(surface, LaneMask(repeating: surface[lane]))
                & LaneMask.equal(axis, LaneMask(repeating: axis[lane]))
            let own = self.colour(at: point, index: Int(surface[lane]), axis: Int(axis[lane]), sharpness: sharpness)
            colour.x = isSame.select(own.x, colour.x)
            colour.y = isSame.select(own.y, colour.y)
            colour.z = isSame.select(own.z, colour.z)
            done |= isSame
        }
        return colour
    }

    /// The same where all points are on one surface.
    @inline(__always)
    func colour(at p: LaneTriple, index: Int, axis: Int, sharpness: Lanes) -> LaneTriple {
        let toLight = LaneTriple(light.x - p.x, light.y - p.y, light.z - p.z)
        let squared = toLight.x * toLight.x + toLight.y * toLight.y + toLight.z * toLight.z
        let inverseDistance = inverseSquareRoot(squared)
        let u: Lanes
        let v: Lanes
        let towards: Lanes
        switch axis {
        case 0: (u, v, towards) = (p.z, p.y, absolute(toLight.x) * inverseDistance)
        case 1: (u, v, towards) = (p.x, p.z, absolute(toLight.y) * inverseDistance)
        case 2: (u, v, towards) = (p.x, p.y, absolute(toLight.z) * inverseDistance)
        default:
            let ball = index - 6 - boxCount
            let n = LaneTriple(p.x - centres[ball].x, p.y - centres[ball].y, p.z - centres[ball].z)
            let product = n.x * toLight.x + n.y * toLight.y + n.z * toLight.z
            let radius = Lanes(repeating: inverseRadii[ball])
            let cosine = product * inverseDistance * radius
            (u, v, towards) = (p.x * 0.8 + p.z * 0.6, p.y, positivePart(cosine))
        }
        var brightness = 0.58 + 1.25 * towards / (0.7 + 0.3 * squared)
        if index < 6 { brightness = brightness * occlusion(p, axis: axis) }
        if index == 2 { brightness = brightness * floorShadow(p) }
        let albedo = materials[index].albedo(u, v, sharpness: sharpness, noise: noise)
        guard tags.hasTags(index) else { return albedo * brightness }
        return tags.painted(albedo, at: p, index: index, axis: axis, sharpness: sharpness) * brightness
    }

    /// Less light comes into the room's edges.
    @inline(__always)
    private func occlusion(_ p: LaneTriple, axis: Int) -> Lanes {
        @inline(__always) func gap(_ value: Lanes, _ low: Float, _ high: Float) -> Lanes {
            smaller(value - low, high - value)
        }
        let x = gap(p.x, low.x, high.x)
        let y = gap(p.y, low.y, high.y)
        let z = gap(p.z, low.z, high.z)
        let nearest = axis == 0 ? smaller(y, z) : axis == 1 ? smaller(x, z) : smaller(x, y)
        let scaled = nearest * 6
        return 1 - 0.3 / (1 + scaled * scaled)
    }

    @inline(__always)
    private func floorShadow(_ p: LaneTriple) -> Lanes {
        var factor = Lanes(repeating: 1)
        for rectangle in shadows {
            let dx = positivePart(larger(rectangle.x - p.x, p.x - rectangle.y))
            let dz = positivePart(larger(rectangle.z - p.z, p.z - rectangle.w))
            let squaredDistance: Lanes = dx * dx + dz * dz
            let softness: Lanes = 1 + 40 * squaredDistance
            factor *= 1 - 0.45 / softness
        }
        return factor
    }
}

extension Room {
    /// The colour of a point on a surface as it is rendered before camera noise: red, green and blue, 0 to 255.
    ///
    /// - Parameter footprintMetres: The size of a pixel on the surface, over which pattern edges are smoothed.
    package func colour(at point: Vector3, surface: Surface, footprintMetres: Double = 0.001) -> SIMD3<Double> {
        let (index, axis) = indices(of: surface)
        let position = LaneTriple(SIMD3<Float>(point))
        let colour = texture.withSampler { sampler in
            Shader(room: self, noise: sampler).colour(
                at: position,
                surface: LaneMask(repeating: Int32(index)),
                axis: LaneMask(repeating: Int32(axis)),
                sharpness: Lanes(repeating: Float(1 / footprintMetres))
            )
        }
        let value = SIMD3<Double>(Double(colour.x.x), Double(colour.y.x), Double(colour.z.x))
        return value.clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 255))
    }

    private func indices(of surface: Surface) -> (index: Int, axis: Int) {
        Self.indices(of: surface, boxCount: boxes.count)
    }

    static func indices(of surface: Surface, boxCount: Int) -> (index: Int, axis: Int) {
        switch surface {
        case .side(let axis, let isHigh): (2 * axis + (isHigh ? 1 : 0), axis)
        case .box(let index, let axis): (6 + index, axis)
        case .sphere(let index): (6 + boxCount + index, 3)
        }
    }
}
