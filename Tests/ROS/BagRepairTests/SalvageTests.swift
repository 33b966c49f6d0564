import BagTools
import Bags
import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

/// What is in a damaged file is saved, and no damage makes a repair go on for ever.
struct SalvageTests {
    private let directory: TemporaryDirectory
    private var bag: FilePath { directory.appending("bag") }
    private var output: FilePath { directory.appending("repaired") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    // MARK: .db3

    /// Inner pages of the table that lead to themselves, to their parent, or twice to one child.
    @Test(.timeLimit(.minutes(5)), arguments: ["itself", "the root", "the child before", "a page of the index"])
    func pagesInCirclesAreLeft(_ target: String) async throws {
        // Small pages and small rows, so that the tree has inner pages.
        try await SampleBag.write(bag, 3000, options: BagOptions(maximumChunkBytes: 7 << 20))
        let rows = try Row.all(bag)
        let file = bag.appending("bag_0.db3")
        var bytes = try #require(FileManager.default.contents(atPath: file.string))
        let (table, index) = try DatabasePages.roots(file)
        let pageBytes = 4096
        // The kind of a page is its first byte: 5 is an inner page of a table, whose cells begin with a child's number.
        let inner =
            DatabasePages.children(of: table, bytes, pageBytes).first { bytes[($0 - 1) * pageBytes] == 5 } ?? table
        let start = (inner - 1) * pageBytes
        #expect(bytes[start] == 5)
        let cells = DatabasePages.cellOffsets(of: inner, bytes, pageBytes).dropFirst()
        #expect(cells.count > 2)
        let number: Int =
            switch target {
            case "itself": inner
            case "the root": table
            case "a page of the index": index
            default: DatabasePages.children(of: inner, bytes, pageBytes)[0]
            }
        for cell in cells.prefix(2) {
            for (shift, place) in zip([24, 16, 8, 0], 0...) {
                bytes[start + cell + place] = UInt8(truncatingIfNeeded: number >> shift)
            }
        }
        try bytes.write(to: URL(fileURLWithPath: file.string))
        let report = try BagRepairer.repair(bag, .newBag(output))
        let saved = try Row.all(output)
        #expect(Set(rows).isSuperset(of: saved) && Set(saved).count == saved.count)
        #expect(report.messageCount == saved.count)
        // Only what is below the two pointers is lost.
        #expect(saved.count > rows.count / 2, "\(saved.count) of \(rows.count)")
        #expect(!report.isDamaged, "\(report.remainingErrors)")
        // And the check ends too.
        #expect(try !BagChecker.check(bag).isSound)
    }

    /// Rows whose timestamp is a text are saved with a time, and what is reported is what is there.
    @Test func aTimeThatIsATextIsMended() async throws {
        try await SampleBag.write(bag)
        let file = bag.appending("bag_0.db3")
        try DatabasePages.change(file, "UPDATE messages SET timestamp = 'noon' WHERE id = 5")
        let found = try BagChecker.check(bag).findings.filter { $0.severity == .error }.map(\.kind)
        #expect(found.contains(.databaseRows))
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(report.messageCount == 200 && !report.hasLosses && !report.isDamaged)
        let saved = try Row.all(output)
        #expect(saved.count == 200)
        // A text has no header: the message has the time of the row before.
        #expect(saved.filter { $0.time == SampleBag.start + 30_000_000 }.count == 2)
        let database = try SQLiteDatabase(opening: output.appending("bag_0.db3"), access: .immutable)
        #expect(try database.integer("SELECT count(*) FROM messages NOT INDEXED") == 200)
    }

    /// Before, a topic was given up with all its messages where a page with its QoS profiles was lost.
    @Test func aTopicIsKeptWithoutItsQoS() async throws {
        try await SampleBag.write(bag)
        let file = bag.appending("bag_0.db3")
        let rows = try Row.all(bag)
        try DatabasePages.change(file, "PRAGMA page_size = 512; VACUUM")
        try DatabasePages.change(file, "UPDATE topics SET offered_qos_profiles = printf('%.3000c', 'q')")
        var bytes = try #require(FileManager.default.contents(atPath: file.string))
        let pages = stride(from: 0, to: bytes.count, by: 512).filter { start in
            bytes[(start + 4)..<(start + 512)].allSatisfy { $0 == UInt8(ascii: "q") }
        }
        #expect(pages.count > 4)
        // The number of the page that follows (SQLite file format, 1.6).
        for start in pages { bytes.replaceSubrange(start..<start + 4, with: [0xFF, 0xFF, 0xFF, 0xFF]) }
        try bytes.write(to: URL(fileURLWithPath: file.string))
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(try Row.all(output) == rows)
        #expect(report.files.flatMap(\.doubts).contains { $0.contains("QoS") } && report.isDamaged)
    }

    /// Before, one bad cell cost all topics of its page, and with them all messages.
    @Test func topicsBesideABadCellAreKept() async throws {
        try await SampleBag.write(bag)
        let rows = try Row.all(bag)
        let file = bag.appending("bag_0.db3")
        try DatabasePages.change(file, "PRAGMA page_size = 4096; VACUUM")
        let root = try DatabasePages.root(of: "topics", file)
        var bytes = try #require(FileManager.default.contents(atPath: file.string))
        let start = (root - 1) * 4096
        // A leaf of two cells, of which the second is that of the topic without messages.
        #expect(bytes[start] == 13 && bytes[start + 4] == 2)
        bytes.replaceSubrange(start + 10..<start + 12, with: [0, 0])
        try bytes.write(to: URL(fileURLWithPath: file.string))
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(report.messageCount == rows.count, "\(report)")
        #expect(try Row.all(output) == rows)
    }

    /// Before, a page of the table of topics that cannot be read cost all topics behind it, and their messages.
    @Test func topicsBehindABadPageAreKept() async throws {
        try await SampleBag.write(bag)
        let file = bag.appending("bag_0.db3")
        try DatabasePages.change(file, "PRAGMA page_size = 512; VACUUM")
        for number in 3..<60 {
            let values = "\(number), '/topic\(number)', 'std_msgs/msg/String', 'cdr', '', ''"
            try DatabasePages.change(file, "INSERT INTO topics VALUES (\(values))")
        }
        try DatabasePages.change(
            file,
            "UPDATE topics SET id = 100 WHERE name = '/note'; UPDATE messages SET topic_id = 100"
        )
        let rows = try Row.all(bag, tolerating: .everything)
        let root = try DatabasePages.root(of: "topics", file)
        var bytes = try #require(FileManager.default.contents(atPath: file.string))
        let pages = DatabasePages.children(of: root, bytes, 512)
        #expect(pages.count > 4 && rows.count == 200)
        bytes[(pages[1] - 1) * 512] = 0
        try bytes.write(to: URL(fileURLWithPath: file.string))
        _ = try BagRepairer.repair(bag, .newBag(output))
        #expect(try Row.all(output, tolerating: .everything) == rows)
        let saved = try SQLiteDatabase(opening: output.appending("bag_0.db3"), access: .immutable)
        #expect(try (30..<59).contains(Int(saved.integer("SELECT count(*) FROM topics") ?? 0)))
    }

    /// Before, a row with the number of another one was taken for that one, met again.
    @Test func aRowWithTheNumberOfAnotherIsKept() async throws {
        try await SampleBag.write(bag)
        let rows = try Row.all(bag)
        let file = bag.appending("bag_0.db3")
        try DatabasePages.change(file, "PRAGMA page_size = 4096; VACUUM")
        var bytes = try #require(FileManager.default.contents(atPath: file.string))
        // The cell of row 150 becomes one of row 130: leaves have the kind 13, and cells begin with two varints.
        var changed = 0
        for start in stride(from: 4096, to: bytes.count, by: 4096) where bytes[start] == 13 {
            let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
            for cell in 0..<count {
                var place = start + (Int(bytes[start + 8 + 2 * cell]) << 8 | Int(bytes[start + 9 + 2 * cell]))
                while bytes[place] >= 0x80 { place += 1 }
                guard bytes[place + 1] == 0x81, bytes[place + 2] == 0x16 else { continue }
                bytes[place + 2] = 0x02
                changed += 1
            }
        }
        #expect(changed == 1)
        try bytes.write(to: URL(fileURLWithPath: file.string))
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(report.messageCount == rows.count && !report.hasLosses && !report.isDamaged, "\(report)")
        #expect(try Set(Row.all(output)) == Set(rows))
    }

    @Test func rowsOfNoTopicAreCountedWhateverTheirNumberIs() async throws {
        try await SampleBag.write(bag)
        let file = bag.appending("bag_0.db3")
        try DatabasePages.change(file, "UPDATE messages SET topic_id = 'x' WHERE id <= 3")
        try DatabasePages.change(file, "UPDATE messages SET topic_id = 77 WHERE id BETWEEN 4 AND 5")
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(report.files.flatMap(\.losses).compactMap(\.messageCount).sorted() == [2, 3])
        #expect(report.messageCount == 195 && !report.isDamaged)
        #expect(try Row.all(output).count == 195)
    }

    // MARK: .mcap

    /// What one number of a chunk costs: nothing, as its messages are all there.
    @Test(
        arguments: [BagOptions.Compression.none, .zstd, .lz4],
        ["length 0", "length 2^63", "length 100", "size 2^40", "size 1"]
    )
    func aWrongNumberOfAChunkCostsNothing(_ compression: BagOptions.Compression, _ damage: String) async throws {
        try await writeChunks(compression)
        let rows = try Row.all(bag)
        let file = bag.appending("bag_0.mcap")
        let chunks = try MCAPFile(opening: file).chunkIndexes
        #expect(chunks.count >= 3)
        var bytes = try #require(FileManager.default.contents(atPath: file.string))
        let start = Int(chunks[1].chunkStartOffset)
        let (offset, value): (Int, UInt64) =
            switch damage {
            case "length 0": (start + 1, 0)
            case "length 2^63": (start + 1, 1 << 63)
            case "length 100": (start + 1, 100)
            case "size 2^40": (start + 9 + 16, 1 << 40)
            default: (start + 9 + 16, 1)
            }
        bytes.replaceSubrange(offset..<offset + 8, with: withUnsafeBytes(of: value.littleEndian) { Data($0) })
        try bytes.write(to: URL(fileURLWithPath: file.string))
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(report.messageCount == rows.count && !report.hasLosses && !report.isDamaged, "\(report)")
        #expect(try Row.all(output) == rows)
        try Judge.checkMCAP(output.appending("bag_0.mcap"))
    }

    /// Before, nothing was said to be lost where a chunk is a record of a kind that readers pass over.
    @Test func aChunkOfAnotherKindIsLost() async throws {
        try await writeChunks(.none)
        let rows = try Row.all(bag)
        let file = bag.appending("bag_0.mcap")
        let chunk = try MCAPFile(opening: file).chunkIndexes[1]
        var bytes = try #require(FileManager.default.contents(atPath: file.string))
        bytes[Int(chunk.chunkStartOffset)] = 0x86
        try bytes.write(to: URL(fileURLWithPath: file.string))
        let report = try BagRepairer.repair(bag, .newBag(output))
        let lost = report.files.flatMap(\.losses).compactMap(\.messageCount).reduce(0, +)
        #expect(lost > 0 && report.messageCount + lost == rows.count, "\(report)")
    }

    /// Before, a time that no bag can hold ended the repair, and nothing was written.
    @Test func aTimeBeyondAllIsLeftOut() async throws {
        try await writeChunks(.none)
        let rows = try Row.all(bag)
        let file = bag.appending("bag_0.mcap")
        var bytes = try #require(FileManager.default.contents(atPath: file.string))
        let chunk = Int(try MCAPFile(opening: file).chunkIndexes[1].chunkStartOffset)
        // No CRC of the chunk; the top byte of the log time, which ends 8 bytes in front of the data.
        bytes.replaceSubrange(chunk + 9 + 24..<chunk + 9 + 28, with: Data(count: 4))
        let sound = bytes
        let places = rows.lazy.compactMap { sound.range(of: Data($0.bytes), in: chunk..<sound.count)?.lowerBound }
        let place = try #require(places.first)
        bytes[place - 9] = 0x80
        try bytes.write(to: URL(fileURLWithPath: file.string))
        let found = try BagChecker.check(bag).findings.filter { $0.severity == .error }
        #expect(found.contains { "\($0)".contains("log_time") }, "\(found)")
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(report.messageCount == rows.count - 1 && report.hasLosses, "\(report)")
        #expect(Set(try Row.all(output)).isSubset(of: rows))
    }

    /// Before, the rows behind a page that cannot be read were only sought by number, page by page.
    @Test func rowsOnBothSidesOfABadPageAreKept() async throws {
        try await SampleBag.write(bag, 400)
        let rows = try Row.all(bag)
        let file = bag.appending("bag_0.db3")
        try DatabasePages.change(file, "PRAGMA page_size = 4096; VACUUM")
        var bytes = try #require(FileManager.default.contents(atPath: file.string))
        let (table, _) = try DatabasePages.roots(file)
        let pages = DatabasePages.children(of: table, bytes, 4096)
        #expect(pages.count > 6)
        // The first cell pointer of two leaves points behind the page.
        for page in [pages[2], pages[4]] {
            let start = (page - 1) * 4096
            #expect(bytes[start] == 13)
            bytes.replaceSubrange(start + 8..<start + 10, with: [0xFF, 0xF0])
        }
        try bytes.write(to: URL(fileURLWithPath: file.string))
        // What SQLite itself reads from both ends.
        let database = try SQLiteDatabase(opening: file, access: .immutable)
        var readable: Set<Int64> = []
        for order in ["ASC", "DESC"] {
            guard let ids = try? database.prepare("SELECT id, data FROM messages NOT INDEXED ORDER BY id \(order)")
            else {
                continue
            }
            while (try? ids.step()) == true { readable.insert(ids.integer(at: 0)) }
        }
        _ = try BagRepairer.repair(bag, .newBag(output))
        let saved = try Row.all(output)
        #expect(
            saved.count >= readable.intersection(1...400).count && saved.count > 300,
            "\(saved.count), \(readable.count)"
        )
        #expect(Set(saved).intersection(rows).count >= readable.intersection(1...400).count - 4)
    }

