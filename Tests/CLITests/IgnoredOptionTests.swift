import Foundation
import Testing

/// Topics that the input does not have, and options that mean nothing where they stand: named, rather than ignored.
@Suite(.serialized) struct IgnoredOptionTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private struct Report: Decodable {
        struct Absence: Decodable { var name: String }

        var warnings: [String]
        var absent: [Absence]?

        /// What of the command line is warned of.
        var options: [Substring] {
            warnings.filter { $0.hasPrefix("--") }.map { text in text.prefix { $0 != ":" } }
        }
    }

    private func bag() async throws -> String {
        let topics = ["--topics", "/mapping/pose", "/tf"]
        try await Command.succeed(["bag", try await Samples.plain.value, "-o", folder("bag")] + topics)
        return folder("bag")
    }

    @Test func topicsThatAreNotThereAreNamed() async throws {
        let session = try await Samples.plain.value
        let bag = try await bag()
        let commands = [
            ["convert", bag, "-o", folder("converted"), "--force"], ["convert", bag, "--dry-run"],
            ["replay", bag, "--dry-run"], ["replay", session, "--dry-run"],
            ["bag", session, "-o", folder("written"), "--force"], ["inspect", session],
            ["inspect", session, "--exact"],
        ]
        let wrong = ["--topics", "/tf", "/mapping/poes", "--exclude-topics", "/nope", "--remap", "/a:=/b"]
        for command in commands {
            let report: Report = try await Command.json(command + ["--json"] + wrong)
            #expect(report.options == ["--topics /mapping/poes", "--exclude-topics /nope", "--remap /a"], "\(command)")
            #expect(report.warnings.contains { $0.contains("(/mapping/pose, ") }, "\(report.warnings)")
            let text = try await Command.succeed(command + wrong)
            for warning in report.warnings { #expect(text.contains("warning: \(warning)"), "\(command)") }
            #expect(try await Command.run(command + ["--strict"] + wrong).status == 1, "\(command)")
            #expect(try await Command.run(command + ["--strict", "--topics", "/tf"]).status == 0, "\(command)")
            try await Command.run(command + ["--topics", "/nope"])
                .expectError(2, naming: "topics: expected at least one", "(--topics /nope: expected a topic of")
        }
        for command in commands.prefix(3) {
            let report: Report = try await Command.json(command + ["--json", "--type", "/odd=std_msgs/msg/Int32"])
            #expect(report.options == ["--type /odd"])
        }
    }

    /// A replay says it before it waits for the server, on standard error.
    @Test func replaysSayItFirst() async throws {
        for input in [try await Samples.plain.value, try await bag()] {
            let options = ["--url", "127.0.0.1:1", "--topics", "/tf", "/nope", "--reconnect", "off"]
            let outcome = try await Command.run(["replay", input] + options)
            #expect(outcome.status == 69 && outcome.errors.hasPrefix("warning: --topics /nope: expected"), "\(outcome)")
        }
    }

    @Test func topicsWithoutDataAreNamed() async throws {
        let session = try await Samples.plain.value
        let named = ["--topics", "/tf", "/mapping/gps/fix", "/clock"]
        let report: Report = try await Command.json(["bag", session, "-o", folder("bag"), "--json"] + named)
        #expect(report.absent?.map(\.name) == ["/mapping/gps/fix", "/clock"] && report.warnings.isEmpty)
        try await Command.run(["replay", session, "--dry-run", "--topics", "/clock"])
            .expectError(2, naming: "/clock: only with --clock")
        // The fixes come once a second.
        let part = ["--topics", "/tf", "/mapping/gps/fix", "--start", "0.3", "--duration", "0.2"]
        let text = try await Command.succeed(["replay", try await Samples.full.value, "--dry-run"] + part)
        let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("/mapping/gps/fix ") }, "\(text)")
        #expect(row.split(separator: " ").dropFirst(2).first == "0")
    }

    @Test func optionsForFixesAreNamedWhereThereAreNone() async throws {
        let inspect = ["inspect", try await Samples.plain.value]
        let report: Report = try await Command.json(inspect + ["--json", "--heading", "90"])
        #expect(report.options == ["--heading"])
        #expect(try await Command.run(inspect + ["--strict", "--heading", "90"]).status == 1)
        #expect(try await Command.run(inspect + ["--strict"]).status == 0)
        let full: Report = try await Command.json([
            "inspect", try await Samples.full.value, "--json", "--heading", "90",
        ])
        #expect(full.warnings.isEmpty)
    }

    @Test func optionsThatMeanNothingAreRefused() async throws {
        let session = try await Samples.plain.value
        let bag = try await bag()
        let replay = ["replay", session, "--url", "127.0.0.1:1"]
        let cases: [([String], String)] = [
            (["bag", session, "-o", folder("never"), "--voxel-size", "0", "--voxel-point", "first"], "--voxel-point"),
            (["topics", "--markdown", "--json"], "--markdown, --json"),
            (["topics", "--msg", "std_msgs/msg/Int32", "--json"], "--msg, --json"),
            (["topics", "--msg-path", folder.path], "--msg-path"),
            (replay + ["--no-confirm", "--window-mb", "4", "--resend", "1"], "--window-mb, --resend"),
            (replay + ["--insecure"], "--insecure"), (replay + ["--ca", "ca.pem"], "--ca"),
            (["replay", session, "--url", "ws://127.0.0.1:1", "--cert", "a.pem", "--key", "a.key"], "--cert, --key"),
            (["replay", session, "--url", "wss://127.0.0.1:1", "--ca", "ca.pem", "--insecure"], "--ca"),
            (["inspect", bag, "--stamp", "capture"], "--stamp"),
            (["inspect", bag, "--echo", "/tf", "--report", folder("report")], "--report"),
        ]
        for (arguments, name) in cases { try await Command.run(arguments).expectError(2, naming: name) }
    }

    /// Options of several needs are all named at once, each with what it needs, in whatever form they were written.
    @Test func everyOptionIsNamedWithWhatItNeeds() async throws {
        let session = try await Samples.plain.value
        let bag = try await bag()
        let cases: [([String], String)] = [
            (
                ["inspect", bag, "--frames=app", "--voxel-size", "0.1", "--start", "1"],
                "--frames: expected a session to make messages of; --voxel-size: expected a session to make clouds of; "
                    + "--start: expected a session, of which it shows what would be published, found the bag \(bag)"
            ),
            (["inspect", bag, "--exact"], "--exact: expected a session to prepare, found the bag \(bag)"),
            (["report", bag, "-o", folder("page.html"), "-j3"], "-j: expected a session, found the bag \(bag)"),
            (["serve", bag, "--no-edge-filter"], "--edge-filter: expected a session to make clouds of"),
            (
                ["export", session, "--to", "csv", "-o", folder("csv"), "--min-motion", "1"],
                "--min-distance: expected a session and a format of frames, found --to csv of the session \(session)"
            ),
        ]
        for (arguments, text) in cases { try await Command.run(arguments).expectError(2, naming: text) }
    }

    /// A report that cannot be written is an error of every command, before anything is printed.
    @Test func nothingIsPrintedWithoutItsReport() async throws {
        let report = ["--report", folder("no/report.json")]
        for command in ["inspect", "check"] {
            let input = [command, try await Samples.plain.value]
            try await Command.run(input + report).expectError(73, naming: "--report: \(folder("no/report.json"))")
        }
    }
}
