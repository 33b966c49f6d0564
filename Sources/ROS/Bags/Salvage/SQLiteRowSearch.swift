import Platform

/// Finds the readable rows of a damaged table `messages` by their numbers.
///
/// From a damaged row, it finds the next readable one by doubling steps, followed by bisection.
struct SQLiteRowSearch {
    let source: SQLiteDatabase

    /// The number of the first row from `number` on, read from its head alone; nil if it cannot be read.
    func firstNumber(from start: Int64) -> Int64? {
        guard let statement = try? source.prepare("SELECT rowid FROM messages WHERE rowid >= ?1 LIMIT 1") else {
            return nil
        }
        try? statement.bind(start, at: 1)
        guard (try? statement.step()) == true, statement.integer(at: 0) >= start else { return nil }
        return statement.integer(at: 0)
    }

    /// The least number from `number` on from which a search succeeds; nil if there is none.
    func firstReadable(from start: Int64) -> Int64? {
        switch probe(start) {
        case .row(let number): return number
        case .end: return nil
        case .damage: break
        }
        // Row numbers begin at 1, so that negative ones need no search.
        var (bad, step) = (max(start, 0), Int64(1))
        while true {
            let (candidate, overflow) = bad.addingReportingOverflow(step)
            guard !overflow else { return nil }
            switch probe(candidate) {
            case .damage:
                bad = candidate
                step = step.multipliedReportingOverflow(by: 2).partialValue
                guard step > 0 else { return nil }
            case .row, .end: return leastReadable(after: bad, until: candidate)
            }
        }
    }

    private func leastReadable(after bad: Int64, until good: Int64) -> Int64? {
        var (bad, good) = (bad, good)
        while good - bad > 1 {
            let middle = bad + (good - bad) / 2
            if case .damage = probe(middle) { bad = middle } else { good = middle }
        }
        guard case .row(let number) = probe(good) else { return nil }
        return number
    }

    private enum Probe {
        case row(Int64)
        case end
        case damage
    }

    private func probe(_ number: Int64) -> Probe {
        guard let statement = try? source.prepare("SELECT rowid FROM messages WHERE rowid >= ?1 LIMIT 1") else {
            return .damage
        }
        do {
            try statement.bind(number, at: 1)
            guard try statement.step() else { return .end }
            // Misordered pages can lead to numbers before the requested one.
            return statement.integer(at: 0) >= number ? .row(statement.integer(at: 0)) : .damage
        } catch {
            return .damage
        }
    }
}
