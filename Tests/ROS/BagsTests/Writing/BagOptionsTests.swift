import Bags
import Messages
import TestSupport
import Testing

/// Which options go together.
struct BagOptionsTests {
    typealias Option = BagOptionsConflict.Option

    @Test(arguments: [
        (BagOptions(storage: .mcap, serialization: .rosbridgeJSON), Option.serialization),
        (BagOptions(storage: .mcap, compression: .zstd, compressionMode: .message), .compressionMode),
        (BagOptions(storage: .mcap, compression: .zstd, compressionMode: .file), .compressionMode),
        (BagOptions(storage: .mcap, compressionMode: .file), .compressionMode),
        (BagOptions(compression: .lz4), .compression),
        (BagOptions(compression: .lz4, compressionMode: .message), .compression),
        (BagOptions(compressionMode: .message), .compression),
        (BagOptions(compression: .zstd, compressionMode: BagOptions.CompressionMode.none), .compressionMode),
        (BagOptions(durability: .resilient, compression: .zstd), .compressionMode),
    ])
    func whatMakesNoSenseIsRefused(_ options: BagOptions, _ option: Option) async throws {
        #expect(options.conflict?.option == option)
        let directory = try TemporaryDirectory()
        let sink = BagSink(directory.appending("bag"), options: options)
        await #expect { try await sink.open() } throws: {
            if case BagError.cannotCreate = $0 { true } else { false }
        }
    }

    @Test func compressionWithoutAModeIsThatOfWholeFiles() {
        #expect(BagOptions(compression: .zstd).compressionMode == .file)
        #expect(BagOptions(storage: .mcap, compression: .zstd).compressionMode == .none)
        #expect(BagOptions(storage: .mcap, compression: .lz4).conflict == nil)
        #expect(BagOptions().conflict == nil)
    }
}
