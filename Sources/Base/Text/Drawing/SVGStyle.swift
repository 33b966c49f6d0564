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
