/// Sums of squares of linear equations with few unknowns each, and their minimum.
struct GridEquations {
    private let count: Int
    /// Row-major, `count * count`; only the lower triangle is filled.
    private var matrix: [Double]
    private var right: [Double]

    init(count: Int) {
        self.count = count
        matrix = [Double](repeating: 0, count: count * count)
        right = [Double](repeating: 0, count: count)
    }

    func diagonal(_ index: Int) -> Double { matrix[index * count + index] }

    /// Adds `(sum of factors * unknowns - error)²`, of unknowns in rising order.
    mutating func add(_ indices: [Int], _ factors: [Double], error: Double) {
        matrix.withUnsafeMutableBufferPointer { matrix in
            indices.withUnsafeBufferPointer { indices in
                factors.withUnsafeBufferPointer { factors in
                    for place in indices.indices {
                        let row = indices[place] &* count
                        let factor = factors[place]
                        for other in 0...place { matrix[row &+ indices[other]] += factor * factors[other] }
                        right[indices[place]] += factor * error
                    }
                }
            }
        }
    }

    /// The minimum by Cholesky's decomposition; `nil` where the matrix is not positive definite, or not finite.
    func solve() -> [Double]? {
        var lower = matrix
        var solution = right
        let isSolved = lower.withUnsafeMutableBufferPointer { lower in
            for row in 0..<count {
                for column in 0...row {
                    var sum = lower[row * count + column]
                    for index in 0..<column { sum -= lower[row * count + index] * lower[column * count + index] }
                    if column < row {
                        lower[row * count + column] = sum / lower[column * count + column]
                    } else {
                        guard sum > 0, sum < .infinity else { return false }
                        lower[row * count + row] = sum.squareRoot()
                    }
                }
            }
            for row in 0..<count {
                for index in 0..<row { solution[row] -= lower[row * count + index] * solution[index] }
                solution[row] /= lower[row * count + row]
            }
            for row in (0..<count).reversed() {
                for index in row + 1..<count { solution[row] -= lower[index * count + row] * solution[index] }
                solution[row] /= lower[row * count + row]
            }
            return true
        }
        return isSolved && solution.allSatisfy(\.isFinite) ? solution : nil
    }
}
