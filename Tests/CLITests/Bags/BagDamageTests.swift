import Foundation
import TestSupport
import Testing

/// Damaged bags: found, mended, found sound.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct BagDamageTests {
    private let folder: Scratch
    private var sound: String { folder("sound") }
    private var bag: String { folder("bag") }
    private var repaired: String { folder("repaired") }

    init() throws { folder = try Scratch() }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var options: [String] = []
        /// What `check` calls it, and the place that it names.
        var kind: String
        var place: String
        /// How many of the messages `repair` saves.
        var saved: ClosedRange<Int> = SampleBags.count...SampleBags.count
        /// Nothing tells which message of a chunk a flipped byte is in: all are kept, and the chunk is named.
        var isAltered = false
        var damage: @Sendable (String) async throws -> Void
        var testDescription: String { name }
    }

    private static let mcap = ["--storage", "mcap"]
    /// Each chunk begins with two latched messages.
    private static let chunks = ["--chunk-seconds", "0.5"]

    static let cases = [
        Case(name: "cut .mcap", options: mcap, kind: "mcap.cut", place: "bag_0.mcap byte ", saved: 5...53) {
            try Damage.cut("\($0)/bag_0.mcap", to: 0.7)
        },
        Case(name: "cut end of .mcap", options: mcap, kind: "mcap.magic", place: "bag_0.mcap byte ") {
            try Damage.cut("\($0)/bag_0.mcap", bytes: 4)
        },
        Case(
            name: "flipped byte in a compressed chunk",
            options: mcap + ["--compression", "lz4"] + chunks,
            kind: "mcap.data-crc",
            place: "bag_1.mcap byte ",
            saved: 30...60,
            isAltered: true
        ) { try Damage.flip("\($0)/bag_1.mcap", at: 60_000) },
        Case(name: "flipped byte in the footer", options: mcap, kind: "mcap.summary-crc", place: "bag_0.mcap byte ") {
            try Damage.flip("\($0)/bag_0.mcap", at: -15)
        },
        Case(name: "write-ahead log", kind: "db3.journal", place: "bag_0.db3-wal") {
            try await Peer.run("kill_sqlite.py", ["\($0)/bag_0.db3", "log"])
        },
        Case(name: "hot journal", kind: "db3.journal", place: "bag_0.db3-journal") {
            try await Peer.run("kill_sqlite.py", ["\($0)/bag_0.db3", "journal"])
        },
        Case(name: "cut .db3", kind: "db3.unreadable", place: "bag_0.db3", saved: 5...53) {
            // In the middle of a page, whose rest would be read as zeros.
            try Damage.cut("\($0)/bag_0.db3", to: 0.71)
        },
        Case(
            name: "cut file of zstd",
            options: ["--compression", "zstd"],
            kind: "compression.file",
            place: "bag_0.db3.zstd",
            saved: 5...53
        ) { try Damage.cut("\($0)/bag_0.db3.zstd", to: 0.7) },
        Case(name: "wrong count", kind: "metadata.count", place: "message_count \(SampleBags.count)") {
            try Damage.edit("\($0)/metadata.yaml", "message_count: [0-9]+", "message_count: 7")
        },
        Case(name: "wrong time", options: mcap, kind: "metadata.times", place: "starting_time") {
            try Damage.edit("\($0)/metadata.yaml", "since_epoch: 17672688", "since_epoch: 16672688")
        },
        Case(name: "no metadata.yaml", kind: "metadata.missing", place: "metadata.yaml") {
            try Damage.remove("\($0)/metadata.yaml")
        },
        Case(name: "no metadata.yaml of .mcap", options: mcap, kind: "metadata.missing", place: "metadata.yaml") {
            try Damage.remove("\($0)/metadata.yaml")
        },
        Case(name: "cut metadata.yaml", kind: "metadata.syntax", place: "metadata.yaml") {
            try Damage.cut("\($0)/metadata.yaml", to: 0.5)
        },
        Case(name: "unlisted chunk", options: chunks, kind: "bag.unlisted-file", place: "bag_1.db3", saved: 59...59) {
            try Damage.edit("\($0)/metadata.yaml", "    - bag_1.db3\n", "")
        },
        Case(name: "lost chunk", options: chunks, kind: "bag.missing-file", place: "bag_1.db3", saved: 20...53) {
            try Damage.remove("\($0)/bag_1.db3")
        },
    ]

    @Test(arguments: cases)
    func isFoundAndMended(damaged: Case) async throws {
        try await SampleBags.write(bag, damaged.options)
        try await SampleBags.write(sound)
        try await damaged.damage(bag)
        let before = try FileTree.contents(bag)

        let check = try await CheckResult.of(bag)
        #expect(check.status == 1 && !check.result.sound && check.result.errors > 0)
        let finding = try #require(check.result.findings.first { $0.kind == damaged.kind }, "\(check.result.findings)")
        #expect(finding.severity == "error" && !finding.advice.isEmpty)
        #expect(finding.places.contains { $0.contains(damaged.place) }, "\(finding)")

        let outcome = try await Command.run(["repair", bag, "-o", repaired, "--json"])
        let repair = try RepairResult(outcome)
        #expect(outcome.status == repair.expectedStatus, "\(outcome)")
        #expect(!repair.sound && repair.output == repaired && !repair.done.isEmpty)
        // Who reads a log keeps its index, which anyone makes anew.
        let changed = FileTree.differences(before, try FileTree.contents(bag)).filter { !$0.hasSuffix("-shm") }
        #expect(changed == [], "the damaged one was changed")
        try await judge(repaired, damaged)
        // Where messages are gone that were counted, it says so.
        let read = try #require(try await PeerReading.of([repaired])[repaired]).rosbags
        if damaged.saved.upperBound < SampleBags.count {
            #expect(repair.lost.count > 0, "\(outcome)")
            #expect(outcome.status == 1)
        }
        #expect(damaged.saved.contains(read.count), "\(read.count) messages")

        let inPlace = try await Command.run(["repair", bag, "--in-place"])
        #expect(inPlace.status == outcome.status, "\(inPlace)")
        #expect(try await #require(PeerReading.of([bag])[bag]).rosbags == read)
        #expect(try await CheckResult.of(bag).status == 0)
    }

    /// Sound by every judge, with messages that were written and no others.
    private func judge(_ repaired: String, _ damaged: Case) async throws {
        let check = try await CheckResult.of(repaired)
        #expect(check.status == 0 && check.result.sound, "\(check.result.findings)")
        let files = try SampleBags.files(repaired)
        var judgements = Judgements()
        if damaged.options.contains("mcap") {
            for file in files { judgements.addMCAP(file) }
        } else {
            judgements.addBag(repaired)
        }
        if !files.contains(where: { $0.hasSuffix(".zstd") }) { try await judgements.judge() }
        let readings = try await PeerReading.of([repaired, sound])
        let read = try #require(readings[repaired]?.agreed), whole = try #require(readings[sound]).files
        let latched = ["/tf_static ", "/mapping/session "]
        let strange = read.filter { row in
            !whole.contains(row) && !latched.contains { row.hasPrefix($0) }
        }
        #expect(strange.count <= (damaged.isAltered ? 1 : 0), "never written: \(strange)")
    }

    @Test("what is no bag is said to be none, in one finding, and no repair of it is advised or made")
    func noBags() async throws {
        let contents: [(name: String, text: String, words: String)] = [
            ("six.mcap", "abcdef", "not an MCAP file (6 bytes)"), ("empty.mcap", "", ": an empty file\n"),
            ("notes.mcap", String(repeating: "These are notes.\n", count: 9), "not an MCAP file (a text)"),
            ("six.db3", "abcdef", "not an SQLite database (6 bytes)"),
            ("empty.db3", "", ": an empty file\n"),
            ("notes.db3", String(repeating: "1,2\n", count: 99), "not an SQLite database (a text)"),
            ("noise.db3", String(repeating: "\u{7}", count: 50), "(50 bytes of something else)"),
        ]
        for (name, text, words) in contents {
            let path = folder(name)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            let outcome = try await Command.run(["check", path])
            #expect(outcome.status == 1 && outcome.output.contains(words), "\(name): \(outcome.everything)")
            #expect(outcome.output.contains("\ndamaged: 1 error"), "\(name): \(outcome.everything)")
            #expect(!outcome.output.contains("repair"), "\(name): \(outcome.everything)")
            #expect(try await Command.run(["repair", path, "-o", folder("no")]).status == 65, "\(name)")
        }
    }

    @Test("a bag without its file is one finding, and is not repaired to nothing; the advice names the bag")
    func withoutFiles() async throws {
        try await SampleBags.write(bag)
        let file = try #require(try SampleBags.files(bag).first)
        try FileManager.default.removeItem(atPath: file)
        let check = try await CheckResult.of(bag)
        #expect(
            check.status == 1
                && check.result.findings.filter { $0.severity == "error" }.map(\.kind) == ["bag.missing-file"]
        )
        let missing = try await Command.run(["check", bag]).output
        #expect(missing.contains("error: bag.missing-file: the file of this bag is missing: bag_0.db3\n"), "\(missing)")
        #expect(!missing.contains("`mapeverything"), "\(missing)")
        let outcome = try await Command.run(["repair", bag, "-o", repaired])
        #expect(outcome.status == 65 && outcome.errors.contains("bag_0.db3"), "\(outcome.everything)")
        #expect(!FileManager.default.fileExists(atPath: repaired))
        // An .mcap file that ends too soon says what is left of it, and how it is saved, by the words of a shell.
        let cut = folder("my room.mcap")
        try await Command.succeed(["bag", try await Samples.full.value, "-o", cut])
        try Damage.cut(cut, to: 0.7)
        let text = try await Command.run(["check", cut]).output
        #expect(text.contains(/mcap\.cut: cut short: \d+\.\d\d s and \d+ messages can be read/), "\(text)")
        #expect(text.contains("advice: `mapeverything repair '\(cut)'` writes a sound copy"), "\(text)")
        #expect(PrintedFinding.all(in: text).first?.kind == "mcap.cut", "\(text)")
    }

    @Test("a cut .db3 file says in one finding what can be read of it")
    func cutDatabase() async throws {
        try await SampleBags.write(bag)
        try Damage.cut("\(bag)/bag_0.db3", to: 0.7)
        let text = try await Command.run(["check", bag]).output
        let form = /error: db3\.[a-z]+: cut short: (\d+\.\d\d) s and (\d+) messages can be read/
        let words = try #require(text.firstMatch(of: form), "\(text)")
        #expect(PrintedFinding.all(in: text).filter { $0.severity == "error" }.count == 1, "\(text)")
        let repair = try RepairResult(try await Command.run(["repair", bag, "-o", repaired, "--json"]))
        #expect(repair.saved.hasPrefix("\(words.2) messages"), "\(repair.saved): \(text)")
    }
}
