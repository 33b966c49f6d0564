import Foundation
import Testing

/// Sizes have one meaning in every option.
@Suite(.serialized) struct ByteSizeTests {
    /// What `bag` makes of a chunk size: the bytes of its files.
    private func files(_ size: String) async throws -> [Data] {
        let folder = try Scratch()
        let session = try await Samples.plain.value
        try await Binary.succeed(["bag", session, "-o", folder("bag"), "--chunk-size-mb", size])
        return try SampleBags.files(folder("bag")).map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    }

    @Test func aNumberIsOfTheUnitThatTheOptionNames() async throws {
        let plain = try await files("1")
        #expect(plain.count > 2)
        for same in ["1MB", "1mb", "1 MB", "1000kB", "1000000B", "0.001GB", "01.0"] {
            #expect(try await files(same) == plain, "\(same)")
        }
        let binary = try await files("1MiB")
        #expect(binary != plain)
        for same in ["1024KiB", "1048576B", "1.048576", "1048.576kB"] {
            #expect(try await files(same) == binary, "\(same)")
        }
    }

    @Test func mistakesNameTheOptionAndTheForms() async throws {
        let session = try await Samples.plain.value
        let outcome = try await Binary.run(["bag", session, "-o", "never", "--chunk-size-mb", "64M"])
        outcome.expectError(
            2,
            naming: "--chunk-size-mb",
            "100kB to 1000GB",
            "64MB (10^6)",
            "64MiB (2^20)",
            "of MB",
            "64M"
        )
        let url = ["replay", session, "--url", "127.0.0.1:9"]
        try await Binary.run(url + ["--max-message-size", "999"]).expectError(2, naming: "1kB to 1000GB", "of bytes")
    }

    @Test func helpSaysWhatANumberMeans() async throws {
        for (command, option) in [("bag", "--chunk-size-mb"), ("replay", "--queue-mb"), ("replay", "--window-mb")] {
            let help = try await Binary.succeed([command, "--help"])
            let text = help.components(separatedBy: option).dropFirst().joined().prefix(300)
            #expect(text.contains("a number of MB") || text.contains("number of\n"), "\(text)")
        }
    }
}
