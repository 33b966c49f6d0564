import BagTools
import Bags
import Foundation
import SystemPackage
import TestSupport
import Testing

/// What a repair says of one file: each kind of loss with its exact number, where there is one message of it, or none.
struct LossCountTests {
    private let directory: TemporaryDirectory
    private var bag: FilePath { directory.appending("bag") }
    private var file: FilePath { bag.appending("bag_0.db3") }
    private var output: FilePath { directory.appending("repaired") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    // MARK: .db3

    /// A bag of pages of 4 KiB whose description of types cannot be read, so that its messages are saved one by one.
    private func write(_ count: Int, _ change: String = "", bytes: @escaping (Int) -> Int = { _ in 30 }) async throws {
        let sink = BagSink(bag)
        try await sink.open([SampleBag.note])
        for message in SampleBag.notes(count, bytes: bytes) { try await sink.write(message) }
        _ = try await sink.finish()
        try DatabasePages.change(file, change + ";PRAGMA page_size = 4096; VACUUM")
        let root = try DatabasePages.root(of: "message_definitions", file)
        try edit { $0[(root - 1) * 4096] = 0xA7 }
    }

    private func edit(_ file: FilePath? = nil, _ change: (inout Data) throws -> Void) throws {
        let path = (file ?? self.file).string
        var bytes = try #require(FileManager.default.contents(atPath: path))
        try change(&bytes)
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    private func repaired(_ source: FilePath? = nil) throws -> RepairReport.FileReport {
        let report = try BagRepairer.repair(source ?? bag, .newBag(output))
        #expect(report.files.count == 1 && report.remainingErrors.isEmpty)
        return try #require(report.files.first)
    }

    /// A loss in words, to compare all of it.
    private func loss(_ reason: String, _ count: Int?, bytes: Int? = nil) -> String {
        "\(reason): \(count.map { "\($0)" } ?? "?") messages, \(bytes.map { "\($0)" } ?? "?") bytes"
    }

    private func told(_ file: RepairReport.FileReport) -> [String] {
        file.losses.map { loss($0.reason, $0.messageCount, bytes: $0.bytes) }
    }

    @Test(arguments: [1, 2]) func everyMessageIsSaved(count: Int) async throws {
        try await write(count)
        let rows = try Row.all(bag, tolerating: .everything)
        let found = try repaired()
        #expect(found.messageCount == count && found.losses.isEmpty && found.doubts.isEmpty)
        try #require(found.actions.count == 2, "\(found)")
        #expect(found.actions[0].hasPrefix("saved \(count) messages one by one"))
        #expect(found.actions[1] == "added its own metadata")
        #expect(try Row.all(output) == rows && rows.count == count)
    }

    @Test func oneMessageWithoutATime() async throws {
        try await write(3, "UPDATE messages SET timestamp = 'noon' WHERE id = 2")
        let found = try repaired()
        #expect(found.messageCount == 3 && found.losses.isEmpty && found.doubts.isEmpty)
        try #require(found.actions.count == 3, "\(found)")
        #expect(found.actions[1].hasPrefix("gave 1 messages"))
    }

    @Test func oneMessageOfNoTopic() async throws {
        try await write(4, "UPDATE messages SET topic_id = 77 WHERE id = 2")
        let found = try repaired()
        #expect(found.messageCount == 3 && found.doubts.isEmpty)
        #expect(told(found) == [loss("messages of topics that nothing names", 1)])
    }

    @Test func oneTopicInPart() async throws {
        try await write(3, "UPDATE topics SET offered_qos_profiles = printf('%.20000c', 'q')")
        try edit { bytes in try breakChain(of: "q", in: &bytes) }
        let found = try repaired()
        #expect(found.messageCount == 3 && found.losses.isEmpty)
        #expect(found.doubts == ["QoS profiles or type hashes of 1 topics could not be read"])
    }

    /// The messages that are lost and those of no topic count for what is known, too.
    @Test(arguments: [true, false]) func oneMessageOnADamagedPage(hasStray: Bool) async throws {
        let change = hasStray ? "UPDATE messages SET topic_id = 77 WHERE id = 2" : ""
        try await write(6, change) { $0 == 3 ? 30_000 : 30 }
        try edit { bytes in try breakChain(of: "x", in: &bytes) }
        let found = try repaired()
        #expect(found.messageCount == (hasStray ? 4 : 5) && found.doubts.isEmpty)
        let stray = hasStray ? [loss("messages of topics that nothing names", 1)] : []
        #expect(told(found) == [loss("messages on damaged pages", 1)] + stray)
    }

    /// Pages full of one letter lead to none from now on (SQLite file format, 1.6).
    private func breakChain(of letter: Character, in bytes: inout Data) throws {
        let letter = try #require(letter.asciiValue)
        let starts = stride(from: 0, to: bytes.count, by: 4096).filter { start in
            bytes[start + 4..<start + 4096].allSatisfy { $0 == letter }
        }
        #expect(starts.count > 2)
        for start in starts { bytes.replaceSubrange(start..<start + 4, with: [0xFF, 0xFF, 0xFF, 0xFF]) }
    }

    /// A page with a message that is gone from it, in a file that has as many pages as before.
    @Test func oneMessageOnAPageOfZeros() async throws {
        try await write(6) { _ in 3000 }
        let rows = try Row.all(bag, tolerating: .everything)
        try edit { bytes in
            let sound = bytes
            let leaves = stride(from: 4096, to: sound.count, by: 4096).filter {
                sound[$0] == 13 && sound[$0..<$0 + 4096].range(of: Data("3 xxxx".utf8)) != nil
            }
            #expect(leaves.count == 1)
            for start in leaves { bytes.replaceSubrange(start..<start + 4096, with: Data(count: 4096)) }
        }
        let found = try repaired()
        #expect(found.messageCount == 5 && told(found) == [loss("pages that are gone", 1)], "\(found)")
        #expect(try Row.all(output) == rows.filter { $0.time != SampleBag.start + 30_000_000 })
    }

    /// What is left of the last page of a message, a byte or half of it, is not filled with zeros and taken for content.
    @Test(arguments: [1, 2000]) func aCutPageIsNoneOfItsMessage(leftBytes: Int) async throws {
        try await write(6)
        let rows = try Row.all(bag, tolerating: .everything)
        try DatabasePages.change(
            file,
            "UPDATE messages SET data = CAST(printf('%.20000c', 'x') AS BLOB) WHERE id = 6"
        )
        try edit { bytes in
            let last = bytes.count - 4096
            #expect(bytes[last..<last + 4] == Data(count: 4) && bytes[last + 4] == UInt8(ascii: "x"))
            bytes.removeSubrange((last + leftBytes)...)
        }
        let found = try repaired()
        #expect(try Row.all(output) == Array(rows.prefix(5)))
        #expect(found.losses.reduce(0) { $0 + ($1.messageCount ?? 0) } == 1, "\(found.losses)")
    }

    /// Neither metadata.yaml nor an index says how many messages there were.
    @Test func pagesThatAreGoneOfALoneFile() async throws {
        try await write(40, "DROP INDEX timestamp_idx") { _ in 3000 }
        let lone = directory.appending("lone.db3")
        try FileManager.default.copyItem(atPath: file.string, toPath: lone.string)
        try edit(lone) { bytes in bytes.removeLast(3 * 4096) }
        let found = try repaired(lone)
        #expect((20..<40).contains(found.messageCount))
        #expect(told(found) == [loss("what was on pages that are gone", nil, bytes: 3 * 4096)])
    }

    /// A file that lies alone has no findings, and is left as it is.
    @Test(arguments: [BagOptions.Compression.none, .zstd])
    func aLoneFileIsSound(_ compression: BagOptions.Compression) async throws {
        let options = BagOptions(compression: compression, customData: ["mapeverything.version": "1"])
        try await SampleBag.write(bag, options: options)
        let lone = directory.appending(compression == .none ? "lone.db3" : "lone.db3.zstd")
        let name = compression == .none ? "bag_0.db3" : "bag_0.db3.zstd"
        try FileManager.default.copyItem(atPath: bag.appending(name).string, toPath: lone.string)
        let before = try #require(FileManager.default.contents(atPath: lone.string))
        let report = try BagRepairer.repair(lone, .inPlace)
        #expect(report.isSound && report.messageCount == 200, "\(report)")
        #expect(FileManager.default.contents(atPath: lone.string) == before)
    }

    /// What a program left beside a file is taken in, or away, whatever it holds, and nothing of it stays.
    @Test(arguments: ["-wal", "-journal"], [1, 100])
    func sideFilesAreTakenAway(_ suffix: String, size: Int) async throws {
        try await SampleBag.write(bag)
        let rows = try Row.all(bag)
        let side = bag.appending("bag_0.db3" + suffix)
        try Data(repeating: 7, count: size).write(to: URL(fileURLWithPath: side.string))
        try Data(repeating: 7, count: 40).write(to: URL(fileURLWithPath: bag.appending("bag_0.db3-shm").string))
        let report = try BagRepairer.repair(bag, .inPlace)
        #expect(report.files.map(\.actions.count) == [1] && !report.hasLosses, "\(report)")
        #expect(try Row.all(bag) == rows)
        let names = try FileManager.default.contentsOfDirectory(atPath: bag.string).sorted()
        #expect(names == ["bag_0.db3", "metadata.yaml"])
    }

    /// Beside a file that lies alone, too.
    @Test(arguments: ["-wal", "-journal"]) func sideFilesOfALoneFileAreTakenAway(_ suffix: String) async throws {
        try await SampleBag.write(bag)
        let folder = directory.appending("folder")
        try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: false)
        let lone = folder.appending("lone.db3")
        try FileManager.default.copyItem(atPath: file.string, toPath: lone.string)
        let side = folder.appending("lone.db3" + suffix)
        try Data(repeating: 7, count: 100).write(to: URL(fileURLWithPath: side.string))
        let report = try BagRepairer.repair(lone, .inPlace)
        #expect(report.files.map(\.actions.count) == [1] && report.messageCount == 200, "\(report)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.string) == ["lone.db3"])
    }

    // MARK: .mcap

    /// Two chunks of messages of 20 kB: 52 in the first one.
    private func writeChunks() async throws -> (bytes: Data, chunks: [MCAPChunkIndex], rows: [Row]) {
        let sink = BagSink(bag, options: BagOptions(storage: .mcap))
        try await sink.open([SampleBag.note])
        for message in SampleBag.notes(60, bytes: { _ in 20_000 }) { try await sink.write(message) }
        _ = try await sink.finish()
        let path = bag.appending("bag_0.mcap")
        let chunks = try MCAPFile(opening: path).chunkIndexes
        #expect(chunks.count == 2)
        return (try #require(FileManager.default.contents(atPath: path.string)), chunks, try Row.all(bag))
    }

    private func repairedAlone(_ bytes: Data) throws -> RepairReport.FileReport {
        let lone = directory.appending("lone.mcap")
        try bytes.write(to: URL(fileURLWithPath: lone.string))
        try? FileManager.default.removeItem(atPath: output.string)
        return try repaired(lone)
    }

    /// A file that is cut has bytes behind its last whole record, and says nothing of messages.
    ///
    /// Fewer than nine bytes are not even the head of a record.
    @Test func theBytesOfACutFileAreTold() async throws {
        let (bytes, chunks, rows) = try await writeChunks()
        let second = Int(chunks[1].chunkStartOffset)
        let first = second - Int(chunks[0].messageIndexLength) - Int(chunks[0].chunkLength)
        #expect(first == Int(chunks[0].chunkStartOffset))
        let count = rows.count { $0.time <= Int64(chunks[0].messageEndTime) }
        // The head of a record, and what is in front of a chunk's messages: two times, a size, a CRC, a name, a length.
        for (size, lost) in [(0, nil), (1, nil), (8, nil), (9, 9), (20, 20), (9 + 8 + 8 + 8 + 4 + 4 + 8, 49)]
            as [(Int, Int?)]
        {
            let found = try repairedAlone(bytes.prefix(second + size))
            #expect(found.messageCount == count, "\(size)")
            #expect(found.losses.map(\.messageCount) == (lost == nil ? [] : [nil]))
            #expect(found.losses.map(\.bytes) == (lost == nil ? [] : [lost]))
        }
    }

    /// A hole in a chunk without a checksum costs what its index lists, and a message of an unknown channel is one more.
    @Test(arguments: [(1, false), (3, false), (1, true), (3, true)])
    func messagesThatOnlyAnIndexKnows(holes: Int, hasStray: Bool) async throws {
        var (bytes, chunks, rows) = try await writeChunks()
        let start = Int(chunks[1].chunkStartOffset)
        bytes.replaceSubrange(start + 9 + 24..<start + 9 + 28, with: Data(count: 4))
        let sound = bytes
        // In front of the data of a message: the head of the record, channel, number, and two times.
        let places = try rows.suffix(6).map { row in
            try #require(sound.range(of: Data(row.bytes), in: start..<sound.count)).lowerBound - 9 - 22
        }
        bytes.replaceSubrange(places[0]..<places[holes], with: Data(count: places[holes] - places[0]))
        if hasStray { bytes[places[5] + 9] = 9 }
        let end = try #require(try MCAPFile(opening: bag.appending("bag_0.mcap")).dataEnd).place.offset
        let lost = holes + (hasStray ? 1 : 0)
        for size in [end, bytes.count] {
            let found = try repairedAlone(bytes.prefix(size))
            #expect(found.messageCount == 60 - lost)
            #expect(found.losses.map(\.messageCount) == [lost] && found.losses.map(\.bytes) == [nil], "\(found.losses)")
        }
    }
}
