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
        try ask(sourceLocation) { $0.addBag(bag.string, ["--allow-stamp-mismatch"]) }
    }

    static func checkMCAP(_ file: FilePath, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try ask(sourceLocation) { $0.addMCAP(file.string) }
    }

    private static func ask(_ location: SourceLocation, _ question: (inout Judgements) -> Void) throws {
        guard PeerPython.isAvailable else { return }
        var judgements = Judgements()
        question(&judgements)
        for verdict in try judgements.verdicts() {
            #expect(verdict.status == 0, "\(verdict.output)", sourceLocation: location)
        }
    }
}
