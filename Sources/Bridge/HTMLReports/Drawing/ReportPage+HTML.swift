import Sessions
import Text

extension ReportPage {
    /// The page as UTF-8.
    package var bytes: [UInt8] {
        var body = "<header>\n<h1>\(SVG.escaped(title))</h1>\n<p class=\"sub\">\(SVG.escaped(subtitle))</p>\n"
        body += answer + "</header>\n<main>\n"
        for section in sections where section.place == .first { body += html(section) }
        if facts.count > factCount { body += Self.folded("More facts", Self.list(facts.dropFirst(factCount))) }
        body += findingList
        let below = sections.filter { $0.place == .open || $0.place == .closed }
        if below.count > 1 {
            body += "<nav aria-label=\"Contents\"><ul>\n"
            for section in below {
                body += "<li><a href=\"#\(SVG.escaped(section.id))\">\(SVG.escaped(section.title))</a></li>\n"
            }
            body += "</ul></nav>\n"
        }
        for section in below { body += html(section) }
        body += absences + "</main>\n" + bar + "<footer><p>\(SVG.escaped(footer))</p></footer>\n"
        body += "<script type=\"application/json\" id=\"report\">\(Self.scriptText(json.text()))</script>\n"
        if let cursor { body += Self.block("way0", cursor.way) }
        for block in blocks { body += Self.block(block.id, block.base64) }
        return document(body)
    }

    /// How many facts are seen at once.
    private var factCount: Int { cursor == nil ? facts.count : 4 }

