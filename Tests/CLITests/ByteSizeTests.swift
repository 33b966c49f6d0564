import Foundation
import Testing

/// Sizes have one meaning in every option.
@Suite(.serialized) struct ByteSizeTests {
    /// What `bag` makes of a chunk size: the bytes of its files.
    private func files(_ size: String) async throws -> [Data] {
        let folder = try Scratch()
        let session = try await Samples.plain.value
        try await Binary.succeed(["bag", session, "-o", folder("bag"), "--profile", "record", "--chunk-size-mb", size])
        return try SampleBags.files(folder("bag")).map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    }

    @Test func aNumberIsOfTheUnitThatTheOptionNames() async throws {
        let plain = try await files("0.5")
        #expect(plain.count > 2)
        for same in ["0.5MB", "0.5mb", "0.5 MB", "500kB", "500000B", "0.0005GB", "00.500"] {
            #expect(try await files(same) == plain, "\(same)")
        }
        let binary = try await files("0.5MiB")
        #expect(binary != plain)
        for same in ["512KiB", "524288B", "0.524288", "524.288kB"] {
            #expect(try await files(same) == binary, "\(same)")
        }
    }

    @Test func mistakesNameTheOptionAndTheForms() async throws {
        let session = try await Samples.plain.value
        let outcome = try await Binary.run([
            "bag", session, "-o", "never", "--profile", "record", "--chunk-size-mb", "64M",
        ])
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
        try await Command.run(url + ["--max-message-size", "999"]).expectError(2, naming: "1kB to 1000GB", "of bytes")
    }

    @Test func helpSaysWhatANumberMeans() async throws {
        for (command, option) in [("replay", "--queue-mb"), ("replay", "--window-mb")] {
            let help = try await Command.succeed([command, "--help-all"])
            // The help is set in lines.
            let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let text = words.components(separatedBy: option + " <").dropFirst().joined().prefix(300)
            #expect(text.contains("a number of MB"), "\(text)")
        }
    }
}
