import Bags
import Testing

/// Rows that wait for those of their time and for earlier ones.
struct PendingRowsTests {
    private let start = ContinuousClock.now
    private var rows = PendingRows()

    private mutating func add(_ time: Int64, after milliseconds: Int) {
        let row = BagRow(topic: 0, timeNanoseconds: time, bytes: [0])
        _ = rows.add(PendingRows.Row(row, arrival: start + .milliseconds(milliseconds)))
    }

    private mutating func settled(after milliseconds: Int) -> [Int64] {
        rows.takeSettled(at: start + .milliseconds(milliseconds)).map(\.row.timeNanoseconds)
    }

    @Test("rows are taken when they have waited, those of one time together")
    mutating func together() {
        for (time, milliseconds) in [(1, 0), (2, 10), (1, 60), (3, 90)] { add(Int64(time), after: milliseconds) }
        #expect(settled(after: 90) == [])
        #expect(settled(after: 105) == [1, 1])
        #expect(settled(after: 195) == [2, 3])
    }

    /// After an outage the newest image comes before the poses that led to it; it was filed before them.
    @Test("a row waits for earlier ones that came later, but not for ever")
    mutating func inOrder() {
        add(50, after: 0)
        for time in 40..<45 { add(Int64(time), after: 60 + time) }
        #expect(settled(after: 120) == [])
        #expect(settled(after: 210) == [40, 41, 42, 43, 44, 50])
        // What goes on coming late holds up nothing.
        add(90, after: 1000)
        for step in 0..<30 { add(Int64(60 + step), after: 1000 + 10 * step) }
        #expect(settled(after: 1299) == Array(60..<80).map { Int64($0) })
        #expect(settled(after: 1300) == Array(80...90).map { Int64($0) })
    }
}
