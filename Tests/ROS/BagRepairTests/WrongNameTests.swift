import BagTools
import Bags
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Files under names that are not theirs: what is in them decides, and what is written is named by it.
struct WrongNameTests {
    private let directory: TemporaryDirectory
    private var bag: FilePath { directory.appending("bag") }
    private var output: FilePath { directory.appending("repaired") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var options: BagOptions
        /// What the first file is called.
        var name: String
        /// Whether metadata.yaml lists it under that name.
        var isListed: Bool
        var testDescription: String { "\(options.storage) as \(name), \(isListed ? "listed" : "not listed")" }
    }

    static let cases = [
        ("bag_0.mcap", BagOptions()), ("x.mcap", BagOptions()), ("bag_0.db3.zstd", BagOptions()),
        ("x.db3.zstd", BagOptions()), ("x.db3", BagOptions(storage: .mcap)), ("bag_0.db3", BagOptions(storage: .mcap)),
        ("bag_0.mcap.zstd", BagOptions(storage: .mcap)), ("bag_0.db3", BagOptions(compression: .zstd)),
        ("other.db3", BagOptions()),
    ].flatMap { name, options in [true, false].map { Case(options: options, name: name, isListed: $0) } }

    /// Before, the repaired bag kept the name, which no reader opens, and what was there was lost and saved.
    @Test(arguments: cases, [true, false])
    func theNameIsThatOfTheContent(_ wrong: Case, inPlace: Bool) async throws {
        try await SampleBag.write(bag, options: wrong.options)
        let rows = try Row.all(bag)
        let name = try #require(BagMetadataFile.read(in: bag).files.first?.path)
        try FileManager.default.moveItem(
            atPath: bag.appending(name).string,
            toPath: bag.appending(wrong.name).string
        )
        if wrong.isListed {
            let metadata = bag.appending("metadata.yaml").string
            let text = try String(contentsOfFile: metadata, encoding: .utf8)
            try text.replacing(name, with: wrong.name).write(toFile: metadata, atomically: false, encoding: .utf8)
        }
        #expect(try Row.all(bag, tolerating: .everything) == rows)
        let report = try BagRepairer.repair(bag, inPlace ? .inPlace : .newBag(output))
        #expect(!report.hasLosses && !report.isDamaged && report.messageCount == rows.count, "\(report)")
        let result = report.isSound ? bag : report.output
        #expect(try Row.all(result) == rows)
        let names = try FileManager.default.contentsOfDirectory(atPath: result.string).filter { $0 != "metadata.yaml" }
        let ending = name.drop { $0 != "." }
        #expect(names.count == 1 && names[0].hasSuffix(ending), "\(names)")
        #expect(try BagChecker.check(result).findings.allSatisfy { $0.kind != .bagWrongName })
        try Judge.readByRosbags(result, count: rows.count)
    }

    /// What is left of a renamed file is told as that: before, all of it was lost and a part of it saved.
    @Test func aRenamedFileThatLacksSomethingLostJustThat() async throws {
        try await SampleBag.write(bag)
        try DatabasePages.change(bag.appending("bag_0.db3"), "DELETE FROM messages WHERE id > 150")
        try FileManager.default.moveItem(
            atPath: bag.appending("bag_0.db3").string,
            toPath: bag.appending("x.db3").string
        )
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(report.files.flatMap(\.losses).compactMap(\.messageCount) == [50], "\(report)")
        #expect(report.leftOut.isEmpty && report.messageCount == 150 && report.files[0].name == "bag_0.db3")
    }

    @Test func theCheckSaysWhatTheNameShouldBe() async throws {
        try await SampleBag.write(bag)
        let file = directory.appending("named.db3.zstd")
        try FileManager.default.copyItem(atPath: bag.appending("bag_0.db3").string, toPath: file.string)
        let report = try BagChecker.check(file)
        #expect(report.messageCount == 200 && report.isSound)
        #expect(report.findings.contains { $0.kind == .bagWrongName && "\($0)".contains("ends with .db3") })
        let alone = try BagRepairer.repair(file, .inPlace)
        #expect(alone.output == directory.appending("named.db3") && !alone.isDamaged)
    }
}
