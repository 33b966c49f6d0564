import Bags
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Storage files cut at every byte or page, and with every byte wrong: read as far as they are sound, or refused with
/// the place; never other rows than were written, without a word.
struct DamagedStorageTests {
    private let directory: TemporaryDirectory
    private var file: FilePath { directory.appending("bag_0.mcap") }
    private var database: FilePath { directory.appending("bag_0.db3") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(arguments: [MCAPCompression.none, .lz4, .zstd])
    func anMCAPFileCutAtAnyByteGivesItsBeginning(_ compression: MCAPCompression) throws {
        let sound = try content(compression)
        try write(sound, file)
        let rows = try RowJudge.found(BagReader(opening: file))
        #expect(rows.count == 12)
        var counts: [Int] = []
        for size in 0..<sound.count {
            try write(sound.prefix(size), file)
            do {
                let reader = try BagReader(opening: file)
                let found = try RowJudge.found(reader)
                #expect(!reader.warnings.isEmpty, "cut at \(size) and not said")
                #expect(found == Array(rows.prefix(found.count)), "cut at \(size)")
                counts.append(found.count)
            } catch let error as BagError {
                #expect(size < 8 || "\(error)".contains("offset"), "\(error)")
                counts.append(0)
            }
        }
        // Never less for more, and all of it once the data section is whole.
        #expect(counts == counts.sorted())
        #expect(counts.last == 12)
        #expect(Set(counts).count > (compression == .none ? 9 : 3))
    }

    @Test(arguments: [MCAPCompression.none, .zstd])
    func aWrongByteIsFoundOrDoesNotMatter(_ compression: MCAPCompression) throws {
        let sound = try content(compression)
        try write(sound, file)
        let rows = try RowJudge.found(BagReader(opening: file))
        var refusals = 0
        for index in sound.indices {
            var bytes = sound
            bytes[index] ^= 0x41
            try write(bytes, file)
            do {
                let reader = try BagReader(opening: file)
                let found = try RowJudge.found(reader)
                #expect(found == rows || !reader.warnings.isEmpty, "byte \(index)")
            } catch {
                #expect(error is BagError)
                refusals += 1
            }
            let lenient = try? BagReader(opening: file, tolerating: .everything)
            if let lenient, let cursor = try? lenient.rows() {
                while try cursor.next() != nil {}
            }
        }
        #expect(refusals > 0)
    }

    /// What a damaged chunk costs is that chunk: a tolerant reader goes on after it.
    @Test func aTolerantReaderPassesDamagedChunks() throws {
        var bytes = try content(.zstd)
        let chunk = try #require(try MCAPFile(MCAPMemorySource(bytes)).chunkIndexes.dropFirst().first)
        bytes[Int(chunk.chunkStartOffset) + Int(chunk.chunkLength) - 8] ^= 0xff
        try write(bytes, file)
        #expect(throws: BagError.self) { try RowJudge.found(BagReader(opening: file)) }
        let reader = try BagReader(opening: file, tolerating: .damage)
        let cursor = try reader.rows()
        var times: [Int64] = []
        while let row = try cursor.next() { times.append(row.timeNanoseconds) }
        #expect(times.last == 1011)
        #expect((6..<12).contains(times.count))
        #expect(!cursor.problems.isEmpty)
        #expect(try !reader.summary().warnings.isEmpty)
    }

    @Test func aDatabaseCutAtAnyPageIsReadOrRefused() async throws {
        try await record()
        let sound = try #require(FileManager.default.contents(atPath: database.string))
        let rows = try RowJudge.found(BagReader(opening: database))
        var refusals = 0
        for size in stride(from: 0, to: sound.count, by: 4096) {
            try sound.prefix(size).write(to: URL(fileURLWithPath: database.string))
            do {
                let found = try RowJudge.found(BagReader(opening: database))
                #expect(found == Array(rows.prefix(found.count)), "cut at \(size)")
            } catch {
                #expect("\(error)".contains("bag_0.db3"))
                refusals += 1
            }
        }
        #expect(refusals > 10)
    }

    /// What a tolerant reader gives of a damaged .db3 are rows of it, and it says that there are more.
    @Test func aTolerantReaderGivesTheBeginningOfADamagedDatabase() async throws {
        try await record()
        let sound = try #require(FileManager.default.contents(atPath: database.string))
        let rows = try RowJudge.found(BagReader(opening: database))
        try sound.prefix(sound.count * 3 / 4).write(to: URL(fileURLWithPath: database.string))
        let reader = try BagReader(opening: database, tolerating: .everything)
        let cursor = try reader.rows()
        var times: [Int64] = []
        while let row = try cursor.next() { times.append(row.timeNanoseconds) }
        #expect(times.count < rows.count)
        #expect(times == Array(rows.map(\.time).prefix(times.count)))
        #expect(reader.differences.contains { $0.contains("\(times.count) messages were saved one by one") })
        // Without the temporary file that this takes, it gives what SQLite reads.
        let plain = try BagReader(opening: database, tolerating: .everything.subtracting(.salvage))
        let rest = try plain.rows()
        var count = 0
        while try rest.next() != nil { count += 1 }
        #expect(count <= times.count && !(rest.problems + plain.problems).isEmpty)
    }

    private func content(_ compression: MCAPCompression) throws -> [UInt8] {
        var options = MCAPWriterOptions()
        options.chunkBytes = 200
        options.compression = compression
        var writer = try MCAPWriter(profile: "ros2", library: "test", options: options)
        let schema = try writer.addSchema(
            name: "std_msgs/msg/String",
            encoding: "ros2msg",
            data: Array("string data".utf8)
        )
        let channels = try ["/a", "/b"].map { topic in
            try writer.addChannel(topic: topic, schema: schema, messageEncoding: "cdr", metadata: [])
        }
        for index in 0..<12 {
            let bytes = [UInt8](repeating: UInt8(index), count: 20 + index)
            try bytes.withUnsafeBytes { data in
                let time = UInt64(1000 + index)
                try writer.write(
                    channel: channels[index % 2],
                    sequence: 0,
                    logTime: time,
                    publishTime: time,
                    data: data
                )
            }
        }
        try writer.flushChunk()
        let start = writer.takeOutput()
        return start + writer.ending()
    }

    private func write(_ bytes: some Sequence<UInt8>, _ path: FilePath) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path.string))
    }

    private func record() async throws {
        let bag = directory.appending("bag")
        let options = BagOptions(maximumChunkBytes: 7 << 20)
        _ = try await BagSink(bag, options: options).record(SampleTraffic.messages(ticks: 30, points: 50))
        try FileManager.default.moveItem(atPath: bag.appending("bag_0.db3").string, toPath: database.string)
    }
}
