import Foundation
import SystemPackage
import TestSupport
import Testing
import Text
import mapeverything

/// No option of any command writes over what is not its own, and none can be forgotten: each one is read, or claimed here.
struct WrittenPathTests {
    /// An option whose value is a file or a folder.
    struct PathOption: CustomTestStringConvertible, Sendable {
        var command: [String]
        var name: String
        var canForce: Bool

        var testDescription: String { (command + [name]).joined(separator: " ") }
        var key: String { command.joined(separator: " ") + " " + name }
    }

    /// Options whose value is read.
    private static let reads: Set<String> = [
        "--poses", "--depth-model", "--onnxruntime", "--geoid", "--tag-map", "--msg-path", "--cert", "--key", "--ca",
        "--client-ca", "--token-file", "--truth", "--listing", "--input", "--profile", "--leave-out",
    ]

    /// What a command needs beside the option; `IN` is a recording, `NEW` a path that does not exist yet.
    private static let needs: [String: [String]] = [
        "record": ["-o", "NEW"], "trim": ["IN", "-o", "NEW"], "convert": ["IN", "-o", "NEW"], "sample": ["-o", "NEW"],
        "export": ["IN", "--to", "tum"], "tags map": ["IN", "-o", "NEW"], "tags locate": ["map.json", "IN"],
        "batch plan": ["IN", "--to", "bag", "-o", "NEW"], "batch run": ["plan.jsonl", "-o", "NEW"],
        "batch catalogue": ["RESULTS"],
        "batch unit": ["--parent", "1", "--memory", "1", "--facts", "NEW", "--thumbnail", "NEW2", "--", "IN", "x"],
    ]

    /// A folder that may be there: a file is made in it, or folders are added to it.
    private static let takesFolders: Set<String> = ["map --output", "batch run --output"]

    /// All of them, from the tree of the commands.
    static let all: [PathOption] = {
        guard let tree = try? JSONValue.parse(WrittenPaths.commandTree) else { return [] }
        return tree["command"].map { options(of: $0, [], isRoot: true) } ?? []
    }()

    private static func options(of command: JSONValue, _ parents: [String], isRoot: Bool = false) -> [PathOption] {
        let path = isRoot ? [] : parents + [command["commandName"]?.string ?? ""]
        let arguments = command["arguments"]?.array ?? []
        func names(_ argument: JSONValue) -> [String] {
            (argument["names"]?.array ?? []).filter { $0["kind"]?.string == "long" }
                .compactMap { $0["name"]?.string.map { "--" + $0 } }
        }
        let canForce = arguments.contains { names($0).contains("--force") }
        let own = arguments.filter { $0["kind"]?.string == "option" }.compactMap { argument -> PathOption? in
            let kind = argument["completionKind"]
            let isPath =
                kind?["file"] != nil || kind?["directory"] != nil
                || ["file", "folder", "path", "facts", "thumbnail"].contains(argument["valueName"]?.string)
            return isPath ? names(argument).first.map { PathOption(command: path, name: $0, canForce: canForce) } : nil
        }
        return own + (command["subcommands"]?.array ?? []).flatMap { options(of: $0, path) }
    }

