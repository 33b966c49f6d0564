/// Strips one below the other over a common axis of time: what went on in a recording, at a glance.
package struct StripChart: Sendable {
    package struct Strip: Sendable {
        fileprivate enum Content {
            case numbers([(name: String, columns: TimeColumns)], marks: [Double])
            case states([(name: String, style: String)], StateColumns)
        }

        fileprivate let title: String
        fileprivate let unit: String
        fileprivate let content: Content
        /// Shown at least.
        fileprivate var span: ClosedRange<Double>?

        /// - Parameters:
        ///   - series: One colour each, with their names where there are several.
        ///   - span: What the axis shows at least.
        ///   - marks: Values with a line across.
        package init(
            _ title: String,
            unit: String,
            _ series: [(name: String, columns: TimeColumns)],
            span: ClosedRange<Double>? = nil,
            marks: [Double] = []
        ) {
            self.title = title
            self.unit = unit
            self.span = span
            content = .numbers(series.filter { !$0.columns.isEmpty }, marks: marks)
        }

        /// - Parameter states: The name of each, which its bands bear, and the class of its colour.
        package init(_ title: String, states: [(name: String, style: String)], _ columns: StateColumns) {
            self.title = title
            unit = ""
            content = .states(states, columns)
        }

        fileprivate var isEmpty: Bool {
            switch content {
            case .numbers(let series, _): series.isEmpty
            case .states(_, let columns): columns.columns.allSatisfy { $0 == nil }
            }
        }
    }

    private static let width = 1000.0
    private static let left = 150.0
    private static let right = 990.0
    private static let rowHeight = 68.0
    private static let stateHeight = 30.0
    private static let labelHeight = 14.0

    /// - Parameters:
    ///   - strips: Those without anything in them are left out.
    ///   - gaps: Spans in which frames are missing, in seconds from the beginning.
    package static func svg(
        _ strips: [Strip],
        seconds: Double,
        gaps: [ClosedRange<Double>] = [],
        title: String,
        description: String
    ) -> SVG {
        let strips = strips.filter { !$0.isEmpty }
        let heights = strips.map { strip in
            if case .states = strip.content { stateHeight } else { rowHeight }
        }
        let bottom = 14 + heights.reduce(0, +)
        var svg = SVG(width: width, height: bottom + 34, title: title, description: description)
        let seconds = max(seconds, 1e-3)
        func x(_ time: Double) -> Double { left + (right - left) * min(max(time / seconds, 0), 1) }
        for gap in gaps {
            let start = x(gap.lowerBound)
            svg.rectangle(SIMD2(start, 10), SIMD2(max(1.5, x(gap.upperBound) - start), bottom - 10), "gap")
        }
        let ticks = Ticks(from: 0, to: seconds, count: 10)
        for value in ticks.values(apart: seconds * 55 / (right - left)) {
            svg.line(SIMD2(x(value), 10), SIMD2(x(value), bottom), "grid")
            svg.text(ticks.text(value), SIMD2(x(value), bottom + 16), "soft", .middle)
        }
        svg.text("seconds", SIMD2(left - 22, bottom + 16), "soft", .end)
        var top = 10.0
        for (strip, height) in zip(strips, heights) {
            draw(strip, top: top, height: height - (height == rowHeight ? 18 : 10), x: x, on: &svg)
            top += height
        }
        return svg
    }

    private static func draw(_ strip: Strip, top: Double, height: Double, x: (Double) -> Double, on svg: inout SVG) {
        svg.text(strip.title, SIMD2(4, top + 13), "")
        switch strip.content {
        case .states(let states, let columns):
            draw(states, columns, top: top, height: height, x: x, on: &svg)
        case .numbers(let series, let marks):
            var low = series.map(\.columns.total.low).min() ?? 0
            var high = series.map(\.columns.total.high).max() ?? 1
            if let span = strip.span { (low, high) = (min(low, span.lowerBound), max(high, span.upperBound)) }
            if high - low < 1e-9 * max(1, abs(high)) { (low, high) = (low - 0.5, high + 0.5) }
            func y(_ value: Double) -> Double { top + height - (value - low) / (high - low) * height }
            let axis = Ticks(from: low, to: high, count: 2)
            for value in axis.values(apart: labelHeight / height * (high - low)) {
                svg.line(SIMD2(left, y(value)), SIMD2(right, y(value)), "grid")
                svg.text(axis.text(value), SIMD2(left - 6, y(value) + 4), "soft", .end)
            }
            for mark in marks where (low...high).contains(mark) {
                svg.line(SIMD2(left, y(mark)), SIMD2(right, y(mark)), "soft dash")
            }
            if !strip.unit.isEmpty { svg.text(strip.unit, SIMD2(4, top + 28), "soft") }
            for (place, one) in series.enumerated() {
                let style = "s\(place % SVG.seriesCount)"
                draw(one.columns, style, x: x, y: y, on: &svg)
                guard series.count > 1 else { continue }
                svg.text(one.name, SIMD2(4 + 46 * Double(place), top + 43), style)
            }
        }
    }

    /// A line through the means, and a bar from the least to the largest where they differ by a pixel.
    private static func draw(
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
        let known = columns.columns.count { $0.count > 0 }
        // Slow streams have empty columns between their numbers.
        let reach = step * max(3, 4 * Double(columns.columns.count) / Double(max(1, known)))
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

    private static func draw(
        _ states: [(name: String, style: String)],
        _ columns: StateColumns,
        top: Double,
        height: Double,
        x: (Double) -> Double,
        on svg: inout SVG
    ) {
        let step = columns.seconds / Double(columns.columns.count)
        var start = 0
        // What is known holds until something else is.
        var filled: [Int?] = []
        for column in columns.columns { filled.append(column ?? filled.last ?? nil) }
        while start < filled.count {
            var end = start
            while end < filled.count, filled[end] == filled[start] { end += 1 }
            if let state = filled[start], states.indices.contains(state) {
                let (left, right) = (x(Double(start) * step), x(Double(end) * step))
                let name = states[state].name
                svg.rectangle(SIMD2(left, top), SIMD2(right - left, height), "band " + states[state].style, hint: name)
                // Colour alone says nothing to some.
                if right - left > 7 * Double(name.utf8.count) + 8 {
                    svg.text(name, SIMD2(left + 4, top + height / 2 + 4), "onband")
                } else if right - left > 14, let letter = name.first {
                    svg.text(String(letter), SIMD2((left + right) / 2, top + height / 2 + 4), "onband", .middle)
                }
            }
            start = end
        }
    }
}

/// Numbers along a span of time, reduced to the least, the largest and the mean of each of equally long columns.
///
/// A drawing of a long recording uses them: their memory does not grow with its length.
package struct TimeColumns: Sendable {
    package struct Column: Sendable {
        package var count = 0
        package var low = Double.infinity
        package var high = -Double.infinity
        package var sum = 0.0

        package var mean: Double { sum / Double(max(1, count)) }

        /// So much to either side of the middle: what an axis shows of values that hardly change; nil for none.
        package func around(_ margin: Double) -> ClosedRange<Double>? {
            let middle = low / 2 + high / 2
            return count > 0 && middle.isFinite ? middle - margin...middle + margin : nil
        }

        fileprivate mutating func add(_ value: Double) {
            count += 1
            sum += value
            low = min(low, value)
            high = max(high, value)
        }
    }

    package let seconds: Double
    package private(set) var columns: [Column]
    /// Over all columns.
    package private(set) var total = Column()

    package init(seconds: Double, count: Int = 900) {
        self.seconds = max(seconds, 1e-3)
        columns = [Column](repeating: Column(), count: max(1, count))
    }

    /// Adds a number at a time since the beginning; what is no finite number, or outside of the span, is left out.
    package mutating func add(_ value: Double, at time: Double) {
        guard value.isFinite, time >= 0, time <= seconds else { return }
        let index = min(columns.count - 1, Int(time / seconds * Double(columns.count)))
        columns[index].add(value)
        total.add(value)
    }

    package var isEmpty: Bool { total.count == 0 }
}

/// Which of a few states there was in each of equally long columns of a span of time: the worst one.
package struct StateColumns: Sendable {
    package let seconds: Double
    /// The index of the state in each column; nil where nothing is known.
    package private(set) var columns: [Int?]
    package private(set) var counts: [Int]

    package init(seconds: Double, states: Int, count: Int = 900) {
        self.seconds = max(seconds, 1e-3)
        columns = [Int?](repeating: nil, count: max(1, count))
        counts = [Int](repeating: 0, count: states)
    }

    /// - Parameter state: The larger, the worse.
    package mutating func add(_ state: Int, at time: Double) {
        guard time >= 0, time <= seconds, counts.indices.contains(state) else { return }
        let index = min(columns.count - 1, Int(time / seconds * Double(columns.count)))
        columns[index] = max(columns[index] ?? state, state)
        counts[state] += 1
    }
}
