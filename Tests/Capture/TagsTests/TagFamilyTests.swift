import Perception
import Testing

@Suite("Families of tags")
struct TagFamilyTests {
    @Test("the printed tag 0 of 36h11 is the one that everybody prints")
    func pattern() throws {
        let pattern = try #require(TagFamily.tag36h11.pattern(of: 0))
        #expect(pattern.cells == 10 && pattern.borderCells == 8)
        // From the picture of tag36_11_00000 in AprilTag's collection: # is white.
        let rows = (0..<10).map { row in
            String((0..<10).map { pattern.isWhite[row * 10 + $0] ? "#" : "." } as [Character])
        }
        #expect(rows.first == "##########" && rows[1] == "#........#" && rows.last == "##########")
    }

    @Test("numbers that a family does not have have no pattern", arguments: TagFamily.allCases)
    func range(_ family: TagFamily) {
        #expect(family.pattern(of: 0) != nil)
        #expect(family.pattern(of: -1) == nil && family.pattern(of: 1_000_000) == nil)
    }
}
