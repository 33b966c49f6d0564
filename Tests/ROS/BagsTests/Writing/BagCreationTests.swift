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
