import BagTools
import Bags
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Recordings of a real `ros2 bag record` of Humble and Jazzy, closed and killed.
@Suite(.enabled(if: Captures.have("bags-ros2-real"), Comment(rawValue: Captures.absence)))
struct RealRecorderTests {
    private let directory: TemporaryDirectory
    private var output: FilePath { directory.appending("repaired") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func path(_ name: String) -> FilePath { Captures.path("bags-ros2-real/\(name)") }

    @Test(
        arguments: [
            "humble_sqlite3", "humble_sqlite3_file_zstd", "jazzy_mcap_message_zstd", "jazzy_sqlite3_file_zstd",
        ]
    )
    func untouchedOnesAreSound(_ name: String) throws {
        let check = try BagChecker.check(path(name))
        let errors = check.findings.filter { $0.severity == .error }
        #expect(errors.isEmpty, "\(errors)")
        let report = try BagRepairer.repair(path(name), .newBag(output))
        #expect(report.isSound && !report.isDamaged, "\(report)")
        #expect(report.messageCount == check.messageCount)
    }

    @Test(arguments: ["killed_humble_sqlite3", "killed_jazzy_mcap", "killed_jazzy_sqlite3_file_zstd"])
    func killedOnesBecomeSound(_ name: String) throws {
        let report = try BagRepairer.repair(path(name), .newBag(output))
        #expect(!report.isSound && !report.isDamaged, "\(report)")
        let check = try BagChecker.check(output)
        #expect(check.isSound && check.messageCount == report.messageCount)
        // The mcap package reads 71 messages of the .mcap file before the place where it is cut.
        #expect(name.hasSuffix("mcap") ? report.messageCount >= 71 : report.messageCount > 100)
        let rows = try Row.all(output)
        #expect(rows.count == report.messageCount)
        let names = try FileManager.default.contentsOfDirectory(atPath: output.string).filter { $0 != "metadata.yaml" }
        // One form: all of the files are packed, or none.
        #expect(Set(names.map { $0.hasSuffix(".zstd") }).count == 1, "\(names)")
        if name.hasSuffix("mcap") {
            for file in names { try Judge.checkMCAP(output.appending(file)) }
        } else {
            try Judge.readByRosbags(output, count: rows.count)
        }
        #expect(try BagRepairer.repair(output, .inPlace).isSound)
    }

    /// What the real player leaves: the unpacked file beside the packed one, which is no part of the bag.
    @Test func theUnpackedTwinIsNotRead() throws {
        let bag = directory.appending("bag")
        try FileManager.default.copyItem(atPath: path("jazzy_sqlite3_file_zstd").string, toPath: bag.string)
        for item in try FileManager.default.contentsOfDirectory(atPath: bag.string) {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: bag.appending(item).string)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: bag.string)
        let before = try BagChecker.check(bag)
        try ZstandardUnpacking.unpack(bag.appending("rec_0.db3.zstd"), bag.appending("rec_0.db3"))
        let check = try BagChecker.check(bag)
        #expect(check.isSound && check.messageCount == before.messageCount)
        #expect(check.findings.contains { $0.kind == .bagUnlistedFile && $0.severity == .note })
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(report.isSound && report.ignored == ["rec_0.db3"] && report.messageCount == before.messageCount)
        let inPlace = try BagRepairer.repair(bag, .inPlace)
        #expect(inPlace.messageCount == before.messageCount)
        // A packed file that is damaged is replaced by its sound twin.
        var packed = try #require(FileManager.default.contents(atPath: bag.appending("rec_0.db3.zstd").string))
        packed.removeLast(packed.count / 2)
        try packed.write(to: URL(fileURLWithPath: bag.appending("rec_0.db3.zstd").string))
        let mended = try BagRepairer.repair(bag, .newBag(output))
        #expect(mended.messageCount == before.messageCount && !mended.isDamaged, "\(mended)")
    }
}
