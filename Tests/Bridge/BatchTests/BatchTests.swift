import Exports
import Glibc
import Messages
import Platform
import Sessions
import SystemPackage
import TestSupport
import Testing
import Text

@Suite("Plans of many recordings")
struct BatchPlanTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func path(_ name: String) -> FilePath { folder.path.appending(name) }

    private func write(_ text: String, _ name: String) throws { try OutputFile.write(Array(text.utf8), to: path(name)) }

    private static func recipe() throws -> BatchUnit.Recipe {
        BatchUnit.Recipe(try #require(BatchProduct("bag")), options: [], output: "bag", memoryBytes: nil)
    }

    /// A listing of recordings with one file each, of these sizes.
    private func plan(_ sizes: [Int], shards: Int) async throws -> BatchPlan {
        let lines = sizes.enumerated().map { "{\"url\":\"s3://b/r\($0)\",\"files\":[[\"frames.jsonl\",\($1)]]}" }
        try write(lines.joined(separator: "\n") + "\n", "listing")
        return try await BatchPlan.make(
            [],
            listings: [path("listing").string],
            Self.recipe(),
            shards: shards,
            jobs: 1,
            progress: { _ in }
        )
    }

    @Test("no shard has more than the longest unit more to do than another")
    func shards() async throws {
        let sizes = (0..<200).map { 1_000_000_000 + ($0 * 7919 % 100) * 100_000_000 }
        let plan = try await plan(sizes, shards: 7)
        var loads = [Double](repeating: 0, count: 7)
        for unit in plan.units { loads[unit.shard] += unit.seconds }
        let longest = try #require(plan.units.map(\.seconds).max())
        #expect(try #require(loads.max()) - #require(loads.min()) <= longest)
        #expect(Set(plan.units.map(\.id)).count == 200)
    }

    @Test("two archives of one name and size in different places are two recordings; one that is listed twice is one")
    func equalNames() async throws {
        let urls = ["s3://b/user1/scan.tar", "s3://b/user2/scan.tar", "s3://b/user1/scan.tar"]
        try write(urls.map { "{\"url\":\"\($0)\",\"files\":[[\"\",1000]]}\n" }.joined(), "listing")
        let plan = try await BatchPlan.make(
            [],
            listings: [path("listing").string],
            Self.recipe(),
            shards: 1,
            jobs: 1,
            progress: { _ in }
        )
        #expect(plan.units.map(\.input) == Array(urls.prefix(2)) && plan.doubles.map(\.path) == [urls[2]])
        #expect(Set(plan.units.map(\.folder)).count == 2)
    }

    @Test("a run removes what killed ones of this machine have left, whoever finished their units")
    func remains() async throws {
        let target = BatchTarget(path("target"))
        try target.prepare()
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, 255)
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let machine = String(host.map { ($0.isLetter || $0.isNumber) && $0.isASCII ? $0 : "-" })
        // No process has such a number; of one that did not say when it began nothing is known.
        let names = ["u.\(machine)_999999999_7.1", "u.\(machine)_\(getpid())_0.2", "u.elsewhere_999999999_7.3"]
        let staging = path("target").appending(".batch").appending("staging")
        for name in names { try #require(mkdir(staging.appending(name).string, 0o755) == 0) }
        let program = ExternalProgram(path: "/bin/true")
        let run = BatchRun(UnitRun(target, program: program, version: "1", threads: 1, timeoutSeconds: 1), jobs: 1)
        let tally = try await run.run([], progress: { _ in }, told: { _, _ in })
        let left = try directoryEntries(staging)
        #expect(tally.made == 0 && left == [names[1], names[2]].sorted(), "\(left)")
    }

    @Test("a manifest reads as it was written")
    func manifest() async throws {
        let plan = try await plan([10, 20, 30], shards: 2)
        try BatchManifest.write(plan.units, Self.recipe(), shards: 2, version: "1", to: path("plan"))
        var read: [BatchUnit] = []
        try BatchManifest.read(path("plan"), .init()) { read.append($0) }
        #expect(read == plan.units)
        var chosen: [BatchUnit] = []
        try BatchManifest.read(path("plan"), .init(only: [String(plan.units[1].id.prefix(16))])) { chosen.append($0) }
        #expect(chosen == [plan.units[1]])
        #expect(throws: BatchError.self) { try BatchManifest.read(path("plan"), .init(only: ["12345678"])) { _ in } }
    }

    @Test("a manifest that was cut anywhere is refused")
    func cutManifest() async throws {
        let plan = try await plan([10, 20, 30], shards: 1)
        try BatchManifest.write(plan.units, Self.recipe(), shards: 1, version: "1", to: path("plan"))
        let bytes = try OutputFile.contents(of: path("plan"))
        // Without its last byte, a line end, it is still whole.
        for count in 0..<(bytes.count - 1) {
            let cut = path("cut\(count)")
            try OutputFile.write(Array(bytes.prefix(count)), to: cut)
            #expect(throws: BatchError.self, "\(count) bytes") { try BatchManifest.read(cut, .init()) { _ in } }
        }
    }

    @Test(
        "a line that was edited is refused",
        arguments: [
            ("\"to\":\"bag\",\"options\"", "\"to\":\"map\",\"options\""),
            ("\"options\":[]", "\"options\":[\"--strict\"]"),
            ("\"name\":\"r1\"", "\"name\":\"r2\""), ("\"output\":\"bag\"", "\"output\":\"../bag\""),
            ("\"identity\":\"names:", "\"identity\":\"names:0"), ("\"memory_bytes\":", "\"memory_bytes\":-"),
        ]
    )
    func edited(_ old: String, _ new: String) async throws {
        let unit = try await plan([10, 20], shards: 1).units[1]
        let text = unit.json.text()
        #expect(text.contains(old))
        #expect(try BatchUnit(json: JSONValue.parse(text)) == unit)
        #expect(throws: BatchError.self) { try BatchUnit(json: JSONValue.parse(text.replacing(old, with: new))) }
    }

    @Test("a recording is recognised by its names, sizes and texts, wherever it lies")
    func identity() throws {
        for name in ["a", "b"] {
            let folder = path(name)
            #expect(mkdir(folder.string, 0o755) == 0)
            try OutputFile.write(Array("{}\n{}\n".utf8), to: folder.appending("frames.jsonl"))
            try OutputFile.write([1, 2, 3], to: folder.appending("000000.jpg"))
        }
        let (first, second) = (path("a"), path("b"))
        let identity = try RecordingIdentity(of: first)
        #expect(identity == (try RecordingIdentity(of: second)))
        #expect(identity.frameCount == 2 && identity.byteCount == 9 && identity.fileCount == 2)
        // The digest is that of lines that anybody can write.
        let text = SHA256.hexadecimalDigest(Array("{}\n{}\n".utf8))
        let lines = "3 000000.jpg\n6 frames.jsonl \(text)\n"
        #expect(identity.digest == SHA256.hexadecimalDigest(Array(lines.utf8)))
        FileTree.remove(second.appending("frames.jsonl"))
        try OutputFile.write(Array("{}\n[]\n".utf8), to: second.appending("frames.jsonl"))
        #expect(identity != (try RecordingIdentity(of: second)))
        #expect(try RecordingIdentity(of: first, .names) == RecordingIdentity(of: second, .names))
        #expect(throws: FileError.self) { try RecordingIdentity(of: path("nothing")) }
        // A text of which a damaged file claims a terabyte is not read for it; its size and its ends still count.
        let list = second.appending("frames.jsonl")
        #expect(truncate(list.string, 1 << 40) == 0)
        let endless = try RecordingIdentity(of: second)
        #expect(truncate(list.string, 1 << 41) == 0)
        #expect(try RecordingIdentity(of: second) != endless)
    }
}
