import Recording

/// A sparse symmetric system of six by six blocks, and its solution by Cholesky's factors.
///
/// The structure is found once; values are put in, factored and solved as often as wanted.
struct BlockCholesky {
    private typealias Kernels = BlockKernels

    /// The addend of the diagonal that keeps an unknown that nothing holds from making the system singular.
    private static let least = 1e-12

    private let order: EliminationOrder
    /// The beginning of each step's column in `rows`.
    private let starts: [Int]
    /// The block of each link, and whether it is stored transposed there.
    private let places: [(index: Int, isTransposed: Bool)]
    /// The row of each block below the diagonal.
    private let rows: [Int32]
    /// The blocks of the diagonal by step, then those below it, column by column: of the matrix, and of its factor.
    private var matrix: [SIMD2<Double>]
    private var values: [SIMD2<Double>]

    /// - Parameter links: Pairs of unknowns with a block between them; each is named by its index from then on.
    init(count: Int, links: [(Int, Int)]) {
        let order = EliminationOrder(count: count, links: links)
        var starts = [0]
        for column in order.columns { starts.append(starts[starts.count - 1] + column.count) }
        let rows = order.columns.flatMap(\.self)
        places = links.map { a, b in
            let (first, second) = (order.steps[a], order.steps[b])
            let (column, row) = (min(first, second), max(first, second))
            // Ascending, and there for certain: a link is in the structure from the beginning.
            let place = (starts[column]..<starts[column + 1]).sortedIndex(where: { Int(rows[$0]) >= row })
            return (count + place, first < second)
        }
        self.order = order
        self.starts = starts
        self.rows = rows
        matrix = [SIMD2<Double>](repeating: .zero, count: (count + rows.count) * Kernels.blockSize)
        values = matrix
    }

    /// Makes the matrix zero.
    mutating func clear() {
        matrix.withUnsafeMutableBufferPointer { $0.update(repeating: .zero) }
    }

    mutating func add(_ block: Matrix6, toDiagonal unknown: Int) {
        matrix.withUnsafeMutableBufferPointer { matrix in
            guard let first = matrix.baseAddress else { return }
            Kernels.add(block, to: first + order.steps[unknown] * Kernels.blockSize)
        }
    }

    /// Adds to the block (row: first, column: second) of a link.
    mutating func add(_ block: Matrix6, toLink link: Int) {
        let place = places[link]
        matrix.withUnsafeMutableBufferPointer { matrix in
            guard let first = matrix.baseAddress else { return }
            Kernels.add(block, isTransposed: place.isTransposed, to: first + place.index * Kernels.blockSize)
        }
    }

    /// Factors the matrix.
    ///
    /// - Parameter damping: The share by which the numbers of the diagonal are made larger.
    /// - Returns: True if it is positive definite.
    mutating func factor(damping: Double) -> Bool {
        let (rows, starts, count) = (rows, starts, order.unknowns.count)
        return values.withUnsafeMutableBufferPointer { buffer in
            guard let first = buffer.baseAddress else { return true }
            _ = buffer.update(fromContentsOf: matrix)
            let below = first + count * Kernels.blockSize
            for step in 0..<count { Kernels.damp(first + step * Kernels.blockSize, damping, least: Self.least) }
            for step in 0..<count {
                let factor = first + step * Kernels.blockSize
                guard Kernels.factor(factor) else { return false }
                let column = starts[step]..<starts[step + 1]
                for index in column { Kernels.divide(below + index * Kernels.blockSize, by: factor) }
                for index in column { Self.eliminate(index, to: column.upperBound, rows, starts, first, below) }
            }
            return true
        }
    }

    /// Takes the products of a block with itself and those below it from the columns to come.
    private static func eliminate(
        _ block: Int,
        to end: Int,
        _ rows: [Int32],
        _ starts: [Int],
        _ diagonal: Kernels.MutablePairs,
        _ below: Kernels.MutablePairs
    ) {
        let target = Int(rows[block])
        let right = below + block * Kernels.blockSize
        Kernels.subtractSquare(right, from: diagonal + target * Kernels.blockSize)
        var place = starts[target]
        for index in block + 1..<end {
            // Both ascend, and what is in this column is in that one.
            while rows[place] < rows[index] { place += 1 }
            let left = below + index * Kernels.blockSize
            Kernels.subtract(left, transposed: right, from: below + place * Kernels.blockSize)
        }
    }