    /// Zeros over a part of a chunk, and over the head of one, cost what they cover.
    @Test(arguments: [BagOptions.Compression.none, .zstd])
    func aHoleCostsWhatItCovers(_ compression: BagOptions.Compression) async throws {
        try await writeChunks(compression)
        let rows = try Row.all(bag)
        let file = bag.appending("bag_0.mcap")
        let chunks = try MCAPFile(opening: file).chunkIndexes
        let sound = try #require(FileManager.default.contents(atPath: file.string))
        for (number, offset) in [(0, 0), (1, -5), (2, 200)] {
            var bytes = sound
            let start = Int(chunks[number].chunkStartOffset) + offset
            bytes.replaceSubrange(start..<start + 64, with: Data(count: 64))
            try bytes.write(to: URL(fileURLWithPath: file.string))
            let output = directory.appending("hole\(number)")
            let report = try BagRepairer.repair(bag, .newBag(output))
            let saved = try Row.all(output)
            #expect(report.messageCount == saved.count && report.hasLosses == (saved.count < rows.count))
            let chunkRows = rows.count / chunks.count
            let most = compression == .none ? 3 : chunkRows + chunkRows / 2
            #expect(saved.count >= rows.count - most, "\(number): \(saved.count) of \(rows.count)")
            let lost = report.files.flatMap(\.losses).reduce(0) { $0 + ($1.messageCount ?? 0) }
            #expect(saved.count + lost == rows.count)
        }
    }

