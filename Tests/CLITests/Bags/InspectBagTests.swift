import Foundation
import Testing

/// `inspect` has what `ros2 bag info` and `mcap info` show.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct InspectBagTests {
    private let folder: Scratch
    private var bag: String { folder("bag") }

    init() throws { folder = try Scratch() }

    private func expect(_ text: String, _ patterns: [String]) {
        for pattern in patterns {
            let found = text.range(of: "(?m)" + pattern, options: .regularExpression) != nil
            #expect(found, "nothing like \(pattern) in\n\(text)")
        }
    }

    @Test(arguments: BagForm.all)
    func everythingOfBagInfo(form: BagForm) async throws {
        try await SampleBags.write(bag, form.options)
        let text = try await Command.succeed(["inspect", bag, "-v"])
        let file = try #require(try SampleBags.files(bag).first?.split(separator: "/").last)
        expect(
            text,
            [
                "^bag +\(bag)$", "^verdict +sound \\(rows and headers", "^storage +\(form.isMCAP ? "mcap" : "sqlite3")",
                "^messages +\(SampleBags.count),",
                "^files +1, [0-9.]+ [kM]B", "^duration +1\\.550 s", "^start +2026-01-01T12:00:00\\.000000000Z",
                "^end +2026-01-01T12:00:01\\.550000000Z", "^compression +", "^\(file) ",
                "^/mapping/pose +geometry_msgs/msg/PoseStamped +\(form.isJSON ? "rosbridge_json" : "cdr") +16 ",
                "^/tf_static .*transient local, last 1 +yes", "base_link +\\(16 transforms\\)",
            ]
        )
        for topic in SampleBags.topics { expect(text, ["^\(topic) "]) }
        // Before Jazzy metadata.yaml does not say.
        if !["humble", "iron"].contains(where: form.name.hasSuffix) { expect(text, ["^distribution +[a-z]+$"]) }
    }

    @Test("a first look is a page: at most ten facts and a line for each topic")
    func brief() async throws {
        for form in BagForm.all {
            let path = folder(form.name)
            try await SampleBags.write(path, form.options)
            let lines = try await Command.succeed(["inspect", path]).split(
                separator: "\n",
                omittingEmptySubsequences: false
            )
            let topics = lines.filter { $0.hasPrefix("/") }
            #expect(topics.count == SampleBags.topics.count, "\(lines)")
            #expect(
                lines.count <= topics.count + 14 && lines.count <= 30,
                "\(form.name): \(lines.joined(separator: "\n"))"
            )
            #expect(!lines.joined().contains("RIHS01"))
            if form.name.hasSuffix("of any") {
                expect(lines.joined(separator: "\n"), ["^made of +[a-z]", "^frames +[a-z]+ with [0-9]+ below it$"])
            }
        }
    }

    @Test func everythingOfMCAPInfo() async throws {
        try await SampleBags.write(bag, ["--storage", "mcap", "--compression", "zstd"])
        let text = try await Command.succeed(["inspect", bag, "-v"])
        expect(
            text,
            [
                "^library +mapeverything", "^profile +ros2$", "^chunks +1 \\(zstd\\)", "^channels +9$", "^schemas +8$",
                "^attachments +0$", "^metadata +.*mapeverything.version=", "^indexed +yes$",
            ]
        )
    }

    @Test(arguments: [BagForm.mcap, BagForm.any])
    func aCutBagIsWhatCheckSays(form: BagForm) async throws {
        try await SampleBags.write(bag, form.options)
        let file = try #require(try SampleBags.files(bag).first)
        try Damage.cut(file, to: 0.6)
        let text = try await Command.run(["inspect", bag]).output
        expect(text, ["^verdict +damaged: [0-9]+ errors?"])
        let checked = try await CheckResult.of(bag)
        #expect(!checked.result.sound && checked.status == 1)
    }

    @Test func aFileAloneIsInspected() async throws {
        try await SampleBags.write(bag, BagForm.mcap.options)
        let whole: BagInspection = try await Command.json(["inspect", bag, "--json"])
        let alone: BagInspection = try await Command.json(["inspect", "\(bag)/bag_0.mcap", "--json"])
        #expect(alone.messages == whole.messages && alone.topics.map(\.name) == whole.topics.map(\.name))
        #expect(alone.first_stamp_ns == whole.first_stamp_ns && alone.last_stamp_ns == whole.last_stamp_ns)
    }
}
