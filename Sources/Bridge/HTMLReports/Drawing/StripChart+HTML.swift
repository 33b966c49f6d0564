import Text

extension StripChart {
    /// Which strips stand in which order, and what their axes show: of one chart, or of two that are compared.
    package struct Layout: Sendable {
        let seconds: Double
        fileprivate let titles: [String]
        fileprivate let values: [String: ClosedRange<Double>]
        /// The values and what the axes of all show besides.
        fileprivate var shown: [String: ClosedRange<Double>] = [:]
        fileprivate let isPair: Bool

        package init(_ charts: [StripChart]) {
            seconds = charts.map(\.seconds).max() ?? 1
            isPair = charts.count > 1
            let all = charts.map { $0.strips.map(\.title) }
            // What both have stands on the same height.
            var titles = all.first?.filter { title in all.allSatisfy { $0.contains(title) } } ?? []
            var values: [String: ClosedRange<Double>] = [:]
            for strip in charts.flatMap(\.strips) {
                if !titles.contains(strip.title) { titles.append(strip.title) }
                guard let own = strip.values else { continue }
                let other = values[strip.title] ?? own
                values[strip.title] =
                    min(own.lowerBound, other.lowerBound)...max(own.upperBound, other.upperBound)
            }
            (self.titles, self.values) = (titles, values)
            shown = values
            for strip in charts.flatMap(\.strips) {
                guard let span = strip.span, let old = shown[strip.title] else { continue }
                shown[strip.title] = min(old.lowerBound, span.lowerBound)...max(old.upperBound, span.upperBound)
            }
        }
    }

    package var html: String { html(Layout([self])) }

    package func html(_ layout: Layout) -> String {
        let label = SVG.escaped("\(title): \(description)")
        var html =
            "<div class=\"strips\" role=\"img\" aria-label=\"\(label)\" data-seconds=\"\(layout.seconds.text(decimals: 3))\">\n"
        func left(_ time: Double) -> String { share(time / layout.seconds) }
        for gap in gaps {
            html +=
                "<i class=\"hole\" style=\"--at:\(left(gap.lowerBound));--to:\(left(gap.upperBound))\"></i>\n"
        }
        let own = Dictionary(strips.map { ($0.title, $0) }) { first, _ in first }
        for title in layout.titles {
            if let strip = own[title] { html += row(strip, layout) }
        }
        let axis = TimeAxis(seconds: layout.seconds)
        html += "<div class=\"axis\"><span class=\"name\">\(axis.unit)</span>"
        for (place, tick) in axis.ticks.enumerated() {
            let style = place % 2 == 1 ? " class=\"minor\"" : ""
            html += "<span\(style) style=\"--at:\(left(tick.seconds))\">\(tick.text)</span>"
        }
        for gap in gaps { html += "<i style=\"--at:\(left((gap.lowerBound + gap.upperBound) / 2))\">\u{25B2}</i>" }
        return html + "</div>\n<i class=\"line\"></i></div>"
    }

    private func share(_ value: Double) -> String { max(0, min(1, value)).text(decimals: 4) }

    private static func row(_ title: String, _ about: String, _ plot: String, _ style: String) -> String {
        let title = SVG.escaped(title)
        return
            "<div class=\"strip \(style)\"><div class=\"name\"><b title=\"\(title)\">\(SVG.escaped(shortened(title)))</b> \(about)</div>"
            + "<div class=\"plot\">\(plot)</div></div>\n"
    }

    /// Names of topics differ at their ends, and often at their beginnings.
    private static func shortened(_ title: String) -> String {
        title.count <= 24 ? title : title.prefix(9) + "\u{2026}" + title.suffix(14)
    }

    private func row(_ strip: Strip, _ layout: Layout) -> String {
        let values = layout.values[strip.title] ?? strip.values
        if let text = strip.constant(of: values), !layout.isPair || values != nil {
            return Self.row(strip.title, "", "<span class=\"unit\">\(SVG.escaped(text))</span>", "flat")
        }
        switch strip.content {
        case .states(let states, let columns):
            var plot = ""
            let part = columns.seconds / layout.seconds
            for span in columns.spans where states.indices.contains(span.state) {
                let state = states[span.state]
                plot +=
                    "<span class=\"band\" style=\"--at:\(share(span.from * part));--to:\(share(span.to * part));"
                    + "background:var(--\(state.style))\">\(SVG.escaped(state.name))</span>"
            }
            let names = SVG.escaped(states.map(\.name).joined(separator: ","))
            let about = "<span class=\"unit\" data-names=\"\(names)\" \(Self.data(columns))></span>"
            return Self.row(strip.title, about, plot, "flat")
        case .numbers(let series, let marks):
            guard let axis = (layout.shown[strip.title] ?? values).map(strip.axis) else { return "" }
            // Numbers as exact as can be seen.
            var decimals = 0
            while decimals < 6, (axis.high - axis.low) * Double(repeating(10, decimals)) < 200 { decimals += 1 }
            var svg = SVG(width: 840, height: 50, title: "", description: "")
            func y(_ value: Double) -> Double { 1 + axis.share(value) * 48 }
            for mark in marks where mark >= axis.low && mark <= axis.high {
                svg.line(SIMD2(0, y(mark)), SIMD2(840, y(mark)), "soft dash")
            }
            var about = series.count > 1 ? "<span class=\"unit\">\(SVG.escaped(strip.unit))</span>" : ""
            for (place, one) in series.enumerated() {
                let style = "s\(place % SVG.seriesCount)"
                Self.draw(one.columns, style, x: { $0 / layout.seconds * 840 }, y: y, on: &svg)
                let name = SVG.escaped(series.count > 1 ? one.name : strip.unit)
                let colour = series.count > 1 ? " style=\"color:var(--\(style))\"" : ""
                about += " <span class=\"unit\"\(colour) \(Self.data(one.columns, decimals))>\(name)</span>"
            }
            let plot =
                svg.plot + "<span class=\"top\">\(axis.ticks.text(axis.high))</span>"
                + "<span class=\"low\">\(axis.ticks.text(axis.low))</span>"
            return Self.row(strip.title, about, plot, "")
        }
    }

    private func repeating(_ base: Int, _ count: Int) -> Int { (0..<count).reduce(1) { value, _ in value * base } }

    /// The mean of each column, `*` and how often it comes; a script shows them at the cursor.
    private static func data(_ columns: TimeColumns, _ decimals: Int) -> String {
        let texts = columns.columns.map { $0.count > 0 ? $0.mean.text(decimals: decimals) : "" }
        return data(texts, columns.seconds) + " data-reach=\"\(columns.reach)\""
    }

    private static func data(_ columns: StateColumns) -> String {
        data(columns.columns.map { $0.map { "\($0)" } ?? "" }, columns.seconds)
            + " data-reach=\"\(columns.columns.count)\""
    }

    private static func data(_ texts: [String], _ seconds: Double) -> String {
        var runs: [(text: String, count: Int)] = []
        for text in texts {
            if runs.last?.text == text { runs[runs.count - 1].count += 1 } else { runs.append((text, 1)) }
        }
        let values = runs.map { $0.count > 1 ? "\($0.text)*\($0.count)" : $0.text }.joined(separator: ",")
        return "data-values=\"\(values)\" data-seconds=\"\(seconds.text(decimals: 3))\""
    }
}