    /// Whatever is damaged, a reader that takes what there is gets as much out of the file as a repair does.
    @Test(arguments: ["mcap", "mcap lz4", "db3"])
    func aRepairSavesWhatReadersRead(_ form: String) async throws {
        if form == "db3" {
            try await SampleBag.write(bag)
            try DatabasePages.change(bag.appending("bag_0.db3"), "PRAGMA page_size = 4096; VACUUM")
        } else {
            try await writeChunks(form == "mcap" ? .none : .lz4)
        }
        let file = bag.appending(form == "db3" ? "bag_0.db3" : "bag_0.mcap")
        let sound = try #require(FileManager.default.contents(atPath: file.string))
        var generator = SeededRandomNumbers(seed: 5)
        for round in 0..<60 {
            var bytes = sound
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let start = Int.random(in: 8..<bytes.count - 64, using: &generator)
                let count = [1, 1, 1, 8, 60].randomElement(using: &generator) ?? 1
                for index in start..<start + count {
                    bytes[index] =
                        [0, 0xFF, .random(in: 0...255, using: &generator)].randomElement(using: &generator) ?? 0
                }
            }
            try bytes.write(to: URL(fileURLWithPath: file.string))
            let readers = (try? Row.all(file, tolerating: .everything))?.count ?? 0
            let output = directory.appending("round\(round)")
            guard let report = try? BagRepairer.repair(bag, .newBag(output)) else {
                #expect(readers == 0, "round \(round)")
                continue
            }
            #expect(report.messageCount >= readers, "round \(round): \(report)")
            // One salvaging reader for both: the reader lacks at most rows of topics that only metadata.yaml names.
            if form == "db3" { #expect(readers >= report.messageCount - 2, "round \(round): \(readers), \(report)") }
            let result = FileManager.default.fileExists(atPath: output.string) ? output : bag
            #expect(try Row.all(result, tolerating: .everything).count == report.messageCount, "round \(round)")
        }
    }

