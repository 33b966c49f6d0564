/// A page of pictures and tables in one HTML file: no request, no library, readable without scripts, in the dark, on paper.
///
/// The same content gives the same bytes, and everything that is text is escaped.
package struct ReportPage: Sendable {
    /// How much of a verdict's colour something has.
    package enum Tone: String, Sendable {
        case good
        case warn
        case plain
    }

    /// A picture with what it shows.
    package struct Figure: Sendable {
        /// For a file of its own.
        package enum Picture: Sendable {
            case vector(SVG)
            /// The bytes of a PNG, and its size in pixels.
            case png([UInt8], size: SIMD2<Double>)
        }

        fileprivate let content: String
        fileprivate let caption: String
        package let picture: (name: String, picture: Picture)?

        package init(_ svg: SVG, name: String, caption: String = "") {
            self.init(html: svg.element, caption: caption, picture: (name, .vector(svg)))
        }

        /// - Parameter html: The content of the figure, HTML that was escaped.
        package init(html: String, caption: String = "", picture: (name: String, picture: Picture)? = nil) {
            content = html
            self.caption = caption
            self.picture = picture
        }
    }

    package struct Row: Sendable {
        package var cells: [String]
        /// The target of the first cell's link, and a picture before its text: relative addresses, percent-encoded.
        package var link: String?
        package var picture: String?

        package init(_ cells: String...) { self.cells = cells }
        package init(_ cells: [String]) { self.cells = cells }
    }

    package struct Section: Sendable {
        package var id: String
        package var title: String
        /// Short paragraphs, text.
        package var notes: [String] = []
        package var figures: [Figure] = []
        /// The numbers behind the pictures; the first row are the names of the columns.
        package var rows: [Row] = []
        /// True if the table is seen without being asked for.
        package var showsRows = false

        package init(_ id: String, _ title: String) {
            self.id = id
            self.title = title
        }
    }

    package var title: String
    package var subtitle: String
    package var verdict: (text: String, tone: Tone) = ("", .plain)
    /// Findings with what can be done about them.
    package var findings: [(tone: Tone, text: String, advice: String)] = []
    /// At the top: name and number.
    package var facts: [(name: String, value: String)] = []
    package var sections: [Section] = []
    package var footer = ""
    /// Everything as JSON, for machines.
    package var json = JSONValue.null
    /// At the end of the page; nil for a page without scripts.
    package var script: String?
    /// Blocks of data for the script, by identifier: base64.
    package var blocks: [(id: String, base64: String)] = []
    /// True if pictures of rows are files beside the page.
    package var showsFiles = false

    package init(title: String, subtitle: String) {
        self.title = title
        self.subtitle = subtitle
    }

    /// The page as UTF-8.
    package var bytes: [UInt8] {
        let policy =
            "default-src 'none'; img-src data:\(showsFiles ? " 'self' file:" : ""); style-src 'unsafe-inline'"
            + (script == nil ? "" : "; script-src 'unsafe-inline'")
        var html = """
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
            <header>
            <h1>\(SVG.escaped(title))</h1>
            <p class="sub">\(SVG.escaped(subtitle))</p>
            <p class="verdict \(verdict.tone.rawValue)">\(SVG.escaped(verdict.text))</p>

            """
        if !facts.isEmpty {
            html += "<dl class=\"facts\">\n"
            for fact in facts {
                html += "<div><dt>\(SVG.escaped(fact.name))</dt><dd>\(SVG.escaped(fact.value))</dd></div>\n"
            }
            html += "</dl>\n"
        }
        if !findings.isEmpty {
            html += "<ul class=\"findings\">\n"
            for finding in findings {
                html += "<li class=\"\(finding.tone.rawValue)\">\(SVG.escaped(finding.text))"
                if !finding.advice.isEmpty { html += "<br><span class=\"sub\">\(SVG.escaped(finding.advice))</span>" }
                html += "</li>\n"
            }
            html += "</ul>\n"
        }
        html += "</header>\n<nav aria-label=\"Contents\"><ul>\n"
        for section in sections {
            html += "<li><a href=\"#\(SVG.escaped(section.id))\">\(SVG.escaped(section.title))</a></li>\n"
        }
        html += "</ul></nav>\n<main>\n"
        for section in sections { html += Self.html(section) }
        html += "</main>\n<footer><p>\(SVG.escaped(footer))</p></footer>\n"
        html += "<script type=\"application/json\" id=\"report\">\(Self.scriptText(json.text()))</script>\n"
        for block in blocks {
            html +=
                "<script type=\"application/octet-stream\" id=\"\(SVG.escaped(block.id))\">\(block.base64)</script>\n"
        }
        if let script { html += "<script>\(script)</script>\n" }
        html += "</body>\n</html>\n"
        return Array(html.utf8)
    }

    private static func html(_ section: Section) -> String {
        let id = SVG.escaped(section.id)
        var html = "<section id=\"\(id)\" aria-labelledby=\"\(id)-title\">\n"
        html += "<h2 id=\"\(id)-title\">\(SVG.escaped(section.title))</h2>\n"
        for note in section.notes { html += "<p>\(SVG.escaped(note))</p>\n" }
        for figure in section.figures {
            html += "<figure>\n\(figure.content)\n"
            if !figure.caption.isEmpty { html += "<figcaption>\(SVG.escaped(figure.caption))</figcaption>\n" }
            html += "</figure>\n"
        }
        if section.rows.count > 1 {
            let table = Self.table(section.rows)
            html += section.showsRows ? table : "<details><summary>Numbers</summary>\n\(table)</details>\n"
        }
        return html + "</section>\n"
    }

    private static func table(_ rows: [Row]) -> String {
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

/// The readable parts of the pages that are written and served: files of the folder Pages, built into the command.
package enum PageFiles {
    /// The style of a report.
    static let reportStyle = text(PackageResources.report_css)

    /// The script that turns the cloud of a report.
    package static let cloudScript = viewer + text(PackageResources.cloud_js)

    /// What shows points, a way and cameras on both pages.
    private static let viewer =
        text(PackageResources.viewer_view_js) + text(PackageResources.viewer_hands_js)
        + text(PackageResources.viewer_js)

    /// The live page.
    ///
    /// - Parameter needsToken: true if the page has to ask for a token before it connects.
    package static func live(needsToken: Bool) -> String {
        let scripts = [
            PackageResources.live_scene_js, PackageResources.live_messages_js, PackageResources.live_panels_js,
            PackageResources.live_js,
        ]
        return text(PackageResources.live_html)
            .replacing("{{style}}", with: text(PackageResources.live_css))
            .replacing("{{token}}", with: needsToken ? "needed" : "none")
            .replacing("{{script}}", with: viewer + scripts.map(text).joined())
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
