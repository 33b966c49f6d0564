import Foundation
import Testing

/// Input that is not there, or not usable: statuses 66 and 65; and damage under --strict: status 1.
@Suite struct InputTests {
    private let directory: Scratch

    init() throws { directory = try Scratch() }

    private func write(_ text: String, to name: String) throws {
        let url = URL(fileURLWithPath: directory(name))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: url)
    }

    private func everyCommand(_ input: String) -> [[String]] {
        let path = directory(input)
        return [
            ["inspect", path], ["bag", path, "-o", directory("out"), "--profile", "record"],
            ["replay", path, "--dry-run"], ["replay", path, "--url", "127.0.0.1:1"],
        ]
    }

    private func expectNoOutput() {
        #expect(!FileManager.default.fileExists(atPath: directory("out")))
    }

    @Test func whatIsNotThere() async throws {
        for command in everyCommand("nowhere") {
            try await Command.run(command).expectError(66, naming: "nowhere")
        }
        expectNoOutput()
    }

    @Test func whatIsNoSession() async throws {
        try write("hello", to: "folder/readme.txt")
        try write("hello", to: "file.txt")
        try FileManager.default.createDirectory(
            atPath: directory("empty"),
            withIntermediateDirectories: false
        )
        for name in ["folder", "file.txt", "empty"] {
            for command in everyCommand(name) { try await Command.run(command).expectError(66, naming: name) }
        }
        expectNoOutput()
    }

    /// Files that are not there; a lone chunk that its writer has left; and a bag without anything in it.
    @Test func bagsThatCannotBeRead() async throws {
        let metadata = """
            rosbag2_bagfile_information:
              version: 4
              storage_identifier: mcap
              relative_file_paths: [other_0.mcap]
              duration: {nanoseconds: 0}
              starting_time: {nanoseconds_since_epoch: 0}
              message_count: 0
              topics_with_message_count: []
              compression_format: ""
              compression_mode: ""
            """
        try write(metadata, to: "other/metadata.yaml")
        try write("rosbag2_bagfile_information: [", to: "broken/metadata.yaml")
        try write("no database", to: "chunk/chunk_0.db3")
        for name in ["other", "broken", "chunk"] {
            let bag = directory(name)
            try await Command.run(["convert", bag, "-o", directory("out")]).expectError(65, naming: name)
            // What lies there can be looked at all the same, if anything can be said of it.
            let inspection = try await Command.run(["inspect", bag])
            #expect(inspection.status == (name == "other" ? 0 : 65), "\(inspection)")
            let complaint = "damaged bag: \(bag)"
            #expect((inspection.output + inspection.errors).contains(complaint), "\(inspection)")
        }
        #expect(!FileManager.default.fileExists(atPath: directory("out")))
    }

    @Test(arguments: [
        "", "\n\n", "{\"frame_index\":0,\"timest", "[1,2]\n", "{\"foo\":1}\n", "\u{0}\u{1}\u{2}\n",
        "{\"frame_index\":0,\"timestamp\":NaN}\n", "{\"frame_index\":0,\"timestamp\":1e999}\n",
    ])
    func sessionsWithoutAUsableFrame(lines: String) async throws {
        try write(lines, to: "session/frames.jsonl")
        for command in everyCommand("session") {
            try await Command.run(command).expectError(65, naming: "session", "frames.jsonl")
        }
        expectNoOutput()
    }

    @Test func damageIsAnErrorOnlyIfStrict() async throws {
        let session = directory("damaged")
        try FileManager.default.copyItem(atPath: try await Samples.plain.value, toPath: session)
        let lines = URL(fileURLWithPath: session + "/frames.jsonl")
        try Data((try String(contentsOf: lines, encoding: .utf8) + "{\"frame_index\":40,\"ti").utf8).write(to: lines)
        try FileManager.default.removeItem(atPath: session + "/depth/000000.bin")
        for command in [["inspect", session], ["replay", session, "--dry-run"]] {
            let tolerant = try await Command.run(command)
            #expect(tolerant.status == 0, "\(tolerant)")
            #expect(tolerant.output.contains("skipped: last line cut in the middle; dropped\n"), "\(tolerant)")
            let strict = try await Command.run(command + ["--strict"])
            #expect(strict.status == 1, "\(strict)")
            #expect(strict.output == tolerant.output)
        }
        let bag = directory("out")
        let strict = try await Binary.run(["bag", session, "-o", bag, "--profile", "record", "--strict"])
        #expect(strict.status == 1, "\(strict)")
        // What could be read is written all the same.
        let summary: BagInspection = try await Command.json(["inspect", bag, "--json"])
        #expect(summary.count("/mapping/pose") == 40)
        let sound = try await Command.run(["inspect", try await Samples.plain.value, "--strict"])
        #expect(sound.status == 0, "\(sound)")
    }
}
