import Text

/// Strips one below the other over a common axis of time: what went on in a recording, at a glance.
///
/// There are two forms of the same drawing: a picture of its own, and HTML, whose labels keep their size on any screen and whose
/// values a script shows at the cursor.
package struct StripChart: Sendable {
    package struct Strip: Sendable {
        enum Content {
            case numbers([(name: String, columns: TimeColumns)], marks: [Double])
            case states([(name: String, style: String)], StateColumns)
        }

        let title: String
        let unit: String
        let content: Content
        /// Shown at least.
        let span: ClosedRange<Double>?
        /// What varies by a smaller share of itself is a constant.
        let steadyShare: Double

        /// - Parameters:
        ///   - series: One colour each, with their names where there are several.
        ///   - span: What the axis shows at least.
        ///   - marks: Values with a line across.
        package init(
            _ title: String,
            unit: String,
            _ series: [(name: String, columns: TimeColumns)],
            span: ClosedRange<Double>? = nil,
            marks: [Double] = [],
            steadyShare: Double = 1e-6
        ) {
            self.title = title
            self.unit = unit
            self.span = span
            self.steadyShare = steadyShare
            content = .numbers(series.filter { !$0.columns.isEmpty }, marks: marks)
        }

        /// - Parameter states: The name of each, which its bands bear, and the class of its colour.
        package init(_ title: String, states: [(name: String, style: String)], _ columns: StateColumns) {
            self.title = title
            (unit, span, steadyShare) = ("", nil, 0)
            content = .states(states, columns)
        }

        var isEmpty: Bool {
            switch content {
            case .numbers(let series, _): series.isEmpty
            case .states(_, let columns): columns.columns.allSatisfy { $0 == nil }
            }
        }

        /// What there is of numbers, without what the axis shows besides.
        var values: ClosedRange<Double>? {
            guard case .numbers(let series, _) = content, let first = series.first?.columns.total else { return nil }
            return series.reduce(first.low...first.high) { joined($0, $1.columns.total.low...$1.columns.total.high) }
        }

        /// In words, where there is nothing to draw: one number or one state all the time.
        func constant(of values: ClosedRange<Double>?) -> String? {
            switch content {
            case .states(let states, let columns):
                let spans = columns.spans
                guard spans.count == 1, let state = spans.first?.state, states.indices.contains(state) else {
                    return nil
                }
                return "\(states[state].name) throughout"
            case .numbers(let series, _):
                guard let values, let mean = series.first?.columns.total.mean, series.count == 1,
                    values.upperBound - values.lowerBound <= steadyShare
                        * max(abs(values.lowerBound), abs(values.upperBound))
                else { return nil }
                return "\(mean.text(decimals: abs(mean) < 100 ? 2 : 1)) \(unit) throughout"
            }
        }

        /// Round numbers around all values.
        func axis(of values: ClosedRange<Double>) -> Axis {
            let all = span.map { joined($0, values) } ?? values
            let least = 1e-9 * max(1, abs(all.upperBound))
            let isFlat = all.upperBound - all.lowerBound < least
            let (low, high) = isFlat ? (all.lowerBound - 0.5, all.upperBound + 0.5) : (all.lowerBound, all.upperBound)
            let ticks = Ticks(from: low, to: high, count: 2)
            return Axis(
                low: (low / ticks.step + 1e-9).rounded(.down) * ticks.step,
                high: (high / ticks.step - 1e-9).rounded(.up) * ticks.step,
                ticks: ticks
            )
        }
    }

    struct Axis {
        var low: Double
        var high: Double
        var ticks: Ticks

        /// From the top, in parts of the height.
        func share(_ value: Double) -> Double { (high - value) / (high - low) }
    }

    package let name: String
    let title: String
    let description: String
    let strips: [Strip]
    let seconds: Double
    let gaps: [ClosedRange<Double>]

    /// - Parameters:
    ///   - strips: Those without anything in them are left out.
    ///   - gaps: Spans in which frames are missing, in seconds from the beginning.
    package init(
        _ strips: [Strip],
        name: String,
        seconds: Double,
        gaps: [ClosedRange<Double>] = [],
        title: String,
        description: String
    ) {
        self.name = name
        self.strips = strips.filter { !$0.isEmpty }
        self.seconds = max(seconds, 1e-3)
        self.gaps = gaps
        self.title = title
        self.description = description
    }

    // MARK: - A picture of its own

    private static let width = 1000.0
    private static let left = 150.0
    private static let right = 990.0
    private static let rowHeight = 68.0
    private static let lowHeight = 30.0

    package var svg: SVG {
        let heights = strips.map { strip in
            if case .states = strip.content { return Self.lowHeight }
            return strip.constant(of: strip.values) == nil ? Self.rowHeight : Self.lowHeight
        }
        let bottom = 14 + heights.reduce(0, +)
        var svg = SVG(width: Self.width, height: bottom + 34, title: title, description: description)
        func x(_ time: Double) -> Double {
            Self.left + (Self.right - Self.left) * min(max(time / seconds, 0), 1)
        }
        for gap in gaps {
            let start = x(gap.lowerBound)
            svg.rectangle(SIMD2(start, 10), SIMD2(max(1.5, x(gap.upperBound) - start), bottom - 10), "gap")
        }
        let time = TimeAxis(seconds: seconds)
        for tick in time.ticks {
            svg.line(SIMD2(x(tick.seconds), 10), SIMD2(x(tick.seconds), bottom), "grid")
            svg.text(tick.text, SIMD2(x(tick.seconds), bottom + 16), "soft", .middle)
        }
        svg.text(time.unit, SIMD2(Self.left - 22, bottom + 16), "soft", .end)
        var top = 10.0
        for (strip, height) in zip(strips, heights) {
            draw(strip, top: top, height: height - (height == Self.rowHeight ? 18 : 10), x: x, on: &svg)
            top += height
        }
        return svg
    }

    private func draw(_ strip: Strip, top: Double, height: Double, x: (Double) -> Double, on svg: inout SVG) {
        svg.text(strip.title, SIMD2(4, top + 13), "")
        if let text = strip.constant(of: strip.values) { return svg.text(text, SIMD2(Self.left, top + 13), "soft") }
        switch strip.content {
        case .states(let states, let columns):
            for span in columns.spans where states.indices.contains(span.state) {
                let (left, right) = (x(span.from * columns.seconds), x(span.to * columns.seconds))
                let state = states[span.state]
                let corner = SIMD2(left, top)
                svg.rectangle(corner, SIMD2(right - left, height), "band " + state.style, hint: state.name)
                // Colour alone says nothing to some.
                if right - left > 7 * Double(state.name.utf8.count) + 8 {
                    svg.text(state.name, SIMD2(left + 4, top + height / 2 + 4), "onband")
                } else if right - left > 14, let letter = state.name.first {
                    svg.text(String(letter), SIMD2((left + right) / 2, top + height / 2 + 4), "onband", .middle)
                }
            }
        case .numbers(let series, let marks):
            guard let axis = strip.values.map(strip.axis) else { return }
            func y(_ value: Double) -> Double { top + axis.share(value) * height }
            for value in [axis.high, axis.low] {
                svg.line(SIMD2(Self.left, y(value)), SIMD2(Self.right, y(value)), "grid")
                svg.text(axis.ticks.text(value), SIMD2(Self.left - 6, y(value) + 4), "soft", .end)
            }
            for mark in marks where mark >= axis.low && mark <= axis.high {
                svg.line(SIMD2(Self.left, y(mark)), SIMD2(Self.right, y(mark)), "soft dash")
            }
            if !strip.unit.isEmpty { svg.text(strip.unit, SIMD2(4, top + 28), "soft") }
            for (place, one) in series.enumerated() {
                let style = "s\(place % SVG.seriesCount)"
                Self.draw(one.columns, style, x: x, y: y, on: &svg)
                guard series.count > 1 else { continue }
                svg.text(one.name, SIMD2(4 + 46 * Double(place), top + 43), style)
            }
        }
    }

    /// A line through the means, and a bar from the least to the largest where they differ by a pixel.
    static func draw(
        _ columns: TimeColumns,
        _ style: String,
        x: (Double) -> Double,
        y: (Double) -> Double,
        on svg: inout SVG
    ) {
        let step = columns.seconds / Double(columns.columns.count)
        var run: [SIMD2<Double>] = []
        var bars: [(SIMD2<Double>, SIMD2<Double>)] = []
        var lastTime = -Double.infinity
        let reach = step * Double(columns.reach)
        func close() {
            if run.count == 1 { svg.circle(run[0], radius: 1.5, style) } else { svg.path(run, style) }
            run = []
        }
        for (index, column) in columns.columns.enumerated() where column.count > 0 {
            let time = (Double(index) + 0.5) * step
            if time - lastTime > reach, !run.isEmpty { close() }
            lastTime = time
            run.append(SIMD2(x(time), y(column.mean)))
            let (low, high) = (SIMD2(x(time), y(column.low)), SIMD2(x(time), y(column.high)))
            if low.y - high.y > 1.5 { bars.append((low, high)) }
        }
        if !run.isEmpty { close() }
        svg.bars(bars, style)
    }
}

private func joined(_ a: ClosedRange<Double>, _ b: ClosedRange<Double>) -> ClosedRange<Double> {
    min(a.lowerBound, b.lowerBound)...max(a.upperBound, b.upperBound)
}

/// An axis of time in the unit that its length has for people.
struct TimeAxis {
    let unit: String
    let ticks: [(seconds: Double, text: String)]

    init(seconds: Double) {
        let units = [("seconds", 1.0), ("minutes", 60), ("hours", 3600), ("days", 86_400)]
        let (unit, length) = units.last { seconds >= 3 * $0.1 && $0.1 > 1 } ?? units[0]
        self.unit = unit
        let ticks = Ticks(from: 0, to: seconds / length, count: 8)
        self.ticks = ticks.values.map { ($0 * length, ticks.text($0)) }
    }
}
