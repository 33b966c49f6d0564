import Messages
import Testing
import Translation

@Suite struct TopicNamingTests {
    @Test func everythingWithoutAWord() {
        let selection = TopicSelection()
        #expect(TopicKind.allCases.allSatisfy { selection.contains($0.rawValue) })
    }

    @Test func listsAndPatternsAddUp() throws {
        var selection = TopicSelection()
        selection.only = ["/tf"]
        selection.pattern = try NamePattern("gps")
        #expect(selection.contains("/tf") && selection.contains("/mapping/gps/fix"))
        #expect(!selection.contains("/tf_static") && !selection.contains("/mapping/pose"))
    }

    @Test func exclusionWins() throws {
        var selection = TopicSelection()
        selection.only = ["/tf", "/mapping/pose"]
        selection.excluded = ["/tf"]
        #expect(!selection.contains("/tf") && selection.contains("/mapping/pose"))
        selection.excludedPattern = try NamePattern("/pose$")
        #expect(!selection.contains("/mapping/pose"))
        var all = TopicSelection()
        all.excludedPattern = try NamePattern("^/mapping/(camera|depth)/")
        #expect(!all.contains("/mapping/camera/camera_info") && all.contains("/mapping/pointcloud/lidar"))
    }

    @Test func whatIsNotThereIsNamedWithWhatIsNearest() throws {
        let names = ["/tf", "/mapping/imu", "/mapping/odom", "/mapping/pose", "/a", "/b"]
        var selection = TopicSelection()
        #expect(selection.unmatched(in: names, of: "the bag", remaps: []).isEmpty)
        selection.only = ["/tf", "/pose"]
        selection.excluded = ["/nope", "/a"]
        selection.pattern = try NamePattern("imu$")
        selection.excludedPattern = try NamePattern("^/x")
        let remaps = [TopicRemap(from: "/c", to: "/d"), TopicRemap(from: "/b", to: "/d")]
        #expect(selection.unmatched(in: names, of: "the bag", remaps: remaps).count == 4)
        let texts = selection.unmatched(in: names, of: "the bag", offered: ["/tf"], remaps: remaps, types: ["/e"])
        let asked = texts.map { text in text.prefix { $0 != ":" } }
        #expect(
            asked == [
                "--topics /pose", "--exclude-topics /nope", "--remap /c", "--type /e", "--regex imu$",
                "--exclude-regex ^/x",
            ]
        )
        #expect(texts[0].contains("expected a topic of the bag (/mapping/pose, ") && texts[0].contains(", ...)"))
        #expect(texts[4].contains("expected to be found in a topic (/tf), found in none"))
        #expect(selection.unmatched(in: [], of: "the bag", remaps: [])[0].contains("a topic of the bag, found none"))
    }

    @Test(arguments: ["(", "[a", "*"])
    func badPatternIsAnError(text: String) {
        #expect(throws: (any Error).self) { try NamePattern(text) }
    }

    @Test func remapsComeFirstAndTheLastOneWins() {
        var naming = TopicNaming()
        #expect(naming.name(.imu) == "/mapping/imu")
        naming.remaps = [TopicRemap(from: "/mapping/imu", to: "/a"), TopicRemap(from: "/mapping/imu", to: "/imu/data")]
        #expect(naming.name(.imu) == "/imu/data" && naming.name(.pose) == "/mapping/pose")
        naming.namespace = "/robot1"
        #expect(naming.name(.imu) == "/imu/data")
        #expect(naming.name(.pose) == "/robot1/mapping/pose")
    }

    @Test(arguments: ["robot1", "/robot1", "/robot1/", "robot1/"])
    func namespaceIsPutBeforeAllButWhatIsShared(namespace: String) {
        var naming = TopicNaming()
        naming.namespace = namespace
        #expect(naming.name(.pose) == "/robot1/mapping/pose")
        #expect([.transforms, .staticTransforms, .clock].map { naming.name($0) } == ["/tf", "/tf_static", "/clock"])
    }
}