    /// The solution, by unknown.
    func solve(_ right: [Vector6]) -> [Vector6] {
        var solution = right
        var vectors = [SIMD2<Double>](repeating: .zero, count: right.count * Kernels.vectorSize)
        values.withUnsafeBufferPointer { values in
            vectors.withUnsafeMutableBufferPointer { vectors in
                guard let first = values.baseAddress, let vector = vectors.baseAddress else { return }
                for (step, unknown) in order.unknowns.enumerated() {
                    Kernels.add(right[unknown], to: vector + step * Kernels.vectorSize)
                }
                substitute(vector, diagonal: first, below: first + right.count * Kernels.blockSize)
                for (step, unknown) in order.unknowns.enumerated() {
                    solution[unknown] = Kernels.vector(vector + step * Kernels.vectorSize)
                }
            }
        }
        return solution
    }

    /// Forwards by the factor, backwards by its transposed.
    private func substitute(_ vector: Kernels.MutablePairs, diagonal: Kernels.Pairs, below: Kernels.Pairs) {
        for step in order.unknowns.indices {
            let value = vector + step * Kernels.vectorSize
            Kernels.divide(vector: value, by: diagonal + step * Kernels.blockSize)
            for index in starts[step]..<starts[step + 1] {
                let row = vector + Int(rows[index]) * Kernels.vectorSize
                Kernels.subtract(below + index * Kernels.blockSize, times: value, from: row)
            }
        }
        for step in order.unknowns.indices.reversed() {
            let value = vector + step * Kernels.vectorSize
            for index in starts[step]..<starts[step + 1] {
                let row = vector + Int(rows[index]) * Kernels.vectorSize
                Kernels.subtract(transposed: below + index * Kernels.blockSize, times: row, from: value)
            }
            Kernels.divide(vector: value, byTransposed: diagonal + step * Kernels.blockSize)
        }
    }
}

/// In which order the unknowns of a sparse system are eliminated, and which blocks that fills.
///
/// Minimum degree (Tinney and Walker 1967): a pose between two others costs least, so the chain of a walk is folded from
/// all its ends at once, and what ties many poses together, tags, comes late. Ties go to what was there first: the order
/// depends on nothing but the graph.
struct EliminationOrder {
    /// The unknown of each step of the elimination.
    private(set) var unknowns: [Int] = []
    private(set) var steps: [Int]
    /// The later steps that the column of each step has blocks for, ascending.
    private(set) var columns: [[Int32]] = []

    init(count: Int, links: [(Int, Int)]) {
        steps = [Int](repeating: 0, count: count)
        var neighbours = [[Int32]](repeating: [], count: count)
        for (a, b) in links where a != b {
            neighbours[a].append(Int32(b))
            neighbours[b].append(Int32(a))
        }
        for node in 0..<count { neighbours[node] = Self.sortedUnique(neighbours[node]) }
        unknowns.reserveCapacity(count)
        var raw: [[Int32]] = []
        raw.reserveCapacity(count)
        var isDone = [Bool](repeating: false, count: count)
        // By degree, the unknowns that had it at some time; those whose degree changed since are passed over.
        var buckets: [[Int32]] = [[]]
        func put(_ node: Int32) {
            let degree = neighbours[Int(node)].count
            while buckets.count <= degree { buckets.append([]) }
            buckets[degree].append(node)
        }
        for node in stride(from: count - 1, through: 0, by: -1) { put(Int32(node)) }
        var degree = 0
        while unknowns.count < count {
            guard let node = buckets[degree].popLast() else {
                degree += 1
                continue
            }
            guard !isDone[Int(node)], neighbours[Int(node)].count == degree else { continue }
            isDone[Int(node)] = true
            steps[Int(node)] = unknowns.count
            unknowns.append(Int(node))
            let clique = neighbours[Int(node)]
            raw.append(clique)
            neighbours[Int(node)] = []
            for other in clique {
                Self.connect(&neighbours[Int(other)], to: clique, of: other, without: node)
                put(other)
                degree = min(degree, neighbours[Int(other)].count)
            }
        }
        columns = raw.map { column in column.map { Int32(steps[Int($0)]) }.sorted() }
    }

    private static func sortedUnique(_ values: [Int32]) -> [Int32] {
        var result: [Int32] = []
        for value in values.sorted() where result.last != value { result.append(value) }
        return result
    }

    /// Adds what an ascending list does not have of another one, but for the list's owner, and takes one out of it.
    private static func connect(_ list: inout [Int32], to others: [Int32], of owner: Int32, without node: Int32) {
        list.remove(at: list.sortedIndex(where: { $0 >= node }))
        for other in others where other != owner {
            let place = list.sortedIndex(where: { $0 >= other })
            if place == list.count || list[place] != other { list.insert(other, at: place) }
        }
    }
}
