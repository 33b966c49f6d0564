import Messages
import Rosbridge
import Testing
import Text

@Suite("What comes again after a lost connection", .timeLimit(.minutes(1)))
struct ResendFilterTests {
    private func marks(_ digests: [Int], unique: Bool = true) -> [ResendFilter.Mark] {
        digests.map { ResendFilter.Mark(digest: $0, isUnique: unique) }
    }

    @Test("of a lost connection copies are left out, also over a third; of a closed one, and of its own, they are not")
    func copies() {
        var filter = ResendFilter()
        #expect(filter.sift(marks([1, 2, 2, 3]), of: 1, nowNanoseconds: 0) == [false, false, false, false])
        filter.end(1, isLost: true, nowNanoseconds: 1)
        #expect(filter.sift(marks([2, 3, 4]), of: 2, nowNanoseconds: 2) == [true, true, false])
        filter.end(2, isLost: true, nowNanoseconds: 3)
        #expect(filter.sift(marks([3, 4, 5]), of: 3, nowNanoseconds: 4) == [true, true, false])
        filter.end(3, isLost: false, nowNanoseconds: 5)
        #expect(filter.sift(marks([3, 4, 5]), of: 4, nowNanoseconds: 6) == [false, false, false])
        // Two that are connected, and both send: nothing was lost.
        #expect(filter.sift(marks([5]), of: 5, nowNanoseconds: 7) == [false])
    }

    @Test("what could be another message of the same content is a copy only behind one; nothing is after minutes")
    func plain() {
        var filter = ResendFilter()
        _ = filter.sift(marks([7, 1]), of: 1, nowNanoseconds: 0)
        _ = filter.sift(marks([8, 9], unique: false), of: 1, nowNanoseconds: 0)
        filter.end(1, isLost: true, nowNanoseconds: 0)
        #expect(filter.sift(marks([8], unique: false), of: 2, nowNanoseconds: 1) == [false])
        #expect(filter.sift(marks([1]), of: 2, nowNanoseconds: 1) == [true])
        #expect(filter.sift(marks([9], unique: false), of: 2, nowNanoseconds: 1) == [true])
        #expect(filter.sift(marks([7]), of: 2, nowNanoseconds: 300_000_000_000) == [false])
    }

    @Test("a server leaves out what came before over a connection that was lost, and counts it")
    func server() async throws {
        let (server, delegate, port) = try await startServer()
        let advertise = #"{"op":"advertise","topic":"/pose","type":"geometry_msgs/PoseStamped"}"#
        func pose(_ second: Int) -> String {
            #"{"op":"publish","topic":"/pose","msg":{"header":{"stamp":{"sec":\#(second),"nanosec":0}}}}"#
        }
        let first = try await RawClient(port: port)
        try await first.send(advertise, pose(1), pose(2))
        try await until { await delegate.messages.count == 2 }
        first.transport.abort()
        try await until { await delegate.events.contains("left 1, 0") }
        let second = try await RawClient(port: port)
        try await second.send(advertise, pose(2), pose(3))
        #expect(try await second.end() == [])
        await server.stop()
        #expect(await delegate.messages.map(\.timeNanoseconds) == [1_000_000_000, 2_000_000_000, 3_000_000_000])
        let report = await server.report()
        #expect(report.repeated == 1 && report.received == 3)
    }

    /// As in rosbridge_suite's message_conversion.
    @Test("a header without a stamp has that of now, and so has the text now; a stamp stays")
    func stamps() async throws {
        let (server, delegate, port) = try await startServer()
        let client = try await RawClient(port: port)
        try await client.send(#"{"op":"advertise","topic":"/pose","type":"geometry_msgs/PoseStamped"}"#)
        for header in ["{}", #"{"frame_id":"map","stamp":"now"}"#, #"{"stamp":{"secs":1,"nsecs":2}}"#] {
            try await client.send(#"{"op":"publish","topic":"/pose","msg":{"header":\#(header)}}"#)
        }
        try await client.send(#"{"op":"publish","topic":"/pose","msg":{"header":{"stamp":"then"}}}"#)
        let answers = try await client.end()
        #expect(answers.count == 1 && answers[0].text().contains(#"expected a time, or \"now\""#), "\(answers)")
        await server.stop()
        let stamps = await delegate.messages.compactMap { $0.message.headerStampNanoseconds }
        #expect(stamps.count == 3 && stamps.last == 1_000_000_002)
        for stamp in stamps.prefix(2) { #expect(stamp > 1_700_000_000_000_000_000) }
        #expect(await delegate.messages.map(\.timeNanoseconds) == stamps)
    }
}
