import HTMLReports
import Testing
import Text

/// Units that people read.
@Suite struct ReadableTests {
    @Test(
        arguments: [
            (0.0333, "0.033 s"), (19.84, "19.8 s"), (119.9, "119.9 s"), (120, "2.0 min"), (7199, "120.0 min"),
            (7200, "2.0 h"), (172_799, "48.0 h"), (518_400, "6.0 days"), (-518_400, "-6.0 days"),
        ]
    )
    func durations(seconds: Double, text: String) { #expect(Readable.duration(seconds) == text) }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (30_400_000, "30.4 MB"), (4567, "4.6 kB"), (1_200_000_000, "1.20 GB"),
    ])
    func bytes(count: Int, text: String) { #expect(Readable.bytes(count) == text) }

    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567")])
    func counts(value: Int, text: String) { #expect(Readable.count(value) == text) }
}
