import Playback
import Testing

@Suite("Lateness") struct LatenessHistogramTests {
    @Test("quantiles are those of the sorted list, within 4 %", arguments: [1, 2, 3])
    func quantiles(seed: Int) {
        var histogram = LatenessHistogram()
        var values: [Int64] = []
        var state = UInt64(seed)
        for _ in 0..<5000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let value = Int64(state >> UInt64(24 + (state >> 60) * 2))
            values.append(value)
            histogram.add(nanoseconds: value)
        }
        values.sort()
        for part in [0.01, 0.5, 0.9, 0.99, 1] {
            let exact = values[max(0, Int((Double(values.count) * part).rounded(.up)) - 1)]
            let found = histogram.quantile(part)
            #expect(found >= exact && Double(found) <= Double(exact) * 1.04 + 1, "\(part): \(found), \(exact)")
        }
        #expect(histogram.worstNanoseconds == values.last)
    }

    @Test("nothing is 0, what is early is 0")
    func empty() {
        var histogram = LatenessHistogram()
        #expect(histogram.quantile(0.5) == 0)
        histogram.add(nanoseconds: -5)
        #expect(histogram.quantile(0.99) == 0 && histogram.count == 1)
        histogram.add(nanoseconds: .max)
        #expect(histogram.quantile(1) == .max)
    }
}
