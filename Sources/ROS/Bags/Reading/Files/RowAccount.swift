import SystemPackage

/// The account of the rows of a file that were asked for.
struct RowAccount {
    /// How many are listed; the others are counted.
    private static let listedProblems = 100

    private let path: FilePath
    private let tolerance: BagTolerance
    var handedCount = 0
    private(set) var missingCount = 0
    private(set) var problems: [BagError] = []

    init(_ path: FilePath, _ tolerance: BagTolerance) {
        self.path = path
        self.tolerance = tolerance
    }

    /// Notes a problem that cost some of the rows, and goes on, or throws it.
    mutating func pass(_ error: BagError, missing count: Int = 1) throws(BagError) {
        guard tolerance.contains(.damage) else { throw error }
        missingCount += count
        if problems.count < Self.listedProblems { problems.append(error) }
    }

    /// Compares what was handed out with what was counted before.
    ///
    /// - Parameter judge: The source of the expected number: "the table".
    mutating func finish(expecting expected: Int?, by judge: String) throws(BagError) {
        guard let expected, handedCount + missingCount != expected else { return }
        let error = BagError.damaged(
            path,
            place: "messages",
            expected: "\(expected), as \(judge) says",
            found: "\(handedCount)" + (missingCount > 0 ? " and \(missingCount) that cannot be read" : "")
        )
        try pass(error, missing: max(0, expected - handedCount - missingCount))
    }
}
