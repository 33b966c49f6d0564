import BagTools
import Bags
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Some five hundred .mcap files, one of each form that the specification allows: nothing is wrong with any of them.
///
/// With and without chunks, message indexes, chunk indexes, repeated schemas, repeated channels, statistics, summary
/// offsets, attachments, metadata, CRCs and bytes behind the last field of records; messages out of order in their chunk.
@Suite("Check: every legal form of MCAP", .enabled(if: PeerPython.isAvailable, "needs the Python peers"))
struct MCAPFormTests {
    @Test("no form is damaged, and every reader counts its messages")
    func forms() throws {
        let directory = try TemporaryDirectory()
        let names: [String] = try PeerPython.json(MCAPFormProgram.text, [directory.path.string])
        #expect(names.count >= 400)
        for name in names {
            let path = directory.appending(name + ".mcap")
            let report = try BagChecker.check(path)
            let errors = report.findings.filter { $0.severity == .error }
            #expect(errors.isEmpty, "\(name): \(report.text)")
            #expect(report.messageCount == 12 && report.decodedCount == 12, "\(name)")
            let summary = try BagReader(opening: path).summary()
            #expect(summary.messageCount == 12, "\(name)")
            #expect(summary.topics.map(\.messageCount) == [6, 6], "\(name)")
            #expect(summary.topics.allSatisfy { $0.topic.typeName == "std_msgs/msg/String" }, "\(name)")
        }
    }
}
