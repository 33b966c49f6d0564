import Testing
import Text

/// Colours of numbers and of heights.
@Suite struct ColourMapTests {
    /// The terms of the polynomial in the script of both pages, from the lowest.
    private static func terms() throws -> [SIMD3<Double>] {
        let script = PageFiles.reportScript
        let start = try #require(script.firstRange(of: "vec3 ramp(float v) {"))
        let end = try #require(script[start.upperBound...].firstRange(of: "}"))
        let number = "(-?[0-9]*[.][0-9]*)"
        let vector = try Regex(
            "vec3\\(\(number), \(number), \(number)\\)",
            as: (Substring, Substring, Substring, Substring).self
        )
        return try script[start.upperBound..<end.lowerBound].matches(of: vector).map { match in
            let (_, x, y, z) = match.output
            return SIMD3(try #require(Double(x)), try #require(Double(y)), try #require(Double(z)))
        }
    }

    @Test("the ramp of the pages' script is that of what is written")
    func ramp() throws {
        let terms = try Self.terms()
        try #require(terms.count == 7)
        for step in 0...255 {
            let value = Double(step) / 255
            let shown = terms.reversed().reduce(SIMD3<Double>.zero) { $0 * value + $1 } * 255
            let (red, green, blue) = ColourMap.viridis.colour(value)
            for (part, byte) in zip([shown.x, shown.y, shown.z], [red, green, blue]) {
                #expect(abs(max(0, min(255, part)) - Double(byte)) < 1, "\(step)")
            }
        }
    }

    @Test("nearly all heights are within the colours, whatever a few stray ones are; what is flat has one colour")
    func heights() {
        let room = (0...1000).map { Float($0) / 400 - 1 }
        let colours = HeightColours(room + [-50, 90])
        #expect(colours.colour(-50) == colours.colour(-1) && colours.colour(90) == colours.colour(1.5))
        #expect(Set(room.map(colours.colour)).count > 150)
        let (red, green, blue) = ColourMap.viridis.colour(0.5)
        let middle = UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
        #expect(HeightColours([2, 2, 2]).colour(2) == middle)
        #expect(HeightColours([]).colour(0) == middle)
    }
}
