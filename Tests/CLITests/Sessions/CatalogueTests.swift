import Foundation
import Testing

/// What the command says of itself.
@Suite(.serialized) struct CatalogueTests {
    @Test func documentationHasTheTable() async throws {
        let table = try await Command.succeed(["topics", "--markdown"])
        let page = try String(contentsOfFile: Repository.path("docs/topics.md"), encoding: .utf8)
        let begin = try #require(page.firstRange(of: "<!-- topics -->\n"))
        let end = try #require(page.firstRange(of: "<!-- /topics -->"))
        #expect(String(page[begin.upperBound..<end.lowerBound]) == table)
    }

    @Test func everyFormHasEveryTopic() async throws {
        struct Entry: Decodable {
            var name: String
            var type: String
            var in_record: Bool
            var in_app: Bool
        }
        let entries: [Entry] = try await Command.json(["topics", "--json"])
        #expect(entries.count == 35 && Set(entries.map(\.name)).count == 35)
        #expect(entries.count { $0.in_app } == 11 && entries.count { $0.in_record } == 13)
        let text = try await Command.succeed(["topics"])
        for entry in entries {
            #expect(text.contains(entry.name + " ") && text.contains(entry.type))
            let definition = try await Command.succeed(["topics", "--msg", entry.type])
            #expect(definition.hasPrefix("# \(entry.type)\n# RIHS01_"))
        }
    }

    /// The lines that declare something, each with single spaces.
    private func declarations(_ text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            let code = line.prefix { $0 != "#" }.split(separator: " ").joined(separator: " ")
            return code.isEmpty ? nil : code
        }
    }

    @Test func definitionsAreThoseOfThePackage() async throws {
        let folder = Repository.messages + "/msg"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".msg") }
        #expect(files.count == 9)
        for file in files {
            let name = "mapeverything_msgs/\(file.dropLast(4))"
            let printed = try await Command.succeed(["topics", "--msg", name])
            let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            #expect(declarations(printed) == declarations(text), "\(file)")
        }
    }

    @Test func definitionsOfCommonTypesAndOfFoldersArePrinted() async throws {
        let joints = try await Command.succeed(["topics", "--msg", "sensor_msgs/JointState"])
        #expect(joints.hasPrefix("# sensor_msgs/msg/JointState\n# RIHS01_a13ee3a330e346c9d87b5aa18d24e116"))
        #expect(
            declarations(joints) == [
                "std_msgs/Header header", "string[] name", "float64[] position", "float64[] velocity",
                "float64[] effort",
            ]
        )
        let folder = Repository.messages
        let named = try await Command.succeed([
            "topics", "--msg", "mapeverything_msgs/GeoTileInfo", "--msg-path", folder,
        ])
        #expect(named == (try await Command.succeed(["topics", "--msg", "mapeverything_msgs/GeoTileInfo"])))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionsKnowTheCommands(shell: String) async throws {
        let script = try await Command.succeed(["completions", shell])
        for word in ["inspect", "replay", "bag", "record", "sample", "voxel-size"] {
            #expect(script.contains(word), "\(word)")
        }
        if shell == "bash" {
            let file = try Scratch()
            try Data(script.utf8).write(to: URL(fileURLWithPath: file("completions")))
            let check = try await ChildProcess("/bin/bash", ["-n", file("completions")]).finish()
            #expect(check.status == 0 && check.errors.isEmpty, "\(check)")
        }
    }

    @Test func helpAndVersionAreResults() async throws {
        let version = try await Command.run(["--version"])
        #expect(version.status == 0 && version.errors.isEmpty)
        #expect(version.output.split(separator: ".").count == 3)
        let commands = ["inspect", "replay", "bag", "record", "sample", "topics", "completions"]
        for command in [[]] + commands.map({ [$0] }) {
            let help = try await Command.run(command + ["--help"])
            #expect(help.status == 0 && help.errors.isEmpty && help.output.contains("USAGE: mapeverything"))
        }
    }
}
