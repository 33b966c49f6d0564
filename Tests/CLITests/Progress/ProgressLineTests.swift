import Foundation
import Testing

/// The line of progress as a person sees it, in a terminal of a peer.
@Suite(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct ProgressLineTests {
    private struct Seen: Decodable {
        var status: Int32
        var screen: [String]
        var shown: [String]
        var rest: String
    }

    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// Runs the command in a terminal; interrupts it after so many different lines, if any.
    private func watch(_ arguments: [String], columns: Int = 100, interruptAfter count: Int = 0) async throws -> Seen {
        let process = try Peer.start("watch_terminal.py", ["\(columns)", "\(count)", Binary.path] + arguments)
        let outcome = try await process.finish()
        guard outcome.status == 0 else { throw Peer.Unsuccessful(script: "watch_terminal.py", outcome: outcome) }
        return try JSONDecoder().decode(Seen.self, from: Data(outcome.output.utf8))
    }

    @Test("it counts up, and an interrupt takes it away before the error is told")
    func interrupted() async throws {
        let arguments = [
            "sample", "-o", folder("long"), "--duration", "3600", "--size", "1280x960", "--imu-rate", "0",
        ]
        let seen = try await watch(arguments, interruptAfter: 3)
        #expect(seen.status == 130 && seen.screen == ["mapeverything: interrupted"] && seen.rest.isEmpty, "\(seen)")
        let counts = seen.shown.compactMap { line in
            line.firstMatch(of: /^rendering  ([0-9]+) of 108000 images  [0-9]+ %/).flatMap { Int($0.1) }
        }
        #expect(counts.count == seen.shown.count && counts.count >= 3, "\(seen.shown)")
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(seen.shown.contains { $0.contains("images/s") && $0.hasSuffix(" left") }, "\(seen.shown)")
    }

    @Test("it is never as wide as the terminal", arguments: [20, 47])
    func narrow(columns: Int) async throws {
        let arguments = [
            "sample", "-o", folder("long"), "--duration", "3600", "--size", "1280x960", "--imu-rate", "0",
        ]
        let seen = try await watch(arguments, columns: columns, interruptAfter: 2)
        #expect(seen.shown.allSatisfy { $0.count < columns && $0.hasPrefix("rendering") }, "\(seen.shown)")
        // The line of the error wraps in a terminal that is too narrow for it; nothing else is left.
        #expect(seen.screen.joined() == "mapeverything: interrupted" && seen.rest.isEmpty, "\(seen)")
    }

    @Test("what a recorder tells takes its place, and its end too")
    func beside() async throws {
        let seen = try await watch(
            ["record", "-o", folder("bag"), "--address", "127.0.0.1", "--port", "0"],
            interruptAfter: 1
        )
        #expect(seen.status == 0 && seen.rest.isEmpty, "\(seen)")
        #expect(seen.screen.first?.hasPrefix("recording to ") == true, "\(seen)")
        #expect(seen.screen.last?.contains("0 messages from 0 clients") == true, "\(seen)")
        #expect(seen.shown.allSatisfy { $0.hasPrefix("recording  0 messages") }, "\(seen.shown)")
        #expect(!seen.screen.contains { $0.hasPrefix("recording  ") }, "\(seen)")
    }

    @Test("a command that ends leaves its result alone, however long it took, and --progress off shows nothing")
    func clean() async throws {
        let session = try await Samples.full.value
        for options in [[], ["--progress", "off"]] {
            let out = folder("map\(options.count).ply")
            let seen = try await watch(["map", session, "-o", out, "--json"] + options, columns: 1000)
            #expect(seen.status == 0 && seen.rest.isEmpty, "\(seen)")
            _ = try JSONSerialization.jsonObject(with: Data(seen.screen.joined(separator: "\n").utf8))
            if !options.isEmpty { #expect(seen.shown.isEmpty) }
        }
    }

    @Test("a player shows where it is, and how fast it plays")
    func player() async throws {
        let session = try await Samples.plain.value
        let arguments = ["serve", session, "--port", "0", "--play", "--loop", "--control", "off"]
        let seen = try await watch(arguments, columns: 200, interruptAfter: 4)
        #expect(seen.status == 0 && seen.rest.isEmpty, "\(seen)")
        #expect(seen.shown.allSatisfy { $0.contains(/^playing  [0-9.]+ of 3\.9 s  [0-9]+ %/) }, "\(seen.shown)")
        #expect(seen.shown.allSatisfy { $0.contains("rate 1.0") }, "\(seen.shown)")
    }
}
