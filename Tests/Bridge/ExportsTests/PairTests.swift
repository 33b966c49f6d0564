import Testing

@testable import Exports

/// Which views the self-test compares.
@Suite struct PairTests {
    @Test(arguments: [1, 2, 3, 6, 17, 600])
    func pairsLieInsideAndDiffer(count: Int) {
        let pairs = ReprojectionCheck.pairs(count: count)
        #expect(!pairs.isEmpty && pairs.count <= ReprojectionCheck.pairLimit)
        for (first, second) in pairs {
            #expect((1...count).contains(first) && (1...count).contains(second))
            #expect(count == 1 || first < second)
        }
        #expect(Set(pairs.map(\.0)).count == pairs.count)
    }

    @Test func nothingHasNoPairs() { #expect(ReprojectionCheck.pairs(count: 0).isEmpty) }
}
