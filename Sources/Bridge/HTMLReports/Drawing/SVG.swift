import Text

/// An SVG picture, written element by element, in units of pixels with y down.
///
/// Each element has a class, whose colour is set by ``style`` or by the page that contains the picture. All text is
/// escaped, and the same calls give the same bytes.
package struct SVG: Sendable {
    package let width: Double
    package let height: Double
    private let title: String
    private let description: String
    /// Attributes of the element, which a script reads: `data-` and a name.
    package var data: [(name: String, value: String)] = []
    private var body = ""

    /// - Parameters:
    ///   - title: What the picture is called by a screen reader.
    ///   - description: What it shows, in a sentence.
    package init(width: Double, height: Double, title: String, description: String) {
        self.width = width
        self.height = height
        self.title = title
        self.description = description
    }

    package mutating func line(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ style: String) {
        path([a, b], style)
    }

    /// A line through points; what is nearer than a third of a pixel to the point before it is left out.
    package mutating func path(_ points: [SIMD2<Double>], _ style: String, closes: Bool = false) {
        guard let data = Self.data(points) else { return }
        body += "<path class=\"\(Self.escaped(style))\" d=\"\(data)\(closes ? "Z" : "")\"/>\n"
    }

    /// A line in a colour of its own (`#rrggbb`).
    package mutating func path(_ points: [SIMD2<Double>], colour: String, width: Double) {
        guard let data = Self.data(points) else { return }
        body += "<path style=\"stroke:\(Self.escaped(colour));stroke-width:\(Self.number(width))\" d=\"\(data)\"/>\n"
    }

    private static func data(_ points: [SIMD2<Double>]) -> String? {
        var data = ""
        var last: SIMD2<Double>?
        for (index, point) in points.enumerated() {
            guard point.x.isFinite, point.y.isFinite else { continue }
            if let last, index < points.count - 1 {
                let step = point - last
                if (step * step).sum() < 0.1 { continue }
            }
            data += last == nil ? "M" : "L"
            data += number(point.x) + " " + number(point.y)
            last = point
        }
        return data.isEmpty ? nil : data
    }

    /// Lines from point to point, in one element.
    package mutating func bars(_ bars: [(SIMD2<Double>, SIMD2<Double>)], _ style: String) {
        let data = bars.filter { $0.0.x.isFinite && $0.0.y.isFinite && $0.1.x.isFinite && $0.1.y.isFinite }.map {
            a,
            b in
            "M\(Self.number(a.x)) \(Self.number(a.y))L\(Self.number(b.x)) \(Self.number(b.y))"
        }
        guard !data.isEmpty else { return }
        body += "<path class=\"\(Self.escaped(style)) bar\" d=\"\(data.joined())\"/>\n"
    }

    /// - Parameter hint: Shown while the pointer is over it.
    package mutating func circle(_ centre: SIMD2<Double>, radius: Double, _ style: String, hint: String? = nil) {
        guard centre.x.isFinite, centre.y.isFinite else { return }
        body +=
            "<circle class=\"\(Self.escaped(style))\" cx=\"\(Self.number(centre.x))\" cy=\"\(Self.number(centre.y))\" "
        body += "r=\"\(Self.number(radius))\"" + Self.hint(hint, "circle")
    }

    package mutating func rectangle(
        _ origin: SIMD2<Double>,
        _ size: SIMD2<Double>,
        _ style: String,
        hint: String? = nil
    ) {
        guard origin.x.isFinite, origin.y.isFinite, size.x.isFinite, size.y.isFinite else { return }
        body += "<rect class=\"\(Self.escaped(style))\" x=\"\(Self.number(origin.x))\" y=\"\(Self.number(origin.y))\" "
        body += "width=\"\(Self.number(max(0, size.x)))\" height=\"\(Self.number(max(0, size.y)))\""
        body += Self.hint(hint, "rect")
    }

    /// Where a text stands to its place.
    package enum Anchor: String, Sendable {
        case start
        case middle
        case end
    }

    package mutating func text(_ text: String, _ place: SIMD2<Double>, _ style: String, _ anchor: Anchor = .start) {
        guard place.x.isFinite, place.y.isFinite else { return }
        body += "<text class=\"\(Self.escaped(style))\" x=\"\(Self.number(place.x))\" y=\"\(Self.number(place.y))\""
        if anchor != .start { body += " text-anchor=\"\(anchor.rawValue)\"" }
        body += ">\(Self.escaped(text))</text>\n"
    }

    /// A picture of pixels, as a `data:` address.
    ///
    /// - Parameter keepsShape: True if the picture is centred in its place rather than stretched to fill it.
    package mutating func image(
        _ address: String,
        _ origin: SIMD2<Double>,
        _ size: SIMD2<Double>,
        keepsShape: Bool = false
    ) {
        body += "<image x=\"\(Self.number(origin.x))\" y=\"\(Self.number(origin.y))\" width=\"\(Self.number(size.x))\" "
        body += "height=\"\(Self.number(size.y))\"\(keepsShape ? "" : " preserveAspectRatio=\"none\"") "
        body += "href=\"\(Self.escaped(address))\"/>\n"
    }

    /// The lines alone, stretched over whatever they stand in: text beside them keeps its size.
    package var plot: String {
        "<svg viewBox=\"0 0 \(Self.number(width)) \(Self.number(height))\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
            + "\(body)</svg>"
    }

    /// The element, for a page that has the colours.
    package var element: String { element("") }

    /// A file of its own, with its colours in light and dark.
    package var file: String { file(Self.style) }

    /// A file of its own in light alone, for programs that know no media queries.
    package var lightFile: String { file(Self.lightStyle) }

    private func file(_ style: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            + element("<style>\(style)</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n") + "\n"
    }

    private func element(_ head: String) -> String {
        let size = "width=\"\(Self.number(width))\" height=\"\(Self.number(height))\""
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Self.number(width)) \(Self.number(height))\" "
            + "\(size)\(data.map { " data-\($0.name)=\"\(Self.escaped($0.value))\"" }.joined()) role=\"img\" aria-label=\"\(Self.escaped("\(title): \(description)"))\">\n"
            + "<title>\(Self.escaped(title))</title>\n<desc>\(Self.escaped(description))</desc>\n\(head)\(body)</svg>"
    }

    private static func hint(_ hint: String?, _ element: String) -> String {
        hint.map { "><title>\(escaped($0))</title></\(element)>\n" } ?? "/>\n"
    }

    private static func number(_ value: Double) -> String {
        let text = max(-1e6, min(1e6, value)).text(decimals: 1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// For text and attributes of HTML and XML; characters that XML does not have become question marks.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\t", "\n": result.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": result += "?"
            // Marks that turn the direction of what follows.
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": result += "?"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension SVG {
    /// How many colours there are for things of one kind: `s0`, `s1` and so on.
    package static let seriesCount = 8

    /// A class: what is filled with the colour, and which lines have it.
    private struct Colour {
        var name: String
        var light: String
        var dark: String
    }

    /// The series are after Okabe and Ito, which the colour-blind can tell apart, dark enough for text (4.5 to 1 by WCAG).
    private static let colours = [
        Colour(name: "paper", light: "#ffffff", dark: "#14181d"),
        Colour(name: "ink", light: "#1b1f24", dark: "#e6edf3"),
        Colour(name: "soft", light: "#59636e", dark: "#9aa5b1"),
        Colour(name: "grid", light: "#d8dee4", dark: "#323a44"),
        Colour(name: "warn", light: "#b42318", dark: "#ff7b6e"),
        Colour(name: "good", light: "#1a7f37", dark: "#56d364"),
        Colour(name: "gap", light: "#b42318", dark: "#ff7b6e"),
        Colour(name: "onband", light: "#ffffff", dark: "#14181d"),
        Colour(name: "s0", light: "#0072b2", dark: "#56a9e8"), Colour(name: "s1", light: "#bf5300", dark: "#f2894a"),
        Colour(name: "s2", light: "#00805d", dark: "#3dc79c"), Colour(name: "s3", light: "#b04f85", dark: "#e59cc6"),
        Colour(name: "s4", light: "#8a6d00", dark: "#d8b733"), Colour(name: "s5", light: "#1f7aad", dark: "#8fd0f5"),
        Colour(name: "s6", light: "#7a4fb5", dark: "#b596e8"), Colour(name: "s7", light: "#5b5b5b", dark: "#b0b0b0"),
    ]

    /// The same for pages: `--ink` and so on.
    package static let variables = """
        :root{color-scheme:light dark;\(variables(\.light))}
        @media screen and (prefers-color-scheme:dark){:root{\(variables(\.dark))}}
        """

    private static func variables(_ shade: KeyPath<Colour, String>) -> String {
        colours.map { "--\($0.name):\($0[keyPath: shade])" }.joined(separator: ";")
    }

    /// The colours of all classes, light, and dark where the reader wants that; variables are unknown to most but browsers.
    package static let style = lightStyle + "\n@media screen and (prefers-color-scheme:dark){\(rules(\.dark))}"

    /// The same in light alone.
    package static let lightStyle = """
        svg text{font:12px system-ui,sans-serif}
        svg .head{font-weight:600;font-size:14px;paint-order:stroke;stroke-width:4;stroke-linejoin:round}
        svg path.under{stroke-width:6;opacity:.85}
        svg path{fill:none;stroke-width:1.5;stroke-linejoin:round}
        svg path.grid,svg path.soft{stroke-width:1}svg path.dash{stroke-dasharray:4 3}svg path.thick{stroke-width:3}\
        svg .gap{opacity:.2}svg path.bar{stroke-width:1;opacity:.35}
        \(rules(\.light))
        """

    private static func rules(_ shade: KeyPath<Colour, String>) -> String {
        let ink = colours.first { $0.name == "ink" }?[keyPath: shade] ?? ""
        let soft = colours.first { $0.name == "soft" }?[keyPath: shade] ?? ""
        let paper = colours.first { $0.name == "paper" }?[keyPath: shade] ?? ""
        return "svg text{fill:\(ink)}svg text.head,svg path.under{stroke:\(paper)}svg path{stroke:\(ink)}"
            + "svg .halo{fill:none;stroke:\(soft);opacity:.3}"
            + colours.map { colour in
                let value = colour[keyPath: shade]
                return "svg .\(colour.name){fill:\(value)}svg path.\(colour.name){fill:none;stroke:\(value)}"
            }.joined()
    }
}
