import Bags
import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing

/// Where a bag may be written, and that nothing else is ever removed.
struct BagCreationTests {
    private let directory: TemporaryDirectory
    private var bag: FilePath { directory.appending("bag") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func anExistingPathIsRefused() async throws {
        try write("x", to: bag)
        await expectRefusal(force: false)
        await expectRefusal(force: true)
        #expect(FileManager.default.contents(atPath: bag.string) == Data("x".utf8))
    }

    @Test func anExistingBagIsRefusedWithoutForce() async throws {
        _ = try await BagSink(bag).record(SampleTraffic.messages(ticks: 5))
        let before = try BagReader(opening: bag).summary()
        await expectRefusal(force: false)
        #expect(try BagReader(opening: bag).summary() == before)
    }

    @Test func forceReplacesABagAndAllItsChunks() async throws {
        let small = BagOptions(maximumChunkBytes: 128 << 10)
        _ = try await BagSink(bag, options: small).record(SampleTraffic.messages())
        try write("left by a killed writer", to: bag.appending("bag_99.db3.part"))
        _ = try await BagSink(bag, options: BagOptions(force: true)).record(SampleTraffic.messages(ticks: 5))
        #expect(try names() == ["bag_0.db3", "metadata.yaml"])
        #expect(try BagReader(opening: bag).summary().warnings.isEmpty)
    }

    @Test(arguments: ["notes.txt", "metadata.yaml.bak", "sub", ".hidden"])
    func forceRemovesNothingWhereSomethingElseLies(_ name: String) async throws {
        _ = try await BagSink(bag).record(SampleTraffic.messages(ticks: 5))
        if name == "sub" {
            try FileManager.default.createDirectory(
                atPath: bag.appending(name).string,
                withIntermediateDirectories: false
            )
        } else {
            try write("precious", to: bag.appending(name))
        }
        let before = try names()
        await expectRefusal(force: true)
        #expect(try names() == before)
        #expect(try BagReader(opening: bag).summary().messageCount > 0)
    }

    @Test func placesThatTakeNoDirectoryAreRefused() async throws {
        try write("x", to: directory.appending("file"))
        for path in ["absent/bag", "file/bag", "..", "/"] {
            let sink = BagSink(path.hasPrefix("/") ? FilePath(path) : directory.appending(path))
            await #expect("\(path)") { try await sink.open() } throws: {
                switch $0 {
                case BagError.cannotCreate, BagError.refused: true
                default: false
                }
            }
        }
    }

    /// The names that a lone file has while it is written belong to whom they belong to, through links too.
    @Test(arguments: [".part", ".part.old"], BagOptions.Durability.allCases)
    func namesBesideALoneFileAreKept(_ suffix: String, _ durability: BagOptions.Durability) async throws {
        let file = directory.appending("x.mcap"), beside = directory.appending("x.mcap\(suffix)")
        let precious = directory.appending("precious")
        try write("precious", to: precious)
        var options = BagOptions(storage: .mcap, durability: durability, force: true)
        options.isLoneFile = true
        for isLink in [true, false] {
            if isLink {
                try FileManager.default.createSymbolicLink(
                    atPath: beside.string,
                    withDestinationPath: precious.string
                )
            } else {
                try write("precious", to: beside)
            }
            let sink = BagSink(file, options: options)
            await #expect { try await sink.open(SampleTraffic.topics) } throws: {
                if case BagError.cannotCreate = $0 { true } else { false }
            }
            #expect(FileManager.default.contents(atPath: beside.string) == Data("precious".utf8))
            #expect(FileManager.default.contents(atPath: precious.string) == Data("precious".utf8))
            try FileManager.default.removeItem(atPath: beside.string)
        }
        // What a killed run left of its own is replaced.
        _ = try await BagSink(file, options: options).record(SampleTraffic.messages(ticks: 5))
        let whole = try Data(contentsOf: URL(fileURLWithPath: file.string))
        try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: beside.string))
        _ = try await BagSink(file, options: options).record(SampleTraffic.messages(ticks: 5))
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path.string).sorted()
        #expect(left == ["precious", "x.mcap"])
    }

    /// A file that came to the name meanwhile is not replaced either.
    @Test(arguments: BagOptions.Durability.allCases)
    func whatCameMeanwhileIsKept(_ durability: BagOptions.Durability) async throws {
        let file = directory.appending("x.mcap")
        var options = BagOptions(storage: .mcap, durability: durability)
        options.isLoneFile = true
        let sink = BagSink(file, options: options)
        try await sink.open(SampleTraffic.topics)
        try write("precious", to: file)
        for message in SampleTraffic.messages(ticks: 5) { try? await sink.write(message) }
        await #expect(throws: BagError.self) { _ = try await sink.finish() }
        #expect(FileManager.default.contents(atPath: file.string) == Data("precious".utf8))
    }

    /// A bag that another program recorded is no bag of ours.
    @Test func bagsOfOthersAreNotReplaced() async throws {
        _ = try await BagSink(bag).record(SampleTraffic.messages(ticks: 5))
        let file = bag.appending("bag_0.db3")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file.string))
        // A recorder commits many times.
        bytes[27] = 9
        try bytes.write(to: URL(fileURLWithPath: file.string))
        await expectRefusal(force: true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file.string)) == bytes)
    }

    private func expectRefusal(force: Bool) async {
        let sink = BagSink(bag, options: BagOptions(force: force))
        await #expect { try await sink.open(SampleTraffic.topics) } throws: {
            if case BagError.cannotCreate = $0 { true } else { false }
        }
    }

    private func write(_ text: String, to path: FilePath) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path.string))
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: bag.string).sorted()
    }
}
