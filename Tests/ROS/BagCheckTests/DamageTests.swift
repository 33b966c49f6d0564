import BagTools
import Bags
import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

/// Files that are cut and changed at any place: told, never a crash.
@Suite("Check: damaged files")
struct DamageTests {
    private let directory: TemporaryDirectory
    private let path: FilePath

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.appending("bag")
    }

    /// The only file of a new bag.
    private func write(_ options: BagOptions) async throws -> FilePath {
        try await CheckTraffic.write(to: path, options, messages: CheckTraffic.messages(ticks: 6))
        let names = try FileManager.default.contentsOfDirectory(atPath: path.string)
        let name = try #require(names.first { $0.hasPrefix("bag_0") })
        return path.appending(name)
    }

    private static func bytes(_ file: FilePath) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.string)))
    }

    @Test("an .mcap file that is cut anywhere", arguments: [BagOptions.Compression.none, .zstd])
    func cut(compression: BagOptions.Compression) async throws {
        let file = try await write(BagOptions(storage: .mcap, compression: compression))
        let whole = try Self.bytes(file)
        // Nothing is left to be saved.
        for length in [0, 5] {
            try SessionBuilder.write(Array(whole[..<length]), to: file)
            #expect(try BagChecker.check(path).complaints == ["error bag.foreign-file"])
        }
        let lengths = Array(stride(from: 491, to: whole.count, by: 491)) + Array((whole.count - 40)..<whole.count)
        for length in lengths {
            try SessionBuilder.write(Array(whole[..<length]), to: file)
            let report = try BagChecker.check(path)
            #expect(!report.isSound, "\(length) of \(whole.count) bytes")
            let advice = report.findings.filter { $0.severity == .error }.map(\.advice)
            #expect(advice.contains { $0.contains("mapeverything repair") }, "\(length) bytes: \(report.text)")
        }
    }

    @Test("any bit of an .mcap file of ours is told when it changes")
    func bits() async throws {
        let file = try await write(BagOptions(storage: .mcap, customData: CheckTraffic.provenance))
        let whole = try Self.bytes(file)
        #expect(try BagChecker.check(path).complaints.isEmpty)
        var generator = SeededRandomNumbers(seed: 11)
        let tail = (whole.count - 60)..<whole.count
        for place in (0..<80).map({ _ in Int.random(in: 0..<whole.count, using: &generator) }) + tail {
            var changed = whole
            changed[place] ^= 1 << Int.random(in: 0..<8, using: &generator)
            try SessionBuilder.write(changed, to: file)
            let report = try BagChecker.check(path)
            #expect(!report.isSound, "byte \(place) of \(whole.count)")
            let name = try #require(file.lastComponent?.string)
            let inMemory = BagChecker.check(MCAPMemorySource(changed), named: name)
            // What is no .mcap file any more is looked into where it lies only.
            if place >= 8 { #expect(try inMemory == BagChecker.check(file), "byte \(place)") }
        }
    }

    @Test("a .db3 file that is cut at any page, and changed at any byte")
    func database() async throws {
        let file = try await write(BagOptions(maximumChunkBytes: 4 << 20))
        let whole = try Self.bytes(file)
        let pages = whole.count / 4096
        #expect(pages > 10)
        for page in 0..<pages {
            try SessionBuilder.write(Array(whole[..<(page * 4096)]), to: file)
            #expect(try !BagChecker.check(path).isSound, "\(page) of \(pages) pages")
        }
        var generator = SeededRandomNumbers(seed: 12)
        for _ in 0..<60 {
            var changed = whole
            for _ in 0..<4 {
                changed[Int.random(in: 0..<whole.count, using: &generator)] = UInt8.random(
                    in: 0...255,
                    using: &generator
                )
            }
            try SessionBuilder.write(changed, to: file)
            // Empty space of a page may hold anything; what matters is that there is an answer, and always the same.
            #expect(try BagChecker.check(path) == BagChecker.check(path))
        }
    }

    @Test("a compressed file that is cut")
    func compressedFile() async throws {
        let file = try await write(BagOptions(compression: .zstd, compressionMode: .file))
        let whole = try Self.bytes(file)
        for length in [0, 10, whole.count / 2, whole.count - 1] {
            try SessionBuilder.write(Array(whole[..<length]), to: file)
            let report = try BagChecker.check(path)
            #expect(report.has(.compressionFile), "\(report.text)")
            #expect(!report.isSound)
        }
    }

    @Test("a compressed file that becomes larger than is allowed")
    func largeFile() async throws {
        _ = try await write(BagOptions(compression: .zstd, compressionMode: .file))
        let options = BagCheckOptions(unpackLimit: UnpackLimit(fileBytes: 4096))
        let report = try BagChecker.check(path, options: options)
        let finding = try #require(report.findings.first { $0.kind == .compressionFile }, "\(report.text)")
        #expect(finding.places[0].description.contains("unpacked size: expected at most 4096 bytes"))
        #expect(try !BagChecker.check(path).has(.compressionFile))
    }

    @Test("a compressed message that is changed")
    func compressedMessage() async throws {
        let file = try await write(BagOptions(compression: .zstd, compressionMode: .message))
        try HandmadeBag.execute("UPDATE messages SET data = substr(data, 1, length(data) - 3) WHERE id = 4", file)
        let report = try BagChecker.check(path)
        let finding = try #require(report.findings.first { $0.kind == .compressionMessage }, "\(report.text)")
        #expect(finding.severity == .error && finding.count == 1 && finding.places[0].position == .row(4))
        // It is counted all the same: it is there, and only its content is lost.
        #expect(!report.has(.metadataCount))
    }

    @Test("what stands at the place of a finding is what was changed there")
    func places() async throws {
        let file = try await write(BagOptions(storage: .mcap))
        var bytes = try Self.bytes(file)
        let magic = bytes.count - 8
        bytes[magic] = 0
        try SessionBuilder.write(bytes, to: file)
        let report = try BagChecker.check(path)
        let finding = try #require(report.findings.first { $0.kind == .mcapMagic }, "\(report.text)")
        #expect(finding.places[0].file == "bag_0.mcap")
        #expect(finding.topic == nil && finding.severity == .error)
    }

    @Test("parts of files alone are a bag that was never finished")
    func partsAlone() async throws {
        let file = try await write(BagOptions())
        try FileManager.default.moveItem(atPath: file.string, toPath: file.string + ".part")
        try FileManager.default.removeItem(atPath: path.appending("metadata.yaml").string)
        let report = try BagChecker.check(path)
        #expect(report.complaints == ["error bag.leftover", "error metadata.missing", "warning bag.empty"])
        #expect(report.files.isEmpty && report.messageCount == 0)
    }

    /// Before, such a bag was called damaged, although nothing that it lists is missing.
    @Test("what a killed writer of a fast bag leaves is usable")
    func interruptedWriter() async throws {
        let file = try await write(BagOptions())
        try FileManager.default.copyItem(atPath: file.string, toPath: path.appending("bag_1.db3.part").string)
        let report = try BagChecker.check(path)
        #expect(report.isSound && report.complaints == ["warning bag.leftover"])
        #expect(report.findings.contains { "\($0)".contains("usable: the writer was interrupted") })
        try FileManager.default.removeItem(atPath: file.string)
        #expect(try !BagChecker.check(path).isSound)
    }

    /// A batch of a resilient bag is shown before it is counted.
    @Test("an interrupted bag that holds more than it counts is usable, one that holds less is not")
    func countsBehind() async throws {
        let file = try await write(BagOptions())
        let metadata = path.appending("metadata.yaml")
        let text = try String(contentsOfFile: metadata.string, encoding: .utf8)
        let count = try #require(text.firstMatch(of: /\n  message_count: ([0-9]+)/)?.output.1)
        func countAs(_ other: Int) throws {
            let changed = text.replacing("message_count: \(count)\n", with: "message_count: \(other)\n")
            try Data(changed.utf8).write(to: URL(fileURLWithPath: metadata.string))
        }
        let number = try #require(Int(count))
        try countAs(number - 1)
        #expect(try !BagChecker.check(path).isSound)
        try Data().write(to: URL(fileURLWithPath: file.string + ".part"))
        let report = try BagChecker.check(path)
        #expect(report.isSound && report.complaints.contains("warning metadata.count"), "\(report.complaints)")
        try countAs(number + 1)
        #expect(try !BagChecker.check(path).isSound)
    }

    @Test("a write-ahead log is read, and leaves nothing behind")
    func log() async throws {
        let file = try await write(BagOptions())
        let writer = try SQLiteDatabase(opening: file, access: .readWrite)
        try writer.execute("PRAGMA journal_mode=WAL")
        try writer.execute("PRAGMA wal_autocheckpoint=0")
        try writer.execute("INSERT INTO messages SELECT 9999, topic_id, timestamp, data FROM messages WHERE id = 9")
        // A copy of what lies there while the writer is at work is what a crash leaves.
        let copy = directory.appending("copy.db3")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: file.string + suffix, toPath: copy.string + suffix)
        }
        try writer.close()
        let before = try BagChecker.check(file).messageCount
        let report = try BagChecker.check(copy)
        #expect(report.messageCount == before)
        #expect(report.has(.databaseJournal) && !report.isSound, "\(report.text)")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path.string).sorted()
        #expect(names == ["bag", "copy.db3", "copy.db3-wal"])
    }
}