    static var written: [PathOption] { all.filter { !reads.contains($0.name) } }

    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        for name in ["room", "other", "results"] { try makeFolder(name) }
        try write("{}\n", to: "room/frames.jsonl")
        for (name, place) in [("mine", "room/"), ("notes", "other/"), ("precious", "")] {
            for ending in ["ply", "jsonl"] { try write("precious", to: "\(place)\(name).\(ending)") }
        }
        for ending in ["ply", "jsonl"] {
            try makeFolder("folder.\(ending)")
            try write("precious", to: "folder.\(ending)/notes.txt")
            symlink(path("precious.\(ending)"), path("link.\(ending)"))
            symlink(path("nowhere"), path("dangling.\(ending)"))
            link(path("room/mine.\(ending)"), path("second.\(ending)"))
        }
    }

    private func path(_ name: String) -> String { folder.appending(name).string }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    }

    private func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: false)
    }

    private func arguments(_ option: PathOption, _ value: String, _ force: [String] = []) -> [String] {
        let key = option.command.joined(separator: " ")
        var needs = Self.needs[key] ?? ["IN"]
        let aliases = option.name == "--output" ? ["-o"] : [option.name]
        if let index = needs.firstIndex(where: aliases.contains) { needs.removeSubrange(index...(index + 1)) }
        let words = needs.map { word in
            switch word {
            case "IN": path("room")
            case "NEW": path("new")
            case "NEW2": path("new2")
            case "RESULTS": path("results")
            default: word
            }
        }
        let separator = words.firstIndex(of: "--") ?? words.endIndex
        return option.command + words[..<separator] + [option.name, value] + force + words[separator...]
    }

    @Test func allAreFound() {
        let keys = Set(Self.written.map(\.key))
        #expect(keys.count >= 36, "\(keys.sorted())")
        let known = [
            "bag --output", "bag --report", "replay --save-local", "tags map --g2o", "batch catalogue --output",
            "report --png", "record --html-report", "tags detect --draw", "tags locate --tum", "inspect --report",
        ]
        for key in known { #expect(keys.contains(key), "\(key)") }
    }

    @Test(arguments: written)
    func nothingElseIsReplaced(_ option: PathOption) throws {
        let before = try FileTreeContent(folder.path).files
        // A catalogue has several files, whose endings it adds.
        let ending = option.key == "batch catalogue --output" ? "" : ".ply"
        let new = path("fresh\(ending)")
        // What is free can be claimed: a refusal below is one of the path.
        try WrittenPaths.claim(arguments(option, new))
        var names = ["precious", "link", "dangling", "second", "room/mine", "folder"]
        if Self.takesFolders.contains(option.key) { names.removeLast() }
        if option.command.first != "record", option.command.first != "sample", !option.command.contains("run"),
            option.command.last != "catalogue", option.command.last != "plan"
        {
            names.append("room/new")
        }
        for name in names {
            // Without it nothing that is there is replaced, and with it no more than these.
            let force = option.canForce ? ["--force"] : []
            let arguments = arguments(option, path(name) + ending, force)
            #expect(throws: (any Error).self, "\(arguments)") { try WrittenPaths.claim(arguments) }
        }
        #expect(try FileTreeContent(folder.path).files == before)
    }

    /// A thing of the same kind is refused without `--force`, and the way out is named only where it is one.
    @Test func waysOutAreNamed() throws {
        try write("# mapeverything 0.1.0, session room, map axes\n1 0 0 0 0 0 0 1\n", to: "way.txt")
        let export = ["export", path("room"), "--to", "tum", "-o", path("way.txt")]
        let refusal = #expect(throws: (any Error).self) { try WrittenPaths.claim(export) }
        #expect(WrittenPaths.text(of: refusal).contains("--force"))
        try WrittenPaths.claim(export + ["--force"])
        for name in ["precious.ply", "room"] {
            let sample = #expect(throws: (any Error).self) { try WrittenPaths.claim(["sample", "-o", path(name)]) }
            #expect(!WrittenPaths.text(of: sample).contains("--force"))
        }
    }

    /// Two outputs of one command have two paths, however they are named.
    @Test func outputsAreNotEachOther() throws {
        let first = path("made.html")
        for second in [first, path("other/../made.html")] {
            let report = ["--report", second, "--html-report", first]
            #expect(throws: (any Error).self) {
                try WrittenPaths.claim(["bag", path("room"), "-o", path("bag")] + report)
            }
        }
    }

    /// Streams are written as they are; a report of ours is replaced without `--force`, and no other file.
    @Test func reportsKnowTheirOwn() throws {
        mkfifo(path("pipe"), 0o600)
        try write("{\n  \"mapeverything\": \"0.1.0\",\n  \"path\": \"room\"\n}\n", to: "report.json")
        for place in ["/dev/stdout", "/dev/fd/2", "/dev/null", path("pipe"), path("report.json"), path("new.json")] {
            try WrittenPaths.claim(["check", path("room"), "--report", place])
        }
        try write("{\"path\": \"room\"}", to: "foreign.json")
        symlink(path("report.json"), path("report_link.json"))
        for name in ["foreign.json", "report_link.json", "precious.ply"] {
            #expect(throws: (any Error).self) {
                try WrittenPaths.claim(["check", path("room"), "--report", path(name)])
            }
        }
    }

    /// A bag is a folder or one .mcap file.
    @Test(arguments: ["room.db3", "room.bag", "room.db3.zstd", "ROOM.DB3"])
    func namesOfOtherFilesAreNoFolders(name: String) throws {
        for command in [["bag", path("room"), "-o"], ["record", "-o"], ["replay", path("room"), "--save-local"]] {
            let refusal = #expect(throws: (any Error).self) { try WrittenPaths.claim(command + [path(name)]) }
            #expect(WrittenPaths.text(of: refusal).contains("is a folder, such as"))
        }
    }
}
