import Bags
import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing

/// The same messages and options give the same bytes.
struct BagReproductionTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(arguments: BagForm.stored.filter { $0.durability == .fast })
    func sameMessagesGiveTheSameBytes(_ form: BagForm) async throws {
        let first = try await contents(form, in: "a")
        #expect(first.count > 3)
        #expect(try await first == contents(form, in: "b"))
    }

    /// The chunks of a file do not tell when it was made visible.
    @Test(arguments: [BagOptions.Compression.none, .lz4, .zstd])
    func aResilientMCAPIsThatOfAFastOne(_ compression: BagOptions.Compression) async throws {
        var form = BagForm(storage: .mcap, compression: compression)
        let fast = try await contents(form, in: "fast")
        form.durability = .resilient
        #expect(try await fast == contents(form, in: "resilient"))
    }

    /// All files by name.
    private func contents(_ form: BagForm, in place: String) async throws -> [String: Data] {
        let files = FileManager.default
        let parent = directory.appending(place)
        try files.createDirectory(atPath: parent.string, withIntermediateDirectories: false)
        let bag = parent.appending("bag")
        let options = form.options(
            maximumChunkBytes: 3 << 20,
            maximumChunkSeconds: form.compression == .none ? nil : 0.3,
            customData: ["z": "1", "a": "2", "m": "3"]
        )
        _ = try await BagSink(bag, options: options).record(SampleTraffic.messages(ticks: 100, points: 40_000))
        var contents: [String: Data] = [:]
        for name in try files.contentsOfDirectory(atPath: bag.string) {
            contents[name] = files.contents(atPath: bag.appending(name).string)
        }
        return contents
    }
}
