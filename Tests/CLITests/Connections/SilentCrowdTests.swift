import Foundation
import TestSupport
import Testing

/// A thousand connections that say nothing, to each kind of server: they cost few places and seconds, and others get in.
@Suite(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct SilentCrowdTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// What a client met with that came after the crowd, and what the crowd cost.
    private struct Crowd: Decodable {
        var seconds: Double
        var held: Int
        var descriptors: Int
        var kilobytes: Int
    }

    private func start(_ client: String) async throws -> (process: ChildProcess, port: Int) {
        switch client {
        case "rosbridge":
            let recording = try await Recording.start(folder)
            return (recording.process, recording.port)
        case "foxglove":
            let session = try await ArvosSession.sample.value
            let serving = try await Serving.start(session, ["--play", "--loop"])
            return (serving.process, serving.port)
        case "receiver": return try await ArvosSession.listen(try await ArvosSession.sample.value, ["--loop"])
        case "sender": return try await ArvosSession.record(folder("bag"), ["--arvos", "127.0.0.1:0"])
        default: return try await ArvosSession.record(folder("bag"), ["--arvos-http", "127.0.0.1:0"])
        }
    }

    @Test("with few descriptors there are fewer places, and others get in all the same", .timeLimit(.minutes(2)))
    func fewDescriptors() async throws {
        let options = ["record", "-o", folder("bag"), "--port", "0"]
        let process = try ChildProcess("/bin/sh", ["-c", "ulimit -n 100; exec \"$0\" \"$@\"", Binary.path] + options)
        let line = try await process.waitForError("listening on ws")
        let digits = line.split(separator: "127.0.0.1:").last?.prefix { $0.isNumber }
        let port = try #require(digits.flatMap { Int($0) })
        let arguments = ["\(port)", "rosbridge", "silent,slow,open", "\(process.identifier)"]
        let peer = try Peer.start("silent_crowd.py", arguments)
        let crowd = try JSONDecoder().decode(Crowd.self, from: Data(try await peer.waitForOutput("{").utf8))
        #expect(crowd.seconds < 8 && crowd.held < 90, "\(crowd)")
        await process.signal(SIGINT)
        let outcome = try await process.finish()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains(" clients at a time, as ulimit -n is 100"), "\(outcome)")
    }

    /// Client and crowd; those of one line after the other, as each computes for a second.
    private static let cases = [
        [("post", "body")], [("rosbridge", "silent,slow,open"), ("foxglove", "silent,slow,open")],
        [("receiver", "silent,slow,open"), ("sender", "silent,slow,open"), ("post", "silent,slow,open")],
    ]

    @Test("silent, slow and idle connections keep nobody out", .timeLimit(.minutes(2)))
    func othersGetIn() async throws {
        try await withThrowingTaskGroup { group in
            for cases in Self.cases {
                group.addTask {
                    // Each has a folder of its own.
                    for (client, kinds) in cases { try await SilentCrowdTests().othersGetIn(client, kinds) }
                }
            }
            try await group.waitForAll()
        }
    }

    private func othersGetIn(_ client: String, _ kinds: String) async throws {
        let (process, port) = try await start(client)
        let peer = try Peer.start("silent_crowd.py", ["\(port)", client, kinds, "\(process.identifier)"])
        let line = try await peer.waitForOutput("{", seconds: 90)
        let crowd = try JSONDecoder().decode(Crowd.self, from: Data(line.utf8))
        // Two seconds of patience, six for those to whom more is sent, ten for a body; and what a tick and a try take.
        #expect(crowd.seconds < (kinds == "body" ? 14 : client == "receiver" ? 12 : 8), "\(client) \(crowd)")
        // 64 clients, 64 connections without a handshake, and some that are about to be closed.
        #expect(crowd.held <= 128 && crowd.descriptors < 160, "\(crowd)")
        #expect(crowd.kilobytes < 64 << 10, "\(crowd)")
        let began = ContinuousClock.now
        await process.signal(SIGINT)
        let outcome = try await process.finish()
        // Two seconds are those of a closing handshake that is not answered.
        #expect(.now - began < .seconds(4), "\(outcome)")
        #expect(outcome.status == (client == "receiver" ? 130 : 0), "\(outcome)")
        // Each who comes and goes is told; a thousand that do not get in are counted.
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count < 300, "\(outcome)")
        #expect(lines.contains { $0.contains(" connections were refused, as all 64 places were taken") }, "\(outcome)")
        guard kinds != "body" else { return }
        let closed = " connections were closed before their handshake was complete"
        #expect(lines.contains { $0.hasSuffix(closed) }, "\(outcome)")
    }
}
