import Foundation
import Testing

/// What `mapeverything PATH` says.
@Suite(.serialized) struct GlanceTests {
    private struct Glance: Decodable {
        struct Next: Decodable {
            var command: String
        }
        var kind: String
        var verdict: String?
        var streams: [Stream]?
        var next: [Next]
    }

    private struct Stream: Decodable, Equatable {
        var name: String
        var text: String
        var amount: String
    }

    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func sample(_ name: String, _ options: [String] = []) async throws -> String {
        let shape = ["--duration", "2", "--fps", "10", "--size", "160x120"]
        try await Command.succeed(["sample", "-o", folder(name)] + shape + options)
        return folder(name)
    }

    private func glance(_ path: String) async throws -> Glance {
        let text = try await Command.run([path])
        #expect(text.status == 0 && text.output.split(separator: "\n").count <= 12, "\(text.everything)")
        return try await Command.json([path, "--json"])
    }

    @Test("a session: what is whole, what is there in part, what is not there")
    func session() async throws {
        let room = try await sample("a room", ["--gps"])
        let whole = try await glance(room)
        #expect(whole.kind == "session" && whole.verdict == "sound")
        #expect(
            whole.streams == [
                Stream(name: "images", text: "20, 160x120", amount: "whole"),
                Stream(name: "depth", text: "20, 256x192", amount: "whole"),
                Stream(name: "IMU", text: "imu.jsonl", amount: "whole"),
                Stream(name: "GPS", text: "2 fixes", amount: "whole"),
                Stream(name: "tracking", text: "normal", amount: "whole"),
            ]
        )
        // A space in a path is no end of a word.
        #expect(whole.next.contains { $0.command == "mapeverything bag '\(room)'" }, "\(whole.next)")
        for number in 0..<5 { try FileManager.default.removeItem(atPath: "\(room)/rgb/00000\(number).jpg") }
        try FileManager.default.removeItem(atPath: "\(room)/depth")
        try FileManager.default.removeItem(atPath: "\(room)/imu.jsonl")
        let part = try await glance(room)
        let amounts = Dictionary(uniqueKeysWithValues: (part.streams ?? []).map { ($0.name, $0.amount) })
        #expect(part.streams?.first?.text == "15 of 20, 160x120" && amounts["images"] == "part", "\(part)")
        #expect(amounts["depth"] == "part" && part.verdict == "damaged", "\(part)")
        // Samples of frames are there still.
        #expect(part.streams?.contains(Stream(name: "IMU", text: "frames.jsonl", amount: "whole")) == true)
        #expect(part.next.first?.command.hasPrefix("mapeverything check ") == true)
    }

    @Test("every command that it proposes runs as it is written", arguments: ["session", "bag", "folder", "damaged"])
    func proposals(kind: String) async throws {
        try FileManager.default.createDirectory(atPath: folder("many"), withIntermediateDirectories: false)
        var path = try await sample("many/room")
        if kind == "bag" {
            try await Command.succeed(["bag", path, "-o", folder("room_bag")])
            path = folder("room_bag")
        } else if kind == "folder" {
            _ = try await sample("many/other")
            path = folder("many")
        } else if kind == "damaged" {
            try FileManager.default.removeItem(atPath: "\(path)/rgb/000003.jpg")
        }
        let glance = try await glance(path)
        #expect(glance.kind == (kind == "damaged" ? "session" : kind) && glance.next.count >= 3)
        let here = folder("here")
        try FileManager.default.createDirectory(atPath: here, withIntermediateDirectories: false)
        for next in glance.next {
            var words = next.command.split(separator: " ").dropFirst().map(String.init)
            // What goes on until it is ended; and a player shows what it would publish.
            if words[0] == "serve" { continue }
            if words[0] == "replay" { words.append("--dry-run") }
            let outcome = try await Binary.run(words, in: here)
            let expected: Int32 = kind == "damaged" && words[0] == "check" ? 1 : 0
            #expect(outcome.status == expected, "\(next.command): \(outcome.everything)")
        }
    }

    @Test("what others call their commands is answered with ours")
    func otherNames() async throws {
        for (word, command) in [
            ("view", "serve"), ("doctor", "check"), ("recover", "repair"), ("version", "--version"),
        ] {
            let outcome = try await Command.run([word, "x"])
            #expect(outcome.status == 2 && outcome.errors.contains("did you mean \(command)?"), "\(outcome.everything)")
        }
        // Of a path the option is what is wrong.
        let outcome = try await Command.run([folder.path, "--jsn"])
        #expect(
            outcome.status == 2 && outcome.errors.hasPrefix("mapeverything: --jsn: expected an option"),
            "\(outcome)"
        )
        #expect(outcome.errors.contains("did you mean --json?"), "\(outcome)")
        // A command comes before a folder of its name, and a path that is not there is no path.
        #expect(try await Command.run([folder("nothing")]).status == 2)
    }
}
