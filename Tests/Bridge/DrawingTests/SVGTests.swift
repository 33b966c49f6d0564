import Foundation
import FoundationXML
import HTMLReports
import Testing
import Text

/// Pictures are sound XML whatever is written into them.
@Suite struct SVGTests {
    private final class Elements: NSObject, XMLParserDelegate {
        var names: [String] = []
        var texts = ""

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String] = [:]
        ) {
            names.append(name)
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) { texts += text }
    }

    @Test(
        "names with markup, quotes and control characters stay text",
        arguments: [
            "</text><script>alert(1)</script>", "\" onload=\"x", "' & <![CDATA[", "a\u{0}b\u{1B}[31m\u{FFFE}",
            "\u{202E}gpj",
        ]
    )
    func hostileText(name: String) throws {
        var svg = SVG(width: 100, height: 50, title: name, description: name)
        svg.text(name, SIMD2(1, 2), name)
        svg.circle(SIMD2(3, 4), radius: 2, name, hint: name)
        svg.rectangle(SIMD2(3, 4), SIMD2(2, 2), "", hint: name)
        svg.path([SIMD2(0, 0), SIMD2(.nan, 1), SIMD2(1e300, .infinity), SIMD2(5, 5)], name)
        svg.image(name, .zero, SIMD2(1, 1))
        for text in [svg.file, svg.element] {
            let elements = Elements()
            let parser = XMLParser(data: Data(text.utf8))
            parser.delegate = elements
            #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "") \(text)")
            let known: Set = ["svg", "title", "desc", "style", "rect", "text", "circle", "path", "image"]
            #expect(Set(elements.names).isSubset(of: known), "\(elements.names)")
            #expect(elements.names.count { $0 == "text" } == 1)
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
            #expect(!text.contains("nan") || name.contains("nan"))
        }
    }

    @Test("lines leave out points that nobody can see, and never their ends")
    func simplifies() {
        var svg = SVG(width: 10, height: 10, title: "", description: "")
        svg.path((0...1000).map { SIMD2(Double($0) / 100, 0) }, "s0")
        let data = svg.element.split(separator: "d=\"")[1].prefix { $0 != "\"" }
        let points = data.split { "ML".contains($0) }
        #expect((20...40).contains(points.count) && points.first == "0 0" && points.last == "10 0")
    }

    @Test(
        "ticks are round, within their span and not more than wanted by far",
        arguments: [
            (0.0, 1.0, 5), (-3.7, 12.2, 8), (0.001, 0.0042, 4), (1e6, 1.7e6, 6), (5, 5, 3), (0, 1e-12, 4),
            (-1e18, 1e18, 5),
        ]
    )
    func ticks(low: Double, high: Double, count: Int) {
        let ticks = Ticks(from: low, to: high, count: count)
        #expect(ticks.values.allSatisfy { $0 >= low - 1e-12 && $0 <= high + 1e-12 })
        #expect(
            ticks.values.count <= 1000 && (high - low < 1e-6 || high - low > 1e15 || ticks.values.count >= count / 2)
        )
        #expect(zip(ticks.values, ticks.values.dropFirst()).allSatisfy { $1 > $0 })
        for value in ticks.values where high - low > 1e-6 && high < 1e15 {
            #expect(abs((Double(ticks.text(value)) ?? .nan) - value) < 1e-9 * max(1, abs(value)))
        }
    }

    @Test("a view from above has one scale, shows all points, and has y up")
    func planView() {
        let points = [SIMD2(-2.0, 1), SIMD2(8, 3), SIMD2(.nan, 0), SIMD2(3, -4)]
        let view = PlanView(points, in: (50, 20, 650, 420))
        for point in points where point.x.isFinite {
            let pixel = view.pixel(point)
            #expect((50...650).contains(pixel.x) && (20...420).contains(pixel.y))
        }
        let step = view.pixel(SIMD2(1, 1)) - view.pixel(SIMD2(0, 0))
        #expect(abs(step.x - view.scale) < 1e-9 && abs(step.y + view.scale) < 1e-9)
        #expect(PlanView([], in: (0, 0, 10, 10)).scale == 10)
    }
}
