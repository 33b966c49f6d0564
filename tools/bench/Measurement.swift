/// Times of one thing in milliseconds.
struct Samples {
    private(set) var milliseconds: [Double] = []

    mutating func append(_ value: Double) {
        milliseconds.append(value)
    }

    var count: Int { milliseconds.count }
    var last: Double { milliseconds.last ?? .nan }
    var minimum: Double { milliseconds.min() ?? .nan }

    var median: Double {
        guard !milliseconds.isEmpty else { return .nan }
        return milliseconds.sorted()[milliseconds.count / 2]
    }

    /// Adds the time that `body` takes.
    mutating func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
        let start = ContinuousClock.now
        let result = try body()
        append((ContinuousClock.now - start).milliseconds)
        return result
    }
}

extension Duration {
    var milliseconds: Double {
        Double(components.seconds) * 1e3 + Double(components.attoseconds) * 1e-15
    }
}
