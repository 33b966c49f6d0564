import HTMLReports
import Testing
import Text

/// Histograms and ticks against counting by hand.
@Suite struct HistogramTests {
    @Test(
        "every value is in the bin whose borders hold it",
        arguments: [[0.4, 1.2, 1.9, 7.3], [3.05], [0, 0, 0], [-2.5, 2.5, 1e6]]
    )
    func bins(values: [Double]) throws {
        let (low, width, counts) = Histogram.bins(values)
        #expect(counts.reduce(0, +) == values.count && counts.count <= 60 && width > 0)
        #expect(low <= 0 && low <= values.min() ?? 0)
        for (place, count) in counts.enumerated() where place < counts.count - 1 {
            let left = low + width * Double(place)
            #expect(values.count { $0 >= left && $0 < left + width } == count)
        }
    }

    @Test("what is no number is left out, and nothing gives an empty picture")
    func odd() {
        #expect(Histogram.bins([.nan, .infinity, 1]).counts.reduce(0, +) == 1)
        #expect(Histogram.bins([]).counts.isEmpty)
        #expect(Histogram.svg([], unit: "m", title: "", description: "").element.hasSuffix("</svg>"))
        #expect(Histogram.bins([1e300, -1e300]).counts.reduce(0, +) == 2)
    }
}
