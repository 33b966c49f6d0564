import Recording

/// A sparse symmetric system of six by six blocks, and its solution by Cholesky's factors.
///
/// The structure is found once; values are put in, factored and solved as often as wanted.
struct BlockCholesky {
    private let order: EliminationOrder
    /// By step: where its column begins in `blocks`.
    private let starts: [Int]
    /// By link: its place in `blocks`, and whether the block is stored transposed there.
    private let places: [(index: Int, isTransposed: Bool)]
    private let rows: [Int32]
    private var diagonal: [Matrix6]
    private var blocks: [Matrix6]
    /// The inverses of the diagonal blocks of the factor.
    private var inverses: [Matrix6]

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
            var (low, high) = (starts[column], starts[column + 1])
            while low < high {
                let middle = (low + high) / 2
                if Int(rows[middle]) < row { low = middle + 1 } else { high = middle }
            }
            return (low, first < second)
        }
        self.order = order
        self.starts = starts
        self.rows = rows
        diagonal = [Matrix6](repeating: .zero, count: count)
        inverses = diagonal
        blocks = [Matrix6](repeating: .zero, count: rows.count)
    }

    /// The blocks of the factor, which say what a solution costs.
    var blockCount: Int { blocks.count + diagonal.count }

    /// Puts in the matrix: a block for each unknown, and one (row: first, column: second) for each link.
    ///
    /// - Returns: Whether it is positive definite.
    mutating func factor(diagonal values: [Matrix6], links: [Matrix6]) -> Bool {
        for step in diagonal.indices { diagonal[step] = values[order.unknowns[step]] }
        for index in blocks.indices { blocks[index] = .zero }
        for (index, place) in places.enumerated() {
            blocks[place.index] = blocks[place.index] + (place.isTransposed ? links[index].transposed : links[index])
        }
        for step in diagonal.indices {
            guard let factor = diagonal[step].cholesky else { return false }
            let inverse = factor.lowerInverse
            inverses[step] = inverse
            let turned = inverse.transposed
            let column = starts[step]..<starts[step + 1]
            for index in column { blocks[index] = blocks[index].times(upper: turned) }
            for first in column { eliminate(first, to: column.upperBound) }
        }
        return true
    }

    /// Takes the products of a block with itself and those below it from the columns to come.
    private mutating func eliminate(_ first: Int, to end: Int) {
        let target = Int(rows[first])
        let turned = blocks[first].transposed
        diagonal[target] = diagonal[target] - blocks[first].timesTransposed
        var place = starts[target]
        for index in first + 1..<end {
            // Both ascend, and what is in this column is in that one.
            while rows[place] < rows[index] { place += 1 }
            blocks[place] = blocks[place] - blocks[index] * turned
        }
    }

    /// The solution, by unknown.
    func solve(_ right: [Vector6]) -> [Vector6] {
        var values = order.unknowns.map { right[$0] }
        for step in values.indices {
            let value = inverses[step] * values[step]
            values[step] = value
            for index in starts[step]..<starts[step + 1] {
                let row = Int(rows[index])
                values[row] = values[row] - blocks[index] * value
            }
        }
        for step in values.indices.reversed() {
            var value = values[step]
            for index in starts[step]..<starts[step + 1] {
                value = value - blocks[index].transposed * values[Int(rows[index])]
            }
            values[step] = inverses[step].transposed * value
        }
        var result = values
        for step in values.indices { result[order.unknowns[step]] = values[step] }
        return result
    }
}
