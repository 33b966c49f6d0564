import BagTools
import Bags
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Storage files that are cut or have wrong bytes: what can be saved is saved, and is sound.
struct DamagedFileTests {
    private let directory: TemporaryDirectory
    private var bag: FilePath { directory.appending("bag") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Cut at every page: a row that is whole in the pages that are left is saved.
    @Test func aDatabaseCutAtAnyPageGivesWhatItHas() async throws {
        try await SampleBag.write(bag, options: BagOptions(maximumChunkBytes: 7 << 20))
        let rows = Set(try Row.all(bag))
        let file = bag.appending("bag_0.db3")
        let sound = try #require(FileManager.default.contents(atPath: file.string))
        var counts: [Int] = []
        var judgements = Judgements()
        for size in stride(from: 4096, to: sound.count, by: 4096) {
            try sound.prefix(size).write(to: URL(fileURLWithPath: file.string))
            let output = directory.appending("cut\(size)")
            do {
                let report = try BagRepairer.repair(bag, .newBag(output))
                let saved = try Row.all(output)
                #expect(rows.isSuperset(of: saved), "cut at \(size)")
                #expect(report.messageCount == saved.count)
                // The index or the file's own metadata may be all that is cut.
                let lost = report.files.flatMap(\.losses).reduce(0) { $0 + ($1.messageCount ?? 0) }
                #expect(saved.count + lost == rows.count, "cut at \(size): \(report)")
                #expect(try BagReader(opening: output).warnings == [])
                // What is cut off is told, unless only an index or the file's own metadata was there.
                if lost > 0 {
                    let bytes = report.files.flatMap(\.losses).compactMap(\.bytes)
                    #expect(bytes.isEmpty || bytes == [sound.count - size], "cut at \(size)")
                }
                if counts.count.isMultiple(of: 10) { judgements.addRepaired(output) }
                counts.append(saved.count)
            } catch {
                #expect("\(error)".contains("expected a message that can be read"))
                counts.append(0)
            }
        }
        #expect(counts == counts.sorted())
        // The last page may be one of rows.
        #expect(counts.last ?? 0 >= 195)
        #expect(Set(counts).count > 20)
        try judgements.expectSound()
    }

    /// The index of a chunk whose messages are all there holds none itself.
    @Test func anMCAPFileCutInAnIndexHasLostNothing() async throws {
        try await SampleBag.write(bag, options: BagOptions(storage: .mcap, maximumChunkBytes: nil))
        let all = try Row.all(bag).count
        let lone = directory.appending("cut.mcap")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: bag.appending("bag_0.mcap").string))
        // Records are a kind, a length of eight bytes, and the content; 7 is a message index.
        var offset = 8
        while bytes[offset] != 7 {
            let length = bytes[(offset + 1)..<(offset + 9)].reversed().reduce(0) { $0 << 8 | Int($1) }
            offset += 9 + length
        }
        for end in [offset + 9, offset + 20] {
            try bytes.prefix(end).write(to: URL(fileURLWithPath: lone.string))
            let report = try BagRepairer.repair(lone, .newBag(directory.appending("repaired\(end)")))
            #expect(report.messageCount == all && !report.hasLosses && !report.isDamaged, "\(report)")
        }
    }

    @Test func wrongBytesInADatabaseCostOnlyTheirPages() async throws {
        try await SampleBag.write(bag, options: BagOptions(maximumChunkBytes: 7 << 20))
        let rows = Set(try Row.all(bag).map(\.time))
        let file = bag.appending("bag_0.db3")
        let sound = try #require(FileManager.default.contents(atPath: file.string))
        var saved: [Int] = []
        for page in 1..<sound.count / 4096 {
            var bytes = sound
            // The head of a page, where its kind and its cells are told.
            for index in page * 4096..<page * 4096 + 12 { bytes[index] = 0xA7 }
            try bytes.write(to: URL(fileURLWithPath: file.string))
            let output = directory.appending("page\(page)")
            guard let report = try? BagRepairer.repair(bag, .newBag(output)) else {
                saved.append(0)
                continue
            }
            let found = try Row.all(output)
            #expect(rows.isSuperset(of: found.map(\.time)))
            #expect(report.messageCount == found.count)
            saved.append(found.count)
        }
        // Most pages hold messages or parts of them; few are needed for all.
        #expect(saved.filter { $0 > 150 }.count > saved.count * 3 / 4, "\(saved)")
    }

    @Test(arguments: [MCAPCompression.none, .zstd])
    func anMCAPFileCutAnywhereGivesWhatItHas(_ compression: MCAPCompression) async throws {
        let options = BagOptions(storage: .mcap, compression: compression == .zstd ? .zstd : .none)
        try await SampleBag.write(bag, 100, options: options)
        let rows = try Row.all(bag)
        let file = bag.appending("bag_0.mcap")
        let sound = try #require(FileManager.default.contents(atPath: file.string))
        var counts: [Int] = []
        var judgements = Judgements()
        for size in stride(from: 60, to: sound.count, by: max(1, sound.count / 150)) {
            try sound.prefix(size).write(to: URL(fileURLWithPath: file.string))
            let output = directory.appending("cut\(size)")
            let report = try BagRepairer.repair(bag, .newBag(output))
            let saved = try Row.all(output)
            #expect(saved == Array(rows.prefix(saved.count)), "cut at \(size)")
            #expect(report.messageCount == saved.count)
            let lost = report.files.flatMap(\.losses).reduce(0) { $0 + ($1.messageCount ?? 0) }
            #expect(saved.count + lost == 100, "cut at \(size): \(report)")
            if counts.count.isMultiple(of: 30), !saved.isEmpty {
                judgements.addMCAP(output.appending("bag_0.mcap").string)
            }
            #expect(try BagReader(opening: output).warnings == [])
            counts.append(saved.count)
        }
        #expect(counts == counts.sorted())
        #expect(counts.last == 100)
        try judgements.expectSound()
    }

    /// The chunks of a cut file of ours are the same bytes afterwards.
    @Test func soundChunksStayAsTheyAre() async throws {
        let many = SampleBag.notes(3000, bytes: { _ in 2000 })
        let sink = BagSink(bag, options: BagOptions(storage: .mcap, compression: .zstd))
        try await sink.open([SampleBag.note])
        for message in many { try await sink.write(message) }
        _ = try await sink.finish()
        let file = bag.appending("bag_0.mcap")
        let sound = try #require(FileManager.default.contents(atPath: file.string))
        let chunks = try MCAPFile(opening: file).chunkIndexes
        let third = try #require(chunks.dropFirst(3).first)
        try sound.prefix(Int(third.chunkStartOffset) + 100).write(to: URL(fileURLWithPath: file.string))
        let output = directory.appending("repaired")
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(report.hasLosses && report.messageCount > 1000)
        let saved = try #require(FileManager.default.contents(atPath: output.appending("bag_0.mcap").string))
        #expect(saved.prefix(Int(third.chunkStartOffset)) == sound.prefix(Int(third.chunkStartOffset)))
        try Judge.checkMCAP(output.appending("bag_0.mcap"))
    }

    /// A chunk with a wrong CRC is kept, as `convert` would read it, and it is said that some byte of it is wrong.
    @Test func aWrongChunkIsKeptAndSaid() async throws {
        let sink = BagSink(bag, options: BagOptions(storage: .mcap))
        try await sink.open([SampleBag.note])
        for message in SampleBag.notes(3000, bytes: { _ in 2000 }) { try await sink.write(message) }
        _ = try await sink.finish()
        let rows = try Row.all(bag)
        let file = bag.appending("bag_0.mcap")
        let chunk = try #require(try MCAPFile(opening: file).chunkIndexes.dropFirst().first)
        var bytes = try #require(FileManager.default.contents(atPath: file.string))
        bytes[Int(chunk.chunkStartOffset) + 5000] ^= 1
        try bytes.write(to: URL(fileURLWithPath: file.string))
        let report = try BagRepairer.repair(bag, .inPlace)
        #expect(!report.hasLosses && report.isDamaged)
        let doubts = report.files.flatMap(\.doubts)
        #expect(doubts.count == 1 && doubts[0].contains("chunk at offset \(chunk.chunkStartOffset)"))
        #expect(report.messageCount == 3000)
        let saved = try Row.all(bag)
        #expect(zip(rows, saved).filter { $0 != $1 }.count == 1 && saved.count == 3000)
        #expect(try BagRepairer.repair(bag, .inPlace).isSound)
        try Judge.checkMCAP(file)
    }

    /// What would become larger than is allowed is refused, rather than saved in part.
    @Test func aLargeCompressedDatabaseIsRefused() async throws {
        try await SampleBag.write(bag, 400, options: BagOptions(compression: .zstd))
        let options = BagCheckOptions(unpackLimit: UnpackLimit(fileBytes: 4096))
        let output = directory.appending("repaired")
        #expect { try BagRepairer.repair(bag, .newBag(output), options: options) } throws: {
            "\($0)".contains("unpacked size: expected at most 4096 bytes")
        }
        #expect(!FileManager.default.fileExists(atPath: output.string))
        #expect(try BagRepairer.repair(bag, .newBag(output)).isSound)
    }

    @Test func aCutCompressedDatabaseIsSavedCompressed() async throws {
        try await SampleBag.write(bag, 400, options: BagOptions(compression: .zstd))
        let rows = Set(try Row.all(bag))
        let file = bag.appending("bag_0.db3.zstd")
        let sound = try #require(FileManager.default.contents(atPath: file.string))
        try sound.prefix(sound.count * 3 / 4).write(to: URL(fileURLWithPath: file.string))
        let output = directory.appending("repaired")
        // How much of it can be unpacked is the compressor's business.
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(report.hasLosses)
        #expect(try rows.isSuperset(of: Row.all(output)))
        #expect(try BagReader(opening: output).metadata.compressionMode == "file")
    }
}
