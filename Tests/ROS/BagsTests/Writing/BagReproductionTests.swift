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

    /// A writer that stalls, so that other rows are committed together: nothing in the files tells.
    @Test(arguments: [BagOptions.Storage.sqlite3, .mcap])
    func aStalledWriterWritesTheSameBytes(_ storage: BagOptions.Storage) async throws {
        let steady = try await chunks(storage, stallingBefore: [])
        #expect(steady.count > 4)
        // In front of the second latched message of a chunk's beginning, and anywhere.
        for places in [[1_001], [3, 1_500, 1_700], [17, 500, 501, 2_002]] {
            let stalled = try await chunks(storage, stallingBefore: Set(places))
            #expect(stalled == steady, "stalled before \(places)")
        }
    }

    /// Small notes, and every thousand messages two latched ones of one time, with which a chunk begins.
    private func chunks(_ storage: BagOptions.Storage, stallingBefore places: Set<Int>) async throws -> [String: Data] {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("bag")
        let latched = ["/first", "/second"].map {
            Topic(name: $0, type: StringMessage.self, qos: .latched, delivery: .control)
        }
        let options = BagOptions(
            storage: storage,
            durability: .resilient,
            maximumChunkBytes: 90_000,
            maximumChunkSeconds: 1
        )
        let sink = BagSink(bag, options: options)
        try await sink.open(latched + [SampleTraffic.note])
        for number in 0..<3_000 {
            var message = StringMessage()
            message.data = "\(number) " + String(repeating: "x", count: number % 90)
            let topic = number % 1_000 < 2 ? latched[number % 1_000] : SampleTraffic.note
            let step = number % 1_000 == 1 ? number - 1 : number
            if places.contains(number) { try await Task.sleep(for: .milliseconds(450)) }
            try await sink.write(
                StampedMessage(
                    topic: topic,
                    timeNanoseconds: SampleTraffic.start + Int64(step) * 1_000_000,
                    message: message
                )
            )
        }
        _ = try await sink.finish()
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: bag.string) {
            contents[name] = FileManager.default.contents(atPath: bag.appending(name).string)
        }
        return contents
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
