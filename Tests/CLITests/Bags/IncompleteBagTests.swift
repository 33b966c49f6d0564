import Foundation
import Glibc
import SystemPackage
import TestSupport
import Testing

/// A command that leaves out a part of a bag never ends with 0, unless it was told to.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct IncompleteBagTests {
    private let folder: Scratch
    private var bag: String { folder("bag") }

    init() throws { folder = try Scratch() }

    /// Nine rows of the bag belong to no topic.
    private func makeStrayRows() async throws {
        try await SampleBags.write(bag)
        let script = """
            import sqlite3, sys
            connection = sqlite3.connect(sys.argv[1])
            connection.execute("UPDATE messages SET topic_id = 99 WHERE id % 6 = 0")
            connection.commit()
            """
        _ = try PeerPython.output(of: script, ["\(bag)/bag_0.db3"])
    }

    @Test func rowsOfNoTopicAreRefusedOrCounted() async throws {
        try await makeStrayRows()
        let refused = try await Command.run(["convert", bag, "-o", folder("out")])
        refused.expectError(65, naming: "9 of \(SampleBags.count) rows", "99")
        #expect(refused.errors.contains("--accept-damage") && !FileManager.default.fileExists(atPath: folder("out")))

        let accepted = try await Command.run(["convert", bag, "-o", folder("out"), "--accept-damage", "--json"])
        #expect(accepted.status == 0, "\(accepted)")
        let result = try ConversionResult(accepted)
        #expect(result.input_messages == SampleBags.count && result.missing == 9)
        #expect(result.written == SampleBags.count - 9 && result.damage.contains { $0.contains("9 of") })
        let read = try #require(try await PeerReading.of([folder("out")])[folder("out")])
        #expect(read.rosbags.count == SampleBags.count - 9)
        let text = try await Command.run(["convert", bag, "-o", folder("text"), "--accept-damage", "--strict"])
        #expect(text.status == 1 && text.output.contains("46 of 55 messages written"), "\(text)")

        let dry = try await Command.run(["replay", bag, "--dry-run"])
        dry.expectError(65, naming: "9 of \(SampleBags.count) rows")
        let played = try await Command.run(["replay", bag, "--dry-run", "--accept-damage"])
        #expect(played.status == 0 && played.output.contains("in the bag: 55 messages; read: 46"), "\(played)")
        #expect(played.output.contains("missing: 9"))
        let shown = try await Command.succeed(["inspect", bag])
        #expect(shown.contains("9 of 55 rows of topics"), "\(shown)")
    }

    /// What is found only while reading makes the end an error.
    @Test func aHoleInAChunkIsAnErrorAtTheEnd() async throws {
        try await SampleBags.write(bag, ["--storage", "mcap"])
        let path = "\(bag)/bag_0.mcap"
        let script = """
            import struct, sys
            from mcap.reader import make_reader
            path = sys.argv[1]
            data = bytearray(open(path, "rb").read())
            chunk = make_reader(open(path, "rb")).get_summary().chunk_indexes[0]
            start = chunk.chunk_start_offset
            data[start + 33:start + 37] = bytes(4)
            end = start + chunk.chunk_length
            data[end - 60000:end] = bytes(60000)
            open(path, "wb").write(data)
            """
        _ = try PeerPython.output(of: script, [path])
        let outcome = try await Command.run(["convert", bag, "-o", folder("out"), "--json"])
        #expect(outcome.status == 65, "\(outcome)")
        let result = try ConversionResult(outcome)
        #expect(result.input_messages == SampleBags.count && result.missing > 0)
        #expect(result.written + result.missing == SampleBags.count, "\(outcome)")
        #expect(outcome.errors.contains("\(result.missing) of \(SampleBags.count) messages cannot be read"))
        let dry = try await Command.run(["replay", bag, "--dry-run"])
        #expect(dry.status == 65 && dry.errors.contains("\(result.missing) of 55 messages"), "\(dry)")
        #expect(try await Command.run(["replay", bag, "--dry-run", "--accept-damage"]).status == 0)
    }

    /// What only a number still tells is a loss for a repair, too: a file that is not there, rows that were deleted, chunks without a trace.
    @Test(arguments: ["file", "rows", "sum", "chunks"])
    func aRepairSaysWhatOnlyNumbersTell(loss: String) async throws {
        let forms = [
            "file": ["--chunk-seconds", "0.4"], "rows": ["--chunk-seconds", "0.4"],
            "sum": ["--chunk-seconds", "0.4"],
            "chunks": ["--storage", "mcap"],
        ]
        try await SampleBags.write(bag, forms[loss] ?? [])
        let script = """
            import glob, os, sqlite3, struct, sys
            loss, bag = sys.argv[1:]
            files = sorted(glob.glob(bag + "/bag_*"))
            if loss == "file":
                os.remove(bag + "/metadata.yaml")
                os.remove(files[1])
            elif loss in ("rows", "sum"):
                base = sqlite3.connect(files[1])
                base.execute("DELETE FROM messages WHERE id IN (SELECT id FROM messages LIMIT 3)")
                base.commit()
                if loss == "sum":
                    # Before version 5 there are no counts by file.
                    path = bag + "/metadata.yaml"
                    text = open(path).read()
                    text = text[: text.index("\\n  files:") + 1].replace("  version: 8", "  version: 4")
                    open(path, "w").write(text)
            else:
                os.remove(bag + "/metadata.yaml")
                data, kept, at = open(files[0], "rb").read(), b"", 8
                while at < len(data) - 8:
                    opcode, length = struct.unpack_from("<BQ", data, at)
                    # Chunks and their indexes; the summary says of them where they were.
                    if opcode not in (6, 7):
                        kept += data[at : at + 9 + length]
                    at += 9 + length
                open(files[0], "wb").write(data[:8] + kept + data[-8:])
            """
        _ = try PeerPython.output(of: script, [loss, bag])
        let outcome = try await Command.run(["repair", bag, "-o", folder("repaired")])
        #expect(outcome.status == 1, "\(outcome)")
        let wanted = [
            "file": "bag_1.db3: left out: it is not there", "rows": "messages in it, not",
            "sum": "of which 3 are in no file", "chunks": "messages in it, not 0",
        ]
        #expect(outcome.everything.contains(wanted[loss] ?? "?"), "\(outcome)")
        let converted = try await Command.run(["convert", bag, "-o", folder("converted")])
        #expect(converted.status == 65, "\(converted)")
        let checked = try await Command.run(["check", bag])
        #expect(checked.status == 1 && (loss != "file" || checked.output.contains("bag_1.db3")), "\(checked)")
    }

    /// A file of which only the link is there, as of an annex that was not fetched, is one that is missing.
    @Test func aFileThatIsALinkToNothingIsMissing() async throws {
        try await SampleBags.write(bag, ["--chunk-seconds", "0.4"])
        let file = try SampleBags.files(bag)[1]
        try FileManager.default.removeItem(atPath: file)
        #expect(symlink("nowhere", file) == 0)
        let refused = try await Command.run(["convert", bag, "-o", folder("out")])
        #expect(refused.status == 66 && refused.errors.contains("bag_1.db3"), "\(refused)")
        let accepted = try await Command.run(["convert", bag, "-o", folder("out"), "--accept-damage", "--json"])
        #expect(accepted.status == 0, "\(accepted)")
        #expect(try ConversionResult(accepted).written > 20)
    }

    @Test func aNamedPipeIsRefusedAtOnce() async throws {
        try await SampleBags.write(bag)
        for name in ["bag_0.db3", "metadata.yaml"] {
            let path = "\(bag)/\(name)"
            try FileManager.default.moveItem(atPath: path, toPath: "\(path).aside")
            try #require(mkfifo(path, 0o600) == 0)
            for command in [["convert", bag, "-o", folder("out")], ["replay", bag, "--dry-run"]] {
                try await Binary.run(command, seconds: 20).expectError(65, naming: name, "a named pipe")
            }
            _ = try await Binary.run(["inspect", bag], seconds: 20)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: "\(path).aside", toPath: path)
        }
    }

    @Test(.enabled(if: Captures.have("bags-ros2-real"), Comment(rawValue: Captures.absence)))
    func messagesThatTheRealRecorderCompressedAreUnpacked() async throws {
        let real = Captures.path("bags-ros2-real/jazzy_mcap_message_zstd").string
        let outcome = try await Command.run(["convert", real, "-o", folder("out"), "--json"])
        #expect(outcome.status == 0, "\(outcome)")
        let result = try ConversionResult(outcome)
        #expect(result.written == result.input_messages && result.written == 133)
        let script = """
            import sys
            from pathlib import Path
            from rosbags.highlevel import AnyReader
            with AnyReader([Path(sys.argv[1])]) as reader:
                print(sum(reader.deserialize(data, c.msgtype) is not None for c, _, data in reader.messages()))
            """
        #expect(try PeerPython.output(of: script, [folder("out")]) == "133")
    }

    /// The real player leaves the unpacked file beside the packed one.
    @Test(.enabled(if: Captures.have("bags-ros2-real"), Comment(rawValue: Captures.absence)))
    func anUnpackedTwinIsNotPartOfTheBag() async throws {
        let real = Captures.path("bags-ros2-real/jazzy_sqlite3_file_zstd").string
        try FileManager.default.copyItem(atPath: real, toPath: bag)
        _ = chmod(bag, 0o755)
        let alone: BagInspection = try await Command.json(["inspect", bag, "--json"])
        _ = try PeerPython.output(
            of: """
                import sys, zstandard
                data = zstandard.ZstdDecompressor().stream_reader(open(sys.argv[1] + ".zstd", "rb")).read()
                open(sys.argv[1], "wb").write(data)
                """,
            ["\(bag)/rec_0.db3"]
        )
        let both: BagInspection = try await Command.json(["inspect", bag, "--json"])
        #expect(both.messages == alone.messages && both.messages > 0)
        #expect(both.warnings.contains { $0.contains("rec_0.db3 is another form") }, "\(both.warnings)")
    }
}
