import Platform
import Testing

@Suite("Statistics")
struct StatisticsTests {
    @Test("The median of an even number of values is the upper, the lower, or the mean of the two in the middle")
    func median() {
        #expect([4, 1, 3, 2].median() == 3)
        #expect([4, 1, 3, 2].median(.lower) == 2)
        #expect([4.0, 1, 3, 2].meanMedian == 2.5)
        #expect([5, 1, 3].median() == 3)
        #expect([5, 1, 3].median(.lower) == 3)
        #expect([7.0].meanMedian == 7)
        #expect([Int]().median() == nil)
        #expect([Double]().meanMedian == nil)
    }

    @Test("Quantiles of ten values")
    func quantiles() {
        let values = Array(0..<10)
        #expect(values.quantile(0) == 0)
        #expect(values.quantile(0.9) == 9)
        #expect(values.quantile(0.9, .lower) == 8)
        #expect(values.quantile(0.91, .lower) == 9)
        #expect(values.quantile(1) == 9)
        #expect(values[5...].quantile(0.5) == 7)
    }

    @Test("Bins tell the quantiles of the values that they count", arguments: [QuantileRule.upper, .lower])
    func bins(_ rule: QuantileRule) {
        let values = [3, 0, 7, 7, 1, 3, 3, 9]
        var counts = BinCounts()
        #expect(counts.bin(ofQuantile: 0.5, rule) == nil)
        #expect(counts.share(fromBin: 0) == 0)
        for value in values { counts.add(toBin: value) }
        for share in [0, 0.1, 0.25, 0.5, 0.6, 0.75, 0.99, 1] {
            #expect(counts.bin(ofQuantile: share, rule) == values.sorted().quantile(share, rule))
        }
        #expect(counts.count == 8)
        #expect(counts.share(fromBin: 4) == 0.375)
        #expect(counts.share(fromBin: 10) == 0)
    }
}
