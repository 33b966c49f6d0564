import Foundation
import Glibc
import Testing

/// The commands that take sessions and bags: which of both a path is, and which options mean something for it.
@Suite(.serialized) struct InputKindTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private static let commands = [["inspect"], ["check"], ["repair"], ["replay", "--dry-run"]]

    /// Every string in a JSON value.
    private static func strings(in value: Any) -> [String] {
        if let text = value as? String { return [text] }
        if let list = value as? [Any] { return list.flatMap { strings(in: $0) } }
        return (value as? [String: Any])?.values.flatMap { strings(in: $0) } ?? []
    }

    private func run(_ command: [String], _ path: String) async throws -> Outcome {
        try await Binary.run([command[0], path] + command.dropFirst(), seconds: 20)
    }

    /// What is named and leads nowhere is missing, as what is not there.
    @Test(arguments: [
        ["inspect"], ["check"], ["repair"], ["list"], ["convert", "-o", "out"], ["bag", "-o", "out"],
        ["map", "-o", "out.ply"],
        ["export", "--to", "tum", "-o", "out.txt"], ["report", "-o", "out.html"], ["replay", "--dry-run"],
    ])
    func aBrokenLinkIsMissing(command: [String]) async throws {
        #expect(symlink("nowhere", folder("link")) == 0)
        let outcome = try await run(command.map { $0.hasPrefix("out") ? folder($0) : $0 }, folder("link"))
        #expect(outcome.status == 66, "\(outcome)")
    }

    /// What is neither is told as both; before, `check` and `repair` knew bags only.
    @Test func whatIsNeitherIsToldAsBoth() async throws {
        try Data("hello".utf8).write(to: URL(fileURLWithPath: folder("note.txt")))
        let old = Data("#ROSBAG V2.0\n".utf8 + [UInt8](repeating: 3, count: 99))
        try old.write(to: URL(fileURLWithPath: folder("old.bag")))
        #expect(mkfifo(folder("pipe"), 0o600) == 0 && mkfifo(folder("pipe.db3"), 0o600) == 0)
        #expect(mkfifo(folder("pipe.zip"), 0o600) == 0)
        try FileManager.default.createDirectory(atPath: folder("empty"), withIntermediateDirectories: false)
        let found = [
            "note.txt": "a file that is none of these", "old.bag": "a ROS 1 bag", "pipe": "a named pipe",
            "pipe.db3": "a named pipe", "pipe.zip": "a named pipe", "empty": "an empty folder",
            "nowhere": "nothing at this path",
        ]
        for (name, words) in found {
            for command in Self.commands {
                let outcome = try await run(command, folder(name))
                outcome.expectError(66, naming: "expected a session", "or a bag", words)
            }
        }
        let converted = try await Command.run(["convert", folder("old.bag"), "-o", folder("out")])
        converted.expectError(66, naming: "or a bag", "a ROS 1 bag")
    }

    /// `convert` called such an archive a session, and all advised a sample in its place.
    @Test func anArchiveOfABagIsNoSession() async throws {
        try await Command.succeed([
            "bag", try await Samples.plain.value, "-o", folder("bag"), "--topics", "/mapping/pose",
        ])
        try await Peer.run("pack.py", [folder("bag"), folder("bag.zip")])
        for command in Self.commands + [["convert", "-o", folder("out")]] {
            let outcome = try await run(command, folder("bag.zip"))
            outcome.expectError(66, naming: "bag", "unpacked")
            #expect(
                !outcome.everything.contains("is a session") && !outcome.everything.contains("sample -o"),
                "\(outcome)"
            )
        }
    }

    /// What is left of a session is no bag; before, `check` and `repair` called it an unsupported one.
    @Test func whatIsLeftOfASessionIsASession() async throws {
        let session = try await Samples.plain.value
        try FileManager.default.copyItem(atPath: session, toPath: folder("parts"))
        try FileManager.default.removeItem(atPath: folder("parts/frames.jsonl"))
        try await Peer.run("pack.py", [session, folder("whole.zip")])
        try FileManager.default.copyItem(atPath: folder("whole.zip"), toPath: folder("cut.zip"))
        try Damage.cut(folder("cut.zip"), to: 0.5)
        for command in Self.commands {
            try await run(command, folder("parts")).expectError(66, naming: "session: ", "frames.jsonl", "a folder of")
            try await run(command, folder("cut.zip")).expectError(65, naming: "session: ", "sound archive")
        }
        #expect(try await Command.run(["check", folder("whole.zip")]).status == 0)
    }

    /// Commands of one recording refuse a folder of many with five names at most; `check` takes all, and what else lies there.
    @Test func aFolderOfManyIsNoBag() async throws {
        let session = try await Samples.plain.value
        try FileManager.default.createDirectory(atPath: folder("many"), withIntermediateDirectories: true)
        for number in 1...7 {
            try FileManager.default.copyItem(atPath: session, toPath: folder("many/r\(number)"))
        }
        try await Binary.succeed(["bag", session, "-o", folder("many/stray.mcap"), "--topics", "/mapping/pose"])
        try Data("none".utf8).write(to: URL(fileURLWithPath: folder("many/r2/frames.jsonl")))
        let inspected = try await Binary.run(["inspect", folder("many")])
        inspected.expectError(66, naming: "expected one session, found 7: ", "r5 and 2 more")
        #expect(inspected.errors.contains("`mapeverything list"), "\(inspected)")
        let check = try await Binary.run(["check", folder("many")])
        #expect(check.status == 65 && check.output.contains("8 checked: 7 sound, 1 damaged"), "\(check)")
    }

    /// Options that mean nothing for a bag are refused, one by one.
    @Test func bagsRefuseWhatIsForSessions() async throws {
        let bag = folder("bag")
        try await Binary.succeed([
            "bag", try await Samples.plain.value, "-o", bag, "--profile", "record", "--topics", "/mapping/pose",
        ])
        let making = [
            ["--voxel-size", "0.2"], ["--frames", "app"], ["--profile", "app"], ["--epoch", "now"],
            ["--colour", "full"], ["-j", "2"], ["--keep-limited-tracking"], ["--no-edge-filter"], ["--outlier", "off"],
        ]
        let choosing = [
            ["--topics", "/tf"], ["--start", "1"], ["--end", "2"], ["--duration", "1"], ["--regex", "x"],
            ["--namespace", "x"], ["--stamp", "now"], ["--remap", "/a:=/b"], ["--exclude-topics", "/tf"],
            ["--exclude-regex", "x"], ["--exact"], ["--strict"], ["-n", "3"], ["--full"],
            ["--stamp", "capture"],
        ]
        for options in making + choosing {
            let name = options[0] == "--no-edge-filter" ? "--edge-filter" : options[0]
            try await Command.run(["inspect", bag] + options).expectError(2, naming: name, bag)
        }
        for options in making {
            let name = options[0] == "--no-edge-filter" ? "--edge-filter" : options[0]
            try await Command.run(["replay", bag, "--dry-run"] + options).expectError(2, naming: name, bag)
        }
        try await Command.succeed(["inspect", bag, "--echo", "/mapping/pose", "-n", "1", "--full"])
    }

    @Test func sessionsRefuseWhatIsForBags() async throws {
        let session = try await Samples.plain.value
        for options in [["--echo", "/tf"], ["-n", "3"], ["--full"], ["--msg-path", "x"]] {
            try await Command.run(["inspect", session] + options).expectError(2, naming: options[0], session)
        }
        try await Command.run(["check", session, "--msg-path", "x"]).expectError(2, naming: "--msg-path", session)
        for options in [["--type", "/a=b/msg/C"], ["--skip-unknown"], ["--msg-path", "x"]] {
            try await Command.run(["replay", session, "--dry-run"] + options).expectError(
                2,
                naming: options[0],
                session
            )
        }
    }

    /// A device model with escape sequences in it: shown, not obeyed; JSON says what stood there.
    @Test func namesOfOthersDoNotReachTheTerminal() async throws {
        let session = folder("session")
        try FileManager.default.copyItem(atPath: try await Samples.plain.value, toPath: session)
        let metadata = URL(fileURLWithPath: session + "/metadata.json")
        var fields = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: metadata)) as? [String: Any])
        let model = "iPhone\u{1B}[2J\u{1B}]0;x\u{7}\u{202E}16\u{9B}31m\nframes 1"
        fields["deviceModel"] = model
        try JSONSerialization.data(withJSONObject: fields).write(to: metadata)
        let text = try await Command.succeed(["inspect", session])
        let isObeyed: (Unicode.Scalar) -> Bool = { $0.value < 0x20 && $0 != "\n" || [0x9B, 0x202E].contains($0.value) }
        #expect(!text.unicodeScalars.contains(where: isObeyed))
        #expect(text.contains(#"iPhone\u001B[2J\u001B]0;x\u0007\u202E16\u009B31m\u000Aframes 1"#))
        let json = try await Command.succeed(["inspect", session, "--json"])
        #expect(!json.unicodeScalars.contains(where: isObeyed))
        #expect(Self.strings(in: try JSONSerialization.jsonObject(with: Data(json.utf8))).contains(model))
    }
}
