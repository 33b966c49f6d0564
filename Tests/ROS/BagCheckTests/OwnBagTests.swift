import BagTools
import Bags
import Messages
import SystemPackage
import TestSupport
import Testing

@Suite("Check: bags of our own")
struct OwnBagTests {
    struct Form: Sendable, CustomTestStringConvertible {
        var storage: BagOptions.Storage
        var serialization = BagOptions.Serialization.cdr
        var distribution = BagOptions.Distribution.any
        var compression = BagOptions.Compression.none
        var mode: BagOptions.CompressionMode?
        var durability = BagOptions.Durability.fast

        var testDescription: String {
            "\(storage) \(serialization) \(distribution) \(compression) \(mode.map { "\($0)" } ?? "-") \(durability)"
        }

        static let all: [Form] =
            BagOptions.Distribution.allCases.flatMap { distribution in
                BagOptions.Storage.allCases.map { Form(storage: $0, distribution: distribution) }
            } + [
                Form(storage: .sqlite3, serialization: .rosbridgeJSON),
                Form(storage: .sqlite3, compression: .zstd, mode: .file),
                Form(storage: .sqlite3, compression: .zstd, mode: .message),
                Form(storage: .sqlite3, durability: .resilient),
                Form(storage: .mcap, compression: .zstd),
                Form(storage: .mcap, compression: .lz4),
            ]
    }

    @Test("nothing is wrong with them, in any form", arguments: Form.all)
    func sound(form: Form) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("bag")
        let options = BagOptions(
            storage: form.storage,
            serialization: form.serialization,
            durability: form.durability,
            distribution: form.distribution,
            compression: form.compression,
            compressionMode: form.mode,
            maximumChunkSeconds: 0.7,
            customData: CheckTraffic.provenance
        )
        try await CheckTraffic.write(to: path, options)
        let report = try BagChecker.check(path, options: ImageDecoding.options)
        #expect(report.complaints.isEmpty, "\(report.text)")
        #expect(report.isSound)
        #expect(report.files.count > 1)
        #expect(report.isOurs == (form.distribution != .humble || form.storage == .mcap))
        #expect(report.messageCount > 200)
        #expect(report.decodedCount == report.messageCount)
        #expect(report.topics.map(\.name) == CheckTraffic.topics.map(\.name).sorted())
    }

    @Test("two checks of a bag say the same")
    func deterministic() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("bag")
        var messages = try CheckTraffic.messages()
        // Times that go back, so that there is something to say.
        messages.swapAt(20, 90)
        messages.swapAt(21, 95)
        let sorted = messages.map(\.timeNanoseconds).sorted()
        #expect(messages.map(\.timeNanoseconds) != sorted)
        try await CheckTraffic.write(to: path, BagOptions(customData: CheckTraffic.provenance), messages: messages)
        let first = try BagChecker.check(path)
        #expect(!first.complaints.isEmpty)
        #expect(try BagChecker.check(path) == first)
    }
}