    /// Before, all rows below an inner page were lost with it, though the leaves are sound.
    @Test(arguments: ["the root", "an inner page"])
    func rowsBelowALostInnerPageAreSaved(_ place: String) async throws {
        try await SampleBag.write(bag, 3000, options: BagOptions(maximumChunkBytes: 7 << 20))
        let rows = try Row.all(bag)
        let file = bag.appending("bag_0.db3")
        var bytes = try #require(FileManager.default.contents(atPath: file.string))
        let (table, _) = try DatabasePages.roots(file)
        let inner = DatabasePages.children(of: table, bytes, 4096).first { bytes[($0 - 1) * 4096] == 5 }
        let page = place == "the root" ? table : try #require(inner)
        #expect(bytes[(page - 1) * 4096] == 5)
        bytes.replaceSubrange((page - 1) * 4096..<page * 4096, with: Data(count: 4096))
        try bytes.write(to: URL(fileURLWithPath: file.string))
        #expect(throws: BagError.self) { try Row.all(bag) }
        #expect(try Set(Row.all(bag, tolerating: .everything)) == Set(rows))
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(report.messageCount == rows.count && !report.hasLosses && !report.isDamaged, "\(report)")
        #expect(try Set(Row.all(output)) == Set(rows))
    }

    /// Cells that all lead to one large message are read as often as the file has bytes for them.
    @Test(.timeLimit(.minutes(5))) func leavesFullOfOneMessageAreLeft() async throws {
        let sink = BagSink(bag)
        try await sink.open([SampleBag.note])
        for message in SampleBag.notes(3000, bytes: { $0 == 1500 ? 3 << 20 : 100 }) { try await sink.write(message) }
        _ = try await sink.finish()
        let file = bag.appending("bag_0.db3")
        try DatabasePages.change(file, "PRAGMA page_size = 4096; VACUUM")
        let (table, _) = try DatabasePages.roots(file)
        var bytes = try #require(FileManager.default.contents(atPath: file.string))
        let leaves = stride(from: 4096, to: bytes.count, by: 4096).filter { bytes[$0] == 13 }
        // The length of the large row takes more than three bytes: all but its last have the top bit.
        let places = leaves.flatMap { leaf in
            (0..<Int(bytes[leaf + 4])).map { cell in
                (leaf: leaf, cell: Int(bytes[leaf + 8 + 2 * cell]) << 8 | Int(bytes[leaf + 9 + 2 * cell]))
            }
        }
        let sound = bytes
        let place = try #require(
            places.first { place in (0..<3).allSatisfy { sound[place.leaf + place.cell + $0] >= 0x80 } }
        )
        let large = place.cell
        var full = Data(bytes[place.leaf..<place.leaf + 4096])
        let most = (large - 8) / 2
        full.replaceSubrange(3..<5, with: [UInt8(most >> 8), UInt8(most & 0xFF)])
        for cell in 0..<most {
            full.replaceSubrange(8 + 2 * cell..<10 + 2 * cell, with: [UInt8(large >> 8), UInt8(large & 0xFF)])
        }
        for leaf in leaves.suffix(30) { bytes.replaceSubrange(leaf..<leaf + 4096, with: full) }
        bytes.replaceSubrange((table - 1) * 4096..<table * 4096, with: Data(count: 4096))
        try bytes.write(to: URL(fileURLWithPath: file.string))
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(report.messageCount > 1000, "\(report)")
        #expect(try Row.all(output).count == report.messageCount)
    }

    /// Before, a wrong count there was named by every repair, and mended by none.
    @Test func aWrongCountInTheFilesOwnMetadataIsCorrected() async throws {
        // What is an error of a bag of ours is a warning for others.
        let options = BagOptions(customData: ["mapeverything.version": "1"])
        try await SampleBag.write(bag, options: options)
        let file = bag.appending("bag_0.db3")
        #expect(try BagChecker.check(bag).isSound)
        try DatabasePages.change(
            file,
            "UPDATE metadata SET metadata = replace(metadata, 'message_count: 200', 'message_count: 190')"
        )
        #expect(try !BagChecker.check(bag).isSound)
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(report.files.flatMap(\.actions) == ["corrected its own metadata"])
        #expect(!report.hasLosses && !report.isDamaged, "\(report)")
        #expect(try BagChecker.check(output).isSound)
    }

    /// Before, `check` called it sound, reading it failed without advice, and a repair made what no distribution reads.
    @Test func aTimeBefore1970IsMended() async throws {
        try await SampleBag.write(bag)
        let file = bag.appending("bag_0.db3")
        try DatabasePages.change(file, "UPDATE messages SET timestamp = -5 WHERE id = 5")
        let found = try BagChecker.check(bag).findings.filter { $0.severity == .error }
        #expect(found.contains { $0.kind == .databaseRows && "\($0)".contains("from 1970 on") }, "\(found)")
        #expect(try BagReader(opening: bag).differences.contains { $0.contains("1 of 200 rows") })
        #expect(try Row.all(bag).count == 199)
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(report.messageCount == 200 && !report.hasLosses && !report.isDamaged, "\(report)")
        #expect(try Row.all(output).filter { $0.time == SampleBag.start + 30_000_000 }.count == 2)
    }

    @Test func wrongStatisticsAreWrittenAnew() async throws {
        try await writeChunks(.none)
        let rows = try Row.all(bag)
        let file = bag.appending("bag_0.mcap")
        var bytes = try #require(FileManager.default.contents(atPath: file.string))
        var walk = try MCAPWalk(MCAPFileSource(opening: file))
        var place: Int?
        while let item = try walk.next() { if case .statistics? = item.record { place = item.place.offset } }
        let start = try #require(place) + 9
        for field in [start, start + 22] { bytes[field] ^= 0x3C }
        // Without its CRC the summary is believed.
        bytes.replaceSubrange(bytes.count - 12..<bytes.count - 8, with: Data(count: 4))
        try bytes.write(to: URL(fileURLWithPath: file.string))
        #expect(try !BagChecker.check(file).isSound)
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(!report.isSound && !report.hasLosses && !report.isDamaged, "\(report)")
        #expect(try Row.all(output) == rows)
        #expect(try BagChecker.check(output).isSound)
        try Judge.checkMCAP(output.appending("bag_0.mcap"))
    }

    /// About three chunks of 1 MiB.
    private func writeChunks(_ compression: BagOptions.Compression) async throws {
        let sink = BagSink(bag, options: BagOptions(storage: .mcap, compression: compression))
        try await sink.open([SampleBag.note])
        for message in SampleBag.notes(180, bytes: { _ in 20_000 }) { try await sink.write(message) }
        _ = try await sink.finish()
    }
}
