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

    /// Writes `paddedWidth * rows` depths to `target`: a pixel that was dropped is 0, an invalid one stays invalid.
    func filter(_ rows: DepthRows, into target: UnsafeMutablePointer<Float>) {
        let width = rows.paddedWidth
        let last = width - 8
        for row in 0..<rows.rows {
            let here = rows.depth + row * width
            let output = target + row * width
            let vertical = VerticalNeighbours(rows, row)
            var right = last > 0 ? load(here + 1) : shiftedLeft(load(here))
            filter(here, shiftedRight(load(here)), right, vertical, 0, output)
            if last == 0 { continue }
            var column = 8
            while column < last {
                filter(here, load(here + column - 1), load(here + column + 1), vertical, column, output)
                column &+= 8
            }
            right = shiftedLeft(load(here + last))
            filter(here, load(here + last - 1), right, vertical, last, output)
        }
    }

    /// Eight pixels of a row, from `column`.
    @inline(__always)
    private func filter(
        _ row: UnsafePointer<Float>,
        _ left: Floats,
        _ right: Floats,
        _ vertical: VerticalNeighbours,
        _ column: Int,
        _ output: UnsafeMutablePointer<Float>
    ) {
        let depth = load(row + column)
        let limit = limitBits(depth)
        let support = signs(
            (magnitudeBits(depth - left) &- limit)
                | (magnitudeBits(depth - right) &- limit)
                | (magnitudeBits(depth - vertical.above(column)) &- limit)
                | (magnitudeBits(depth - vertical.below(column)) &- limit)
        )
        UnsafeMutableRawPointer(output + column)
            .storeBytes(of: unsafeBitCast(depth, to: Integers.self) & support, as: Integers.self)
    }

    /// The bits of the smallest difference that is too large: positive floating-point numbers are ordered as their bits.
    @inline(__always)
    private func limitBits(_ depth: Floats) -> Integers {
        let proportional = unsafeBitCast(depth * limitRatio, to: Integers.self)
        let fixed = Integers(repeating: Int32(bitPattern: limitMetres.bitPattern))
        let half = unsafeBitCast(depth * 0.5, to: Integers.self)
        let larger = proportional &- ((proportional &- fixed) & signs(proportional &- fixed))
        return half &+ ((larger &- half) & signs(larger &- half)) &+ 1
    }
}

/// The rows above and below a row, 0 where there is none.
private struct VerticalNeighbours {
    private let aboveRow: UnsafePointer<Float>
    private let belowRow: UnsafePointer<Float>
    private let aboveMask: Int32
    private let belowMask: Int32

    @inline(__always)
    init(_ rows: DepthRows, _ row: Int) {
        let here = rows.depth + row * rows.paddedWidth
        let isLast = row + 1 == rows.rows
        aboveRow = row == 0 ? here : here - rows.paddedWidth
        belowRow = isLast ? here : here + rows.paddedWidth
        aboveMask = row == 0 ? 0 : -1
        belowMask = isLast ? 0 : -1
    }

    @inline(__always)
    func above(_ column: Int) -> Floats {
        unsafeBitCast(unsafeBitCast(load(aboveRow + column), to: Integers.self) & aboveMask, to: Floats.self)
    }

    @inline(__always)
    func below(_ column: Int) -> Floats {
        unsafeBitCast(unsafeBitCast(load(belowRow + column), to: Integers.self) & belowMask, to: Floats.self)
    }
}

/// The bits of the absolute values.
@inline(__always)
private func magnitudeBits(_ values: Floats) -> Integers {
    unsafeBitCast(values, to: Integers.self) & 0x7FFF_FFFF
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
