import Foundation
import TestSupport
import Testing

/// The recorder among many: steady clients, one that never reads, and one that tries everything.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct RecordCrowdTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private struct Crowd: Decodable {
        /// Messages that an answer to a call after them confirmed, by topic.
        var confirmed: [String: Int]
        var attacks: [String: Attack]
        var newcomers: Int
    }

    /// What an attack met with: a close code, a count of refusals, or a word.
    private enum Attack: Decodable, Equatable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
        case number(Int?)
        case word(String)

        init(integerLiteral value: Int) { self = .number(value) }
        init(stringLiteral value: String) { self = .word(value) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let word = try? container.decode(String.self) {
                self = .word(word)
            } else {
                self = .number(try container.decode(Int?.self))
            }
        }
    }

    private static let steadyClients = 29
    private static let expected: [String: Attack] = [
        "oversized": 1009, "impossible": 1002, "not_utf8": 1007, "unmasked": 1002, "reserved": 1002,
        "not_deflate": 1007, "bomb_of_one": 1009, "bombs_of_many": 400, "wrong_types": 14, "unknown_operations": 17,
        "nested": 3, "many_topics": 1000, "many_keys": 0, "latched": 24, "empty_elements": 2, "fragments": 4,
        "million_refusals": 1000,
        "pings": "stopped", "half_closed": .number(nil), "resets": "gone", "long_head": "HTTP/1.1 431",
        "slow_head": "closed", "strangers": 300,
    ]

    @Test(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)), .timeLimit(.minutes(5)))
    func everyoneElseIsServed() async throws {
        let recording = try await Recording.start(folder)
        let crowd: Crowd = try await Peer.json("record_crowd.py", ["\(recording.port)", "\(Self.steadyClients)"])
        for (name, outcome) in Self.expected { #expect(crowd.attacks[name] == outcome, "\(name)") }
        #expect(crowd.attacks.count == Self.expected.count && crowd.newcomers > 0)
        let peak = try #require(try Self.peakMegabytes(recording.process.identifier))
        #expect(peak < 192)
        let outcome = try await recording.stop()
        #expect(outcome.status == 0, "\(outcome)")
        // However much is refused, the log is one that can be read.
        #expect(outcome.errors.split(separator: "\n").count < 1_500)
        #expect(outcome.output.split(separator: "\n").count(where: { $0.hasPrefix("left out:") }) <= 21)
        let steady = crowd.confirmed.keys.filter { $0.contains("client") }
        #expect(steady.count == Self.steadyClients)
        let recorded: [String: [String]] = try await Peer.json("list_texts.py", [recording.bag, "/steady/"])
        for (topic, count) in crowd.confirmed {
            #expect(count > 0 && recorded[topic]?.prefix(count) == ArraySlice((0..<count).map(String.init)), "\(topic)")
        }
        try await Binary.succeed(["check", recording.bag])
        try await Conformance.check(recording.bag)
    }

    /// The most memory that a process ever had, as the kernel counts it.
    private static func peakMegabytes(_ process: pid_t) throws -> Int? {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }.map { $0 / 1024 }
    }
}
