import Foundation
import Testing

/// What `convert` takes, and what it says of it.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct ConvertSelectionTests {
    private let folder: Scratch
    private var bag: String { folder("bag") }
    private var output: String { folder("output") }

    init() async throws {
        folder = try Scratch()
        try await SampleBags.write(folder("bag"))
    }

    private func readings(_ bags: String...) async throws -> [PeerReading] {
        let readings = try await PeerReading.of(bags)
        return try bags.map { try #require(readings[$0]) }
    }

    @Test func takesTheTopicsThatAreAskedFor() async throws {
        let cases: [([String], [String])] = [
            (["--topics", "/mapping/pose", "/tf"], ["/mapping/pose", "/tf"]),
            (["--regex", "camera"], ["/mapping/camera/camera_info", "/mapping/camera/image/compressed"]),
            (["--regex", "^/tf", "--exclude-topics", "/tf_static"], ["/tf"]),
            (["--exclude-regex", "mapping"], ["/tf", "/tf_static"]),
        ]
        for (index, (options, topics)) in cases.enumerated() {
            try await SampleBags.convert([bag], to: folder("\(index)"), options)
            let read = try await readings(bag, folder("\(index)"))
            let expected = read[0].files.filter { row in topics.contains { row.hasPrefix($0 + " ") } }
            #expect(!expected.isEmpty && read[1].agreed == expected, "\(options)")
        }
    }

    @Test func cutsByTime() async throws {
        try await SampleBags.convert([bag], to: output, ["--start", "0.4", "--end", "1.0"])
        let first = try #require(try await readings(bag)[0].files.compactMap(\.rowTime).min())
        let read = try await readings(bag, output)
        let span = (first + 400_000_000)...(first + 1_000_000_000)
        let latched = { (row: String) in row.hasPrefix("/tf_static ") || row.hasPrefix("/mapping/session ") }
        let expected = read[0].files.filter { span.contains($0.rowTime ?? 0) }
        #expect(!expected.isEmpty && expected.count < read[0].files.count)
        #expect(read[1].rosbags.filter { !latched($0) } == expected.filter { !latched($0) })
        // What was latched before comes along, at the time of the first message.
        let carried = read[1].rosbags.filter(latched)
        #expect(carried.count == 2)
        #expect(carried.allSatisfy { $0.rowTime == read[1].files.compactMap(\.rowTime).min() })
        // The same by the calendar: the sample begins at noon.
        let dates = ["--start", "2026-01-01T12:00:00.4Z", "--end", "2026-01-01T12:00:01Z"]
        try await SampleBags.convert([bag], to: folder("dates"), dates)
        #expect(try await readings(folder("dates"))[0].files == read[1].files)
        try await Conformance.check(output)
    }

    @Test func renames() async throws {
        let outcome = try await Command.run(
            ["convert", bag, "-o", output, "--json", "--remap", "/tf:=/moved/tf", "/mapping/pose:=/pose"]
        )
        let result = try ConversionResult(outcome)
        #expect(result.topics.contains { $0.name == "/moved/tf" } && result.topics.contains { $0.name == "/pose" })
        let read = try await readings(bag, output)
        let renamed = read[0].files.map { row in
            row.hasPrefix("/tf ") ? "/moved" + row : row.hasPrefix("/mapping/pose ") ? String(row.dropFirst(8)) : row
        }
        #expect(read[1].agreed == renamed.sorted())
        try await Conformance.check(output)
    }

    @Test func severalBecomeOneInTheOrderOfTime() async throws {
        let parts = ["poses", "images", "rest"].map { folder($0) }
        try await SampleBags.convert([bag], to: parts[0], ["--topics", "/mapping/pose", "/tf"])
        try await SampleBags.convert([bag], to: parts[1], ["--regex", "camera", "--storage", "mcap"])
        let rest = ["--exclude-topics", "/mapping/pose", "/tf", "--exclude-regex", "camera"]
        try await SampleBags.convert([bag], to: parts[2], rest + BagForm.json.options)
        try await SampleBags.convert(parts, to: output)
        let read = try await readings(bag, output)
        #expect(read[1].agreed == read[0].files)
        let rows = try await BagListing.of(output).rows
        #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.time <= $1.time })
        try await Conformance.check(output)
    }

    @Test func topicsOfTwoTypesAreRefused() async throws {
        let remap = ["--remap", "/mapping/pose:=/tf"]
        let outcome = try await Command.run(["convert", bag, "-o", output] + remap)
        outcome.expectError(65, naming: "/tf", "tf2_msgs/msg/TFMessage", "geometry_msgs/msg/PoseStamped")
        #expect(!FileManager.default.fileExists(atPath: output))
    }

    @Test func dryRunsWriteNothing() async throws {
        let before = try FileTree.contents(folder.path)
        let text = try await Command.succeed([
            "convert", bag, "-o", output, "--dry-run", "--serialization", "rosbridge_json",
        ])
        for topic in SampleBags.topics { #expect(text.contains(topic)) }
        #expect(text.contains("nothing was written"))
        struct Plan: Decodable {
            struct Topic: Decodable { var name: String }
            var inputs: [String]
            var topics: [Topic]
        }
        let plan: Plan = try await Command.json(["convert", bag, "--dry-run", "--json"])
        #expect(plan.inputs == [bag])
        #expect(Set(plan.topics.map(\.name)) == Set(SampleBags.topics))
        #expect(FileTree.differences(before, try FileTree.contents(folder.path)) == [])
        #expect(!FileManager.default.fileExists(atPath: output))
    }

    @Test func reportsWhatItDid() async throws {
        let report = folder("report.json")
        let outcome = try await Command.run(["convert", bag, "-o", output, "--json", "--strict", "--report", report])
        #expect(outcome.status == 0, "\(outcome)")
        let result = try ConversionResult(outcome)
        let read = try await readings(bag)[0].files
        #expect(result.read == read.count && result.written == read.count && result.broken == 0)
        #expect(Set(result.topics.map(\.name)) == Set(SampleBags.topics))
        for topic in result.topics {
            #expect(topic.written == read.count { $0.hasPrefix("\(topic.name) \(topic.type) ") }, "\(topic)")
        }
        #expect(try String(contentsOfFile: report, encoding: .utf8) == outcome.output)
        // Where it came from stays with it.
        let original: BagInspection = try await Command.json(["inspect", bag, "--json"])
        let copy: BagInspection = try await Command.json(["inspect", output, "--json"])
        #expect(copy.custom_data["mapeverything.source"] == "convert")
        for (key, value) in original.custom_data where key != "mapeverything.source" {
            #expect(copy.custom_data[key] == value, "\(key)")
        }
        #expect(original.custom_data["mapeverything.session"] != nil)
    }

    @Test(arguments: [[], ["--force"]])
    func doesNotWriteOverItsInput(force: [String]) async throws {
        let before = try FileTree.contents(bag)
        let inputs = [bag, bag + "/", bag + "/bag_0.db3", folder.path + "/./bag"]
        for input in inputs {
            try await Command.run(["convert", input, "-o", bag] + force).expectError(73, isShaped: false)
        }
        try FileManager.default.createSymbolicLink(atPath: folder("link"), withDestinationPath: bag)
        try await Command.run(["convert", folder("link"), "-o", bag] + force).expectError(73, isShaped: false)
        try await Command.run(["convert", bag, "-o", folder("link")] + force).expectError(73, isShaped: false)
        #expect(FileTree.differences(before, try FileTree.contents(bag)) == [])
    }

    @Test func forceReplacesABagAndNothingElse() async throws {
        try await SampleBags.convert([bag], to: output, ["--topics", "/tf"])
        try await Command.run(["convert", bag, "-o", output]).expectError(73, isShaped: false)
        try await SampleBags.convert([bag], to: output, ["--force"])
        let read = try await readings(bag, output)
        #expect(read[1].agreed == read[0].files)
        try "mine".write(toFile: "\(output)/notes.txt", atomically: true, encoding: .utf8)
        let before = try FileTree.contents(output)
        try await Command.run(["convert", bag, "-o", output, "--force"]).expectError(73, isShaped: false)
        #expect(FileTree.differences(before, try FileTree.contents(output)) == [])
    }

    @Test func wrongUseIsNamed() async throws {
        try await Command.run(["convert", bag]).expectError(2, naming: "--output")
        try await Command.run(["convert", bag, "-o", output, "--start", "frame:3"]).expectError(2, naming: "--start")
        // An empty bag is no answer.
        for span in [["--start", "50"], ["--start", "1", "--end", "0.5"], ["--end", "2020-01-01T00:00:00Z"]] {
            for command in [["convert", bag], ["export", bag, "--to", "csv", "--topic", "/mapping/pose"]] {
                let outcome = try await Command.run(command + ["-o", output] + span)
                outcome.expectError(2, naming: "span: expected a part of the bag, which holds 0.0 s to 1.")
            }
        }
        try await Command.run(["convert", bag, "-o", output, "--type", "/x"]).expectError(2, naming: "--type")
        try await Command.run(["convert", bag, "-o", output, "--remap", "/x"]).expectError(2, naming: "--remap")
        try await Command.run(["convert", folder("absent"), "-o", output]).expectError(66, naming: "absent")
        let json = BagForm.json.options + ["--storage", "mcap"]
        try await Command.run(["convert", bag, "-o", output] + json).expectError(2, isShaped: false)
        #expect(!FileManager.default.fileExists(atPath: output))
    }
}
