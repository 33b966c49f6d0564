import BagTools
import Bags
import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

/// Pages of a .db3 file that stand in the place of others, and bits of its schema that have flipped: a repair saves what
/// any reader reads, and what has gone is counted by both.
struct ExchangedPageTests {
    private let directory: TemporaryDirectory
    private var bag: FilePath { directory.appending("bag") }
    private var file: FilePath { bag.appending("bag_0.db3") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Before, the rows of a page that was there twice were counted as written, and the repair saved less than them.
    @Test(arguments: [true, false])
    func aPageInThePlaceOfAnotherCostsItsRows(_ isCopied: Bool) async throws {
        let (sound, leaves) = try await write()
        for (number, (from, to)) in zip(leaves, leaves.reversed()).enumerated() where number % 5 == 0 && from != to {
            var bytes = sound
            copy(from, of: sound, to: to, &bytes)
            if !isCopied { copy(to, of: sound, to: from, &bytes) }
            try bytes.write(to: URL(fileURLWithPath: file.string))
            let distinct = try distinctRows()
            #expect(isCopied ? distinct < Self.count : distinct == Self.count)
            // The bag counts its messages, a file alone has nothing but its index.
            for source in [bag, file] {
                let reader = try BagReader(opening: source, tolerating: .everything)
                #expect(try Row.all(source, tolerating: .everything).count == distinct, "\(from) over \(to)")
                #expect(reader.heldCount == Self.count && reader.unreadableCount == Self.count - distinct)
                let output = directory.appending("\(number)-\(source == bag)")
                let report = try BagRepairer.repair(source, .newBag(output))
                #expect(report.messageCount == distinct && !report.isDamaged, "\(report)")
                let lost = report.files.flatMap(\.losses).reduce(0) { $0 + ($1.messageCount ?? 0) }
                #expect(lost == Self.count - distinct, "\(report)")
            }
        }
    }

    /// Before, what lay below the root of a table was lost with it, although its pages are sound.
    @Test(arguments: ["topics", "message_definitions", "messages"])
    func aRootInThePlaceOfALeafCostsNothing(_ table: String) async throws {
        let (sound, leaves) = try await write()
        let root = try DatabasePages.root(of: table, file)
        var bytes = sound
        copy(root, of: sound, to: leaves[3], &bytes)
        copy(leaves[3], of: sound, to: root, &bytes)
        try bytes.write(to: URL(fileURLWithPath: file.string))
        let output = directory.appending("repaired")
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(report.messageCount == Self.count && !report.hasLosses, "\(report)")
        #expect(try Row.all(bag, tolerating: .everything).count == Self.count)
    }

    /// Before, a name that changed by one bit left nothing, and the empty bag was called done.
    @Test(.enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
    func whatRosbagsReadsIsRead() async throws {
        let (sound, _) = try await write()
        let schema = try #require(sound.range(of: Data("CREATE TABLE messages".utf8)))
        let flips = Array(schema.lowerBound..<schema.lowerBound + 60)
        var names: [String] = []
        for (place, bit) in flips.flatMap({ place in [0, 3, 5].map { (place, $0) } }) {
            var bytes = sound
            bytes[place] ^= 1 << UInt8(bit)
            let copy = directory.appending("flip-\(place)-\(bit)")
            try FileManager.default.copyItem(atPath: bag.string, toPath: copy.string)
            try bytes.write(to: URL(fileURLWithPath: copy.appending("bag_0.db3").string))
            names.append(copy.string)
        }
        let counts: [Int] = try PeerPython.json(Self.counting, names)
        #expect(counts.contains(Self.count) && counts.contains(0))
        for (name, count) in zip(names, counts) {
            let read = (try? Row.all(FilePath(name), tolerating: .everything).count) ?? 0
            #expect(read >= count, "\(name)")
            let report = try BagRepairer.repair(FilePath(name), .newBag(FilePath(name + "-repaired")))
            #expect(report.messageCount >= max(count, read), "\(name)")
        }
    }

    private static let count = 300

    /// A bag of pages of 4 KiB, with the numbers of the pages that hold its messages.
    private func write() async throws -> (sound: Data, leaves: [Int]) {
        let options = BagOptions(customData: ["mapeverything.version": "1"])
        let sink = BagSink(bag, options: options)
        try await sink.open([SampleBag.note, SampleBag.fixed])
        for message in SampleBag.notes(Self.count, bytes: { _ in 300 }) { try await sink.write(message) }
        _ = try await sink.finish()
        try DatabasePages.change(file, "PRAGMA page_size = 4096; VACUUM")
        let sound = try #require(FileManager.default.contents(atPath: file.string))
        let leaves = DatabasePages.children(of: try DatabasePages.root(of: "messages", file), sound, 4096)
        #expect(leaves.count > 20)
        return (sound, leaves)
    }

    private func copy(_ page: Int, of sound: Data, to other: Int, _ bytes: inout Data) {
        bytes.replaceSubrange((other - 1) * 4096..<other * 4096, with: sound[(page - 1) * 4096..<page * 4096])
    }

    /// The numbers of the rows that SQLite meets on its way through the table, each once.
    private func distinctRows() throws -> Int {
        let rows = try SQLiteDatabase(opening: file, access: .immutable).prepare(
            "SELECT rowid FROM messages NOT INDEXED"
        )
        var numbers: Set<Int64> = []
        while try rows.step() { numbers.insert(rows.integer(at: 0)) }
        return numbers.count
    }

    private static let counting = """
        import json, sys
        from rosbags.rosbag2 import Reader
        counts = []
        for name in sys.argv[1:]:
            counts.append(0)
            try:
                with Reader(name) as reader:
                    for _ in reader.messages(): counts[-1] += 1
            except Exception: pass
        print(json.dumps(counts))
        """
}
