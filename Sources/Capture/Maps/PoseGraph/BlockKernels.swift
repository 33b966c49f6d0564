import Recording

/// The arithmetic of six by six blocks in place: column after column, each as three pairs of rows.
///
/// The inner operations of a factorisation on blocks in place; by values, most of the time went to copies.
enum BlockKernels {
    typealias Pairs = UnsafePointer<SIMD2<Double>>
    typealias MutablePairs = UnsafeMutablePointer<SIMD2<Double>>

    /// Pairs of a block, and of a vector.
    static let blockSize = 18
    static let vectorSize = 3

    @inline(__always)
    private static func number(_ block: Pairs, _ index: Int) -> Double {
        UnsafeRawPointer(block).load(fromByteOffset: 8 * index, as: Double.self)
    }

    @inline(__always)
    private static func set(_ block: MutablePairs, _ index: Int, _ value: Double) {
        UnsafeMutableRawPointer(block).storeBytes(of: value, toByteOffset: 8 * index, as: Double.self)
    }

    @inline(__always)
    private static func at(_ block: Pairs, _ row: Int, _ column: Int) -> Double { number(block, 6 * column + row) }

    static func add(_ matrix: Matrix6, isTransposed: Bool = false, to block: MutablePairs) {
        let below = isTransposed ? matrix.tr.transposed : matrix.rt
        let right = isTransposed ? matrix.rt.transposed : matrix.tr
        let (first, last) = isTransposed ? (matrix.tt.transposed, matrix.rr.transposed) : (matrix.tt, matrix.rr)
        add(first.c0, below.c0, to: block)
        add(first.c1, below.c1, to: block + 3)
        add(first.c2, below.c2, to: block + 6)
        add(right.c0, last.c0, to: block + 9)
        add(right.c1, last.c1, to: block + 12)
        add(right.c2, last.c2, to: block + 15)
    }

    @inline(__always)
    private static func add(_ top: Vector3, _ bottom: Vector3, to column: MutablePairs) {
        column[0] += SIMD2(top.x, top.y)
        column[1] += SIMD2(top.z, bottom.x)
        column[2] += SIMD2(bottom.y, bottom.z)
    }

    static func add(_ vector: Vector6, to target: MutablePairs) { add(vector.translation, vector.rotation, to: target) }

    static func vector(_ pairs: Pairs) -> Vector6 {
        Vector6(Vector3(pairs[0].x, pairs[0].y, pairs[1].x), Vector3(pairs[1].y, pairs[2].x, pairs[2].y))
    }

    /// Makes the numbers of the diagonal larger by a share, and by as much as keeps an empty block from being singular.
    static func damp(_ block: MutablePairs, _ share: Double, least: Double) {
        for index in 0..<6 { set(block, 7 * index, number(block, 7 * index) * (1 + share) + least) }
    }

    /// Replaces a symmetric block by its lower triangular factor, with the inverses of the diagonal in its place; the upper
    /// half means nothing afterwards.
    ///
    /// - Returns: True if the block is positive definite.
    static func factor(_ block: MutablePairs) -> Bool {
        for column in 0..<6 {
            let square = at(block, column, column)
            // Also false for what is no number.
            guard square > 0, square.isFinite else { return false }
            let inverse = 1 / square.squareRoot()
            for pair in column / 2..<3 { block[3 * column + pair] *= inverse }
            set(block, 7 * column, inverse)
            for next in column + 1..<6 {
                let factor = at(block, next, column)
                for pair in next / 2..<3 { block[3 * next + pair] -= block[3 * column + pair] * factor }
            }
        }
        return true
    }

    /// Multiplies a block from the right by the inverse of a factor's transposed.
    static func divide(_ block: MutablePairs, by factor: Pairs) {
        for column in 0..<6 {
            var (a, b, c) = (block[3 * column], block[3 * column + 1], block[3 * column + 2])
            for before in 0..<column {
                let share = at(factor, column, before)
                a -= block[3 * before] * share
                b -= block[3 * before + 1] * share
                c -= block[3 * before + 2] * share
            }
            let inverse = at(factor, column, column)
            block[3 * column] = a * inverse
            block[3 * column + 1] = b * inverse
            block[3 * column + 2] = c * inverse
        }
    }

    /// Takes the product of a block and another one's transposed from a third one.
    static func subtract(_ left: Pairs, transposed right: Pairs, from target: MutablePairs) {
        for column in 0..<6 {
            var (a, b, c) = (target[3 * column], target[3 * column + 1], target[3 * column + 2])
            for inner in 0..<6 {
                let share = at(right, column, inner)
                a -= left[3 * inner] * share
                b -= left[3 * inner + 1] * share
                c -= left[3 * inner + 2] * share
            }
            target[3 * column] = a
            target[3 * column + 1] = b
            target[3 * column + 2] = c
        }
    }

    /// Takes the product of a block and its own transposed from the lower half of another one.
    static func subtractSquare(_ block: Pairs, from target: MutablePairs) {
        for column in 0..<2 {
            var (a, b, c) = (target[3 * column], target[3 * column + 1], target[3 * column + 2])
            for inner in 0..<6 {
                let share = at(block, column, inner)
                a -= block[3 * inner] * share
                b -= block[3 * inner + 1] * share
                c -= block[3 * inner + 2] * share
            }
            target[3 * column] = a
            target[3 * column + 1] = b
            target[3 * column + 2] = c
        }
        for column in 2..<4 {
            var (b, c) = (target[3 * column + 1], target[3 * column + 2])
            for inner in 0..<6 {
                let share = at(block, column, inner)
                b -= block[3 * inner + 1] * share
                c -= block[3 * inner + 2] * share
            }
            target[3 * column + 1] = b
            target[3 * column + 2] = c
        }
        for column in 4..<6 {
            var c = target[3 * column + 2]
            for inner in 0..<6 { c -= block[3 * inner + 2] * at(block, column, inner) }
            target[3 * column + 2] = c
        }
    }

    /// Takes the product of a block and a vector from another vector.
    static func subtract(_ block: Pairs, times vector: Pairs, from target: MutablePairs) {
        var (a, b, c) = (target[0], target[1], target[2])
        for column in 0..<6 {
            let share = number(vector, column)
            a -= block[3 * column] * share
            b -= block[3 * column + 1] * share
            c -= block[3 * column + 2] * share
        }
        (target[0], target[1], target[2]) = (a, b, c)
    }

    /// Takes the product of a block's transposed and a vector from another vector.
    static func subtract(transposed block: Pairs, times vector: Pairs, from target: MutablePairs) {
        for column in 0..<6 {
            let products =
                block[3 * column] * vector[0] + block[3 * column + 1] * vector[1] + block[3 * column + 2] * vector[2]
            set(target, column, number(target, column) - (products.x + products.y))
        }
    }

    /// Multiplies a vector by the inverse of a factor.
    static func divide(vector: MutablePairs, by factor: Pairs) {
        for column in 0..<6 {
            let value = number(vector, column) * at(factor, column, column)
            for pair in (column + 1) / 2..<3 { vector[pair] -= factor[3 * column + pair] * value }
            set(vector, column, value)
        }
    }

    /// Multiplies a vector by the inverse of a factor's transposed.
    static func divide(vector: MutablePairs, byTransposed factor: Pairs) {
        for column in (0..<6).reversed() {
            var value = number(vector, column)
            for row in column + 1..<6 { value -= at(factor, row, column) * number(vector, row) }
            set(vector, column, value * at(factor, column, column))
        }
    }
}
