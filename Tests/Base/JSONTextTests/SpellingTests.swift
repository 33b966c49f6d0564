import Testing
import Text

@Suite("Words that were meant")
struct SpellingTests {
    @Test(arguments: [
        ("colmpa", "colmap"), ("TUM", "tum"), ("stray", "stray-scanner"), ("tu", "tum"), ("open", "open3d"),
        ("nothing", nil), ("s", nil), ("", nil),
    ])
    func nearest(word: String, expected: String?) {
        let known = ["colmap", "tum", "stray-scanner", "scan-package", "open3d", "euroc-rgbd"]
        #expect(Spelling.nearest(to: word, among: known) == expected)
        #expect(Spelling.nearest(to: word, among: []) == nil)
    }

    @Test("one of two that begin so is not chosen")
    func ambiguous() {
        #expect(Spelling.nearest(to: "record", among: ["recorders", "recordings-of"]) == nil)
    }

    @Test func signsBetweenPartsAreOfNoMatter() {
        let known = ["3d-scanner-app", "ios-logger", "transforms-json"]
        #expect(Spelling.match("3D Scanner App", among: known) == known[0])
        #expect(Spelling.match("ios_logger", among: known) == known[1])
        #expect(Spelling.match("Transforms.JSON", among: known) == known[2])
        #expect(Spelling.match("logger", among: known) == nil)
    }
}
