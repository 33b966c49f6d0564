import Bags
import Foundation
import SystemPackage
import TestSupport
import Testing

/// The rows of a bag, to compare what was saved with what there was.
struct Row: Hashable {
    var topic: String
    var time: Int64
    var bytes: [UInt8]

    static func all(_ bag: FilePath, tolerating tolerance: BagTolerance = []) throws -> [Row] {
        let reader = try BagReader(opening: bag, tolerating: tolerance)
        let cursor = try reader.rows()
        var rows: [Row] = []
        while let row = try cursor.next() {
            rows.append(Row(topic: reader.topics[row.topic].name, time: row.timeNanoseconds, bytes: row.bytes))
        }
        return rows
    }
}

/// Everything in a directory by name; the index of a log is made anew by every reader.
func contents(_ directory: FilePath) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.string) {
        guard !name.hasSuffix("-shm") else { continue }
        contents[name] = FileManager.default.contents(atPath: directory.appending(name).string) ?? Data()
    }
    return contents
}

/// check_bag.py and rosbags on a bag that was repaired.
enum Judge {
    static func check(_ bag: FilePath, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var judgements = Judgements()
        judgements.addRepaired(bag)
        try judgements.expectSound(sourceLocation: sourceLocation)
    }

    /// Whether rosbags opens the bag and counts as many messages.
    static func readByRosbags(_ bag: FilePath, count: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
        guard PeerPython.isAvailable else { return }
        let code = """
            import sys
            from rosbags.rosbag2 import Reader
            with Reader(sys.argv[1]) as reader: print(reader.message_count, sum(1 for _ in reader.messages()))
            """
        let found = try PeerPython.output(of: code, [bag.string])
        #expect(found == "\(count) \(count)", sourceLocation: sourceLocation)
    }

    static func checkMCAP(_ file: FilePath, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var judgements = Judgements()
        judgements.addMCAP(file.string)
        try judgements.expectSound(sourceLocation: sourceLocation)
    }
}

extension Judgements {
    /// Asks about a bag of SQLite files that was repaired.
    mutating func addRepaired(_ bag: FilePath) { addBag(bag.string, ["--allow-stamp-mismatch"]) }

    /// Fails the test for each judgement that is not good; passes where there are no peers.
    func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
        guard PeerPython.isAvailable else { return }
        for verdict in try verdicts() {
            #expect(verdict.status == 0, "\(verdict.output)", sourceLocation: sourceLocation)
        }
    }
}

/// Files as `zstd -d` leaves them.
enum ZstandardUnpacking {
    static func unpack(_ packed: FilePath, _ plain: FilePath) throws {
        try ZstandardFile.decompress(packed, to: plain, limit: 1 << 30)
    }
}
