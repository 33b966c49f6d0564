/// Describes the rows that a salvage of a .db3 file could not save.
struct SalvageNote {
    private let salvage: SQLiteSalvage
    private let problem: String

    init(_ salvage: SQLiteSalvage, _ problem: BagError) {
        self.salvage = salvage
        if case .damaged(_, let place, _, let found) = problem {
            self.problem = "\(place): \(found)"
        } else {
            self.problem = problem.description
        }
    }

    /// Adds the losses to the count of saved rows.
    func tell(_ census: inout StoredCensus) {
        census.damage.append("\(problem); \(salvage.messageCount) messages were saved one by one")
        for (count, reason) in [
            (salvage.brokenCount, "on pages that cannot be read"), (salvage.strayCount, "of topics that nothing names"),
            (salvage.lostCount ?? 0, "whose pages are gone"),
        ] where count > 0 {
            census.unreadable.append(UnreadableRows(count: count, reason: reason))
        }
        if salvage.timelessCount > 0 { census.remarks.append(RowTimes.action(salvage.timelessCount)) }
    }
}
