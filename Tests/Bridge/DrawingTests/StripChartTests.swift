import HTMLReports
import Testing
import Text

/// Strips: exact rates, round axes, constants in words, and two charts with one scale.
@Suite struct StripChartTests {
    private func chart(
        _ strips: [StripChart.Strip],
        seconds: Double = 10,
        gaps: [ClosedRange<Double>] = []
    ) -> StripChart {
        StripChart(strips, name: "time", seconds: seconds, gaps: gaps, title: "Over time", description: "what there is")
    }

    private func ramp(_ low: Double, _ high: Double, seconds: Double = 10) -> TimeColumns {
        var columns = TimeColumns(seconds: seconds)
        for step in 0...100 {
            columns.add(low + (high - low) * Double(step) / 100, at: seconds * Double(step) / 100)
        }
        return columns
    }

    @Test("a steady rate is drawn as it is, from the first time to the last", arguments: [1.95, 0.3, 29.97, 400])
    func steadyRate(hertz: Double) {
        var rate = RateColumns(seconds: 60)
        for number in 0...Int(60 * hertz) { rate.add(at: Double(number) / hertz) }
        let known = rate.rates.columns.filter { $0.count > 0 }
        #expect(known.allSatisfy { abs($0.mean / hertz - 1) < 1e-9 && abs($0.high / hertz - 1) < 1e-6 })
        // No column between the first time and the last is empty.
        #expect(Double(known.count) >= 600 * (Double(Int(60 * hertz)) / hertz) / 60 - 1)
        #expect(abs(rate.rates.total.mean / hertz - 1) < 1e-9)
        let html = chart([.init("topic", unit: "Hz", [("", rate.rates)], span: 0...1, steadyShare: 0.02)], seconds: 60)
            .html
        let decimals = hertz < 100 ? 2 : 1
        #expect(html.contains("\(hertz.text(decimals: decimals)) Hz throughout") && !html.contains("<path"))
    }

    @Test("of uneven intervals the rate is their number by their sum, and what comes too early counts nothing")
    func unevenRate() {
        var rate = RateColumns(seconds: 10)
        // Of the times 2 and 1.5 only the first is later than the one before.
        for time in [0, 1, 2, 1.5, 4, 8.0] { rate.add(at: time) }
        #expect(abs(rate.rates.total.mean - 4.0 / 8) < 1e-12)
        #expect(rate.rates.total.low == 0.25 && rate.rates.total.high == 1)
        let columns = rate.rates.columns
        #expect(abs(columns[columns.count / 2 + 30].mean - 0.25) < 1e-12)
    }

    @Test(
        "an axis has its least and its largest number at its ends, and both are round",
        arguments: [(0.0, 1.23, "0.0", "1.5"), (1439.2, 1441.7, "1439", "1442"), (-0.04, 0.31, "-0.1", "0.4")]
    )
    func axis(low: Double, high: Double, least: String, most: String) {
        let html = chart([.init("speed", unit: "m/s", [("", ramp(low, high))])]).html
        let top = html.firstMatch(of: /class="top">([^<]*)</)?.output.1 ?? ""
        let bottom = html.firstMatch(of: /class="low">([^<]*)</)?.output.1 ?? ""
        #expect((Double(top) ?? -99) >= high && (Double(bottom) ?? 99) <= low, "\(bottom) to \(top)")
        #expect(top == most && bottom == least)
        // The picture of its own says the same.
        let svg = chart([.init("speed", unit: "m/s", [("", ramp(low, high))])]).svg.element
        #expect(svg.contains(">\(top)<") && svg.contains(">\(bottom)<"))
    }

    @Test("gaps are bands and marks on the axis; long times have their unit; long names are cut in the middle")
    func marks() {
        let name = "/mapping/pointcloud/depth_anything/compressed"
        let html = chart(
            [.init(name, unit: "Hz", [("", ramp(1, 2, seconds: 518_400))])],
            seconds: 518_400,
            gaps: [100_000...160_000]
        ).html
        #expect(html.contains("class=\"hole\" style=\"--at:0.1929;--to:0.3086\"") && html.contains("\u{25B2}"))
        #expect(html.contains(">days<") && html.contains(">6.0<"))
        #expect(html.contains(">/mapping/\u{2026}ing/compressed<") && html.contains("title=\"\(name)\""))
        let short = chart([.init("a", unit: "", [("", ramp(0, 1))])]).html
        #expect(short.contains(">seconds<") && !short.contains("\u{25B2}"))
    }

    @Test("the values that a script shows are the means of the columns, equal ones once with their number")
    func values() {
        var columns = TimeColumns(seconds: 10, count: 5)
        for (time, value) in [(0.5, 2.0), (1.5, 4), (2.5, 3), (9.5, 1)] { columns.add(value, at: time) }
        let html = chart([.init("x", unit: "m", [("", columns)])]).html
        #expect(html.contains("data-values=\"3.00*2,*2,1.00\" data-seconds=\"10.000\""))
        var states = StateColumns(seconds: 10, states: 2, count: 5)
        for (time, state) in [(1.0, 0), (5, 1), (9, 0)] { states.add(state, at: time) }
        let bands = chart([.init("tracking", states: [("normal", "s2"), ("lost", "warn")], states)]).html
        #expect(bands.contains("data-names=\"normal,lost\" data-values=\"0,,1,,0\""))
        #expect(bands.components(of: "class=\"band\"") == 3)
    }

    @Test("two charts have one axis for one strip, and what both have comes first")
    func pairs() {
        let a = chart([.init("only a", unit: "", [("", ramp(0, 1))]), .init("speed", unit: "m/s", [("", ramp(0, 1))])])
        let b = chart([.init("speed", unit: "m/s", [("", ramp(3, 8, seconds: 20))])], seconds: 20)
        let layout = StripChart.Layout([a, b])
        for html in [a.html(layout), b.html(layout)] {
            #expect(html.contains("data-seconds=\"20.000\"") && html.contains(">20<"))
            let name = html.firstMatch(of: /<b title="([^"]*)"/)?.output.1
            #expect(name == "speed" && html.contains("class=\"top\">8<") && html.contains("class=\"low\">0<"))
        }
        #expect(a.html(layout).contains("only a") && !b.html(layout).contains("only a"))
    }

    @Test("what is text stays text")
    func hostile() {
        let name = "</b><script>alert(1)</script>\" onload=\"x"
        let html = chart([.init(name, unit: name, [("", ramp(0, 1))])]).html
        #expect(!html.contains("<script") && !html.contains("\" onload"))
    }
}

extension String {
    fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
