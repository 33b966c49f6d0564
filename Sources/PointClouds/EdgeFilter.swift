/// Drops flying pixels: depths that a sensor blends between an object and what lies behind it.
///
/// A pixel stays if at least one of its 4-neighbours is valid and differs by at most `max(limitMetres, limitRatio * d)`,
/// though never more than half of d, so that an invalid neighbour of depth 0 supports nothing. Neighbours outside the
/// grid support nothing either: a pixel without valid neighbours is dropped. Confidence plays no part, as a neighbour
/// that is too unsure to be published still tells of a surface.
struct EdgeFilter {
    private let limitMetres: Float
    private let limitRatio: Float

    init(_ parameters: CloudParameters) {
        limitMetres = Float(parameters.edgeLimitMetres)
        limitRatio = Float(parameters.edgeLimitRatio)
    }

    /// Writes `paddedWidth * rows` depths to `target`: 0 where a pixel was dropped or invalid.
    func filter(_ rows: DepthRows, into target: UnsafeMutablePointer<Float>) {
        let width = rows.paddedWidth
        for row in 0..<rows.rows {
            let here = rows.depth + row * width
            // The first and the last row take themselves for the missing neighbour and are told so.
            let above = row > 0 ? here - width : here
            let below = row + 1 < rows.rows ? here + width : here
            let aboveExists: Float = row > 0 ? 1 : 0
            let belowExists: Float = row + 1 < rows.rows ? 1 : 0
            let output = UnsafeMutableRawPointer(target + row * width)
            var column = 0
            while column < width {
                let depth = load(here + column)
                let left = column > 0 ? load(here + column - 1) : shiftedRight(depth)
                let right = column + 8 < width ? load(here + column + 1) : shiftedLeft(depth)
                let limit = limits(depth)
                let support =
                    bits(magnitudes(depth - left) .<= limit)
                    | bits(magnitudes(depth - right) .<= limit)
                    | bits(magnitudes(depth - load(above + column) * aboveExists) .<= limit)
                    | bits(magnitudes(depth - load(below + column) * belowExists) .<= limit)
                let kept = unsafeBitCast(depth, to: Integers.self) & support
                output.storeBytes(of: kept, toByteOffset: column &* 4, as: Integers.self)
                column &+= 8
            }
        }
    }

    @inline(__always)
    private func limits(_ depth: Floats) -> Floats {
        smaller(larger(depth * limitRatio, Floats(repeating: limitMetres)), depth * 0.5)
    }
}

@inline(__always)
private func larger(_ a: Floats, _ b: Floats) -> Floats {
    selected(bits(a .> b), a, b)
}

@inline(__always)
private func smaller(_ a: Floats, _ b: Floats) -> Floats {
    selected(bits(a .< b), a, b)
}

@inline(__always)
private func selected(_ mask: Integers, _ a: Floats, _ b: Floats) -> Floats {
    unsafeBitCast(
        (unsafeBitCast(a, to: Integers.self) & mask) | (unsafeBitCast(b, to: Integers.self) & ~mask),
        to: Floats.self
    )
}

/// The lanes moved up by one, 0 in the first.
@inline(__always)
private func shiftedRight(_ v: Floats) -> Floats {
    Floats(0, v[0], v[1], v[2], v[3], v[4], v[5], v[6])
}

/// The lanes moved down by one, 0 in the last.
@inline(__always)
private func shiftedLeft(_ v: Floats) -> Floats {
    Floats(v[1], v[2], v[3], v[4], v[5], v[6], v[7], 0)
}
