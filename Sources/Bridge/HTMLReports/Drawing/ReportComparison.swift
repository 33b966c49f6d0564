import Text

/// The pages of two recordings beside each other: the same strips with the same scales, and maps of one scale.
package struct ReportComparison: Sendable {
    private let pages: [ReportPage]

    package init(_ first: ReportPage, _ second: ReportPage) { pages = [first, second] }

    /// The page as UTF-8.
    package var bytes: [UInt8] {
        var frame = ReportPage(title: pages.map(\.title).joined(separator: " and "), subtitle: "")
        var body = "<header>\n<h1>\(SVG.escaped(frame.title))</h1>\n</header>\n<main>\n"
        body += beside(pages.map(head))
        let sections = pages.map(\.sections)
        body += section("facts", "Facts", ReportPage.table(factRows))
        for id in chartIDs {
            let both = sections.map { $0.first { $0.id == id } }
            let charts = both.map { $0?.figures.compactMap(\.chart).first }
            let layout = StripChart.Layout(charts.compactMap { $0 })
            let html = charts.map { $0?.html(layout) ?? "<p>Not here.</p>" }
            body += section(id, both.compactMap { $0 }.first?.title ?? id, beside(html))
        }
        let sheets = sections.map { $0.first { $0.id == "images" && $0.place != .absent } }
        if sheets.contains(where: { $0 != nil }) {
            let html = sheets.map { ($0?.figures ?? []).map(ReportPage.html).joined() }
            body += section("images", "Images", beside(html))
        }
        body += "</main>\n"
        let cursors = pages.compactMap(\.cursor)
        if let longest = cursors.map(\.seconds).max(), let first = cursors.first {
            // Two recordings have no one time of day.
            frame.cursor = ReportPage.Cursor(seconds: longest, begins: 0, view: first.view, way: "")
            body += frame.bar
        }
        body += "<footer><p>\(SVG.escaped(pages.map(\.footer).joined(separator: " ")))</p></footer>\n"
        for (place, page) in pages.enumerated() {
            if let cursor = page.cursor { body += ReportPage.block("way\(place)", cursor.way) }
        }
        return frame.document(body)
    }

    /// Verdict, facts and map of one of them.
    private func head(_ page: ReportPage) -> String {
        let scales = pages.map { $0.sections.flatMap(\.figures).compactMap(\.metreScale).first }
        let least = scales.compactMap { $0 }.min() ?? 1
        var html = "<h2>\(SVG.escaped(page.title))</h2>\n<p class=\"sub\">\(SVG.escaped(page.subtitle))</p>\n"
        html += "<p class=\"verdict \(page.verdict.tone.rawValue)\">\(SVG.escaped(page.verdict.text))</p>\n"
        html += ReportPage.list(page.facts.prefix(4))
        for figure in page.sections.filter({ $0.place == .first }).flatMap(\.figures) {
            let width = (100 * least / (figure.metreScale ?? least)).text(decimals: 1)
            html += "<div style=\"width:\(width)%\">\(ReportPage.html(figure))</div>\n"
        }
        return html + "<aside class=\"now\" aria-label=\"At the cursor: \(SVG.escaped(page.title))\" hidden>"
            + "<button type=\"button\" class=\"shown\"></button><p></p></aside>\n"
    }

    private func beside(_ parts: [String]) -> String {
        let columns = parts.enumerated().map { "<div data-of=\"\($0.offset)\">\n\($0.element)</div>\n" }
        return "<div class=\"pair\">\n\(columns.joined())</div>\n"
    }

    private func section(_ id: String, _ title: String, _ content: String) -> String {
        let id = SVG.escaped(id)
        return
            "<section id=\"\(id)\" aria-labelledby=\"\(id)-title\">\n<h2 id=\"\(id)-title\">\(SVG.escaped(title))</h2>\n"
            + "\(content)</section>\n"
    }

    /// Sections with strips, in the order of the first page, then what only the second has.
    private var chartIDs: [String] {
        var ids: [String] = []
        for section in pages.flatMap(\.sections) where section.figures.contains(where: { $0.chart != nil }) {
            if !ids.contains(section.id) { ids.append(section.id) }
        }
        return ids
    }

    private var factRows: [ReportPage.Row] {
        var names: [String] = []
        for fact in pages.flatMap(\.facts) where !names.contains(fact.name) { names.append(fact.name) }
        let rows = names.map { name in
            ReportPage.Row([name] + pages.map { page in page.facts.first { $0.name == name }?.value ?? "" })
        }
        return [ReportPage.Row(["fact"] + pages.map(\.title))] + rows
    }
}