    /// The frame of a page: head, style, and the script where there is a cursor.
    func document(_ body: String) -> [UInt8] {
        let policy =
            "default-src 'none'; img-src data:\(showsFiles ? " 'self' file:" : ""); style-src 'unsafe-inline'"
            + (cursor == nil ? "" : "; script-src 'unsafe-inline'")
        let html = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(policy)">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="generator" content="mapeverything">
            <title>\(SVG.escaped(title))</title>
            <style>
            \(SVG.variables)
            \(PageFiles.reportStyle)
            \(SVG.style)
            </style>
            </head>
            <body>
            \(body)\(cursor == nil ? "" : "<script>\(PageFiles.reportScript)</script>\n")</body>
            </html>

            """
        return Array(html.utf8)
    }

    static func block(_ id: String, _ base64: String) -> String {
        "<script type=\"application/octet-stream\" id=\"\(SVG.escaped(id))\">\(base64)</script>\n"
    }

    /// Whether it is sound and what helps, what is in it, and beside that what to type next.
    private var answer: String {
        let more = findings.isEmpty ? "" : " <a href=\"#findings\">What was found</a>"
        var html = "<div class=\"answer\">\n<div>\n<div class=\"verdict \(verdict.tone.rawValue)\">"
        html += "<p>\(SVG.escaped(verdict.text))\(more)</p>"
        if let worst = findings.first, worst.tone == .warn, !worst.advice.isEmpty {
            html += "<p class=\"sub\">\(Self.marked(worst.advice))</p>"
        }
        html += "</div>\n\(streamList)\(Self.list(facts.prefix(factCount)))</div>\n"
        if !commands.isEmpty {
            let lines = commands.map { command in
                "<li><code>\(SVG.escaped(command.line))</code> "
                    + "<button type=\"button\" class=\"copy\" aria-label=\"Copy: \(SVG.escaped(command.purpose))\" hidden>Copy</button>"
                    + "<br><span class=\"sub\">\(SVG.escaped(command.purpose))</span></li>\n"
            }
            html += "<ul class=\"next\" aria-label=\"Commands that fit it\">\n\(lines.joined())</ul>\n"
        }
        return html + "</div>\n"
    }

    /// A mark for each stream, which leads to its section.
    private var streamList: String {
        guard !streams.isEmpty else { return "" }
        let marks = streams.map { share, id in
            let text = "\(SVG.escaped(share.name)) <b>\(SVG.escaped(share.text))</b>"
            let isThere = sections.contains { $0.id == id && $0.place != .absent }
            return "<li class=\"\(share.amount.rawValue)\">"
                + (isThere ? "<a href=\"#\(SVG.escaped(id))\">\(text)</a>" : text) + "</li>\n"
        }
        return "<ul class=\"streams\" aria-label=\"Streams\">\n\(marks.joined())</ul>\n"
    }

    static func list(_ facts: some Collection<(name: String, value: String)>) -> String {
        guard !facts.isEmpty else { return "" }
        let items = facts.map { "<div><dt>\(SVG.escaped($0.name))</dt><dd>\(SVG.escaped($0.value))</dd></div>\n" }
        return "<dl class=\"facts\">\n\(items.joined())</dl>\n"
    }

    private static func folded(_ title: String, _ content: String) -> String {
        "<details><summary>\(title)</summary>\n\(content)</details>\n"
    }

    var findingList: String {
        guard !findings.isEmpty else { return "" }
        var html = "<section id=\"findings\" aria-labelledby=\"findings-title\">\n"
        html += "<h2 id=\"findings-title\">What was found</h2>\n<ul class=\"findings\">\n"
        for finding in findings {
            html += "<li class=\"\(finding.tone.rawValue)\">\(SVG.escaped(finding.text))"
            if !finding.advice.isEmpty { html += "<br><span class=\"sub\">\(Self.marked(finding.advice))</span>" }
            html += "</li>\n"
        }
        return html + "</ul>\n</section>\n"
    }

    /// Advice, with the commands in it as code.
    private static func marked(_ advice: String) -> String {
        advice.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
            let text = SVG.escaped(String(part))
            return index.isMultiple(of: 2) ? text : "<code>\(text)</code>"
        }.joined()
    }

    private var absences: String {
        let absent = sections.filter { $0.place == .absent }
        guard !absent.isEmpty else { return "" }
        let texts = absent.map { "\($0.title): \($0.notes.joined(separator: " "))" }
        return "<p class=\"sub\" id=\"absent\">Not on this page. \(SVG.escaped(texts.joined(separator: " ")))</p>\n"
    }

    /// Steps through time; without scripts it is not shown.
    var bar: String {
        guard let cursor else { return "" }
        return """
            <div id="bar" class="bar" role="region" aria-label="Time" hidden data-seconds="\(cursor.seconds.text(decimals: 3))" \
            data-begins="\(cursor.begins / 1_000_000)" \
            data-view="\(cursor.view.x.text(decimals: 4)),\(cursor.view.y.text(decimals: 4))">
            <button type="button" id="back" aria-label="One frame back">\u{2039}</button>
            <input type="range" id="when" min="0" max="1" step="1" value="0" aria-label="Time in the recording">
            <button type="button" id="ahead" aria-label="One frame on">\u{203A}</button>
            <output id="clock" for="when"></output>
            </div>
            <dialog id="large" aria-label="Image"><p></p><form method="dialog"><button>Close</button></form></dialog>

            """
    }

    private func html(_ section: Section) -> String {
        let id = SVG.escaped(section.id)
        let title = "<h2 id=\"\(id)-title\">\(SVG.escaped(section.title))</h2>"
        var content = section.notes.map { "<p>\(SVG.escaped($0))</p>\n" }.joined()
        content += section.figures.map(Self.html).joined()
        if section.rows.count > 1 {
            let table = Self.table(section.rows)
            content += section.showsRows ? table : Self.folded("Numbers", table)
        }
        if section.place == .first, cursor != nil {
            content =
                "<div class=\"first\"><div>\(content)</div>\n<aside class=\"now\" data-of=\"0\" aria-label=\"At the cursor\" hidden>"
                + "<button type=\"button\" class=\"shown\"></button><p></p></aside></div>\n"
        }
        let isClosed = section.place == .closed
        return "<section id=\"\(id)\" aria-labelledby=\"\(id)-title\" data-of=\"0\">\n"
            + (isClosed ? "<details><summary>\(title)</summary>\n\(content)</details>\n" : "\(title)\n\(content)")
            + "</section>\n"
    }

    static func html(_ figure: Figure) -> String {
        let caption = figure.caption.isEmpty ? "" : "<figcaption>\(SVG.escaped(figure.caption))</figcaption>\n"
        return "<figure>\n\(figure.content)\n\(caption)</figure>\n"
    }

    static func table(_ rows: [Row]) -> String {
        // Columns of text stand on the left, those of numbers on the right.
        let isText = rows[0].cells.indices.map { column in
            rows.dropFirst().contains { row in
                row.cells.indices.contains(column) && !row.cells[column].isEmpty && Double(row.cells[column]) == nil
            }
        }
        func style(_ column: Int) -> String {
            isText.indices.contains(column) && isText[column] ? " class=\"text\"" : ""
        }
        var html = "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>"
        for (column, cell) in rows[0].cells.enumerated() {
            html += "<th scope=\"col\"\(style(column))>\(SVG.escaped(cell))</th>"
        }
        html += "</tr></thead>\n<tbody>\n"
        for row in rows.dropFirst() {
            html += "<tr>"
            for (place, cell) in row.cells.enumerated() {
                let cell = SVG.escaped(cell)
                html += place == 0 ? "<th scope=\"row\">\(head(row, cell))</th>" : "<td\(style(place))>\(cell)</td>"
            }
            html += "</tr>\n"
        }
        return html + "</tbody></table></div>\n"
    }

    /// The first cell of a row with its picture and what it leads to.
    private static func head(_ row: Row, _ cell: String) -> String {
        let picture = row.picture.map {
            "<img class=\"thumb\" loading=\"lazy\" alt=\"\" src=\"\(SVG.escaped($0))\">"
        }
        guard let link = row.link else { return (picture ?? "") + cell }
        return "<a href=\"\(SVG.escaped(link))\">\(picture ?? "")\(cell)</a>"
    }

    /// JSON in which no element of HTML can end or begin, and nothing turns the direction of a text.
    private static func scriptText(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                result += scalar.numberEscape()
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
