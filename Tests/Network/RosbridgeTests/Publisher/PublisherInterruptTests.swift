import Messages
import Rosbridge
import Synchronization
import Testing

@Suite("Publisher, lost and interrupted", .timeLimit(.minutes(2)))
struct PublisherInterruptTests {
    @Test("a lost connection is said at once, and that it is there again")
    func notices() async throws {
        let server = try await ScriptedServer(.drops(afterMessages: 4), .proper)
        let told = Mutex<[String]>([])
        var options = quickOptions()
        options.notice = { text in told.withLock { $0.append(text) } }
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.chatter])
        for number in 0..<20 { try await publisher.write(text("\(number)")) }
        try await until { told.withLock { $0.count } == 2 }
        let lines = told.withLock { $0 }
        #expect(lines[0].hasPrefix("connection lost (") && lines[0].hasSuffix("); trying again for 60 s"), "\(lines)")
        #expect(lines[1].hasPrefix("connected again after "), "\(lines)")
        let report = try await publisher.finish()
        #expect(report.topics.map(\.confirmed) == [20])
        _ = try await server.stop()
    }

    @Test("who hurries does not wait for a server that reads nothing; what it did not confirm is counted")
    func hurry() async throws {
        let server = try await ScriptedServer(.stopsReading(afterMessages: 2))
        let publisher = RosbridgePublisher(try localURL(server.port), options: quickOptions())
        try await publisher.open([.chatter])
        for number in 0..<20 { try await publisher.write(text("\(number)")) }
        let finishing = Task { try await publisher.finish() }
        let clock = ContinuousClock()
        let start = clock.now
        await publisher.hurry()
        await #expect(throws: CancellationError.self) { try await finishing.value }
        #expect(clock.now - start >= .hurry)
        let topic = await publisher.report().topics[0]
        #expect(topic.written + topic.unsent == 20 && topic.confirmed < 20, "\(topic)")
        _ = try await server.stop()
    }

    @Test("who gives up is told that, and not that the connection was lost")
    func aborts() async throws {
        let server = try await ScriptedServer(.stopsReading(afterMessages: 2))
        for _ in 0..<1000 {
            let publisher = RosbridgePublisher(try localURL(server.port), options: quickOptions())
            try await publisher.open([.chatter])
            for number in 0..<5 { try await publisher.write(text("\(number)")) }
            let finishing = Task { try await publisher.finish() }
            await publisher.abort()
            await #expect(throws: CancellationError.self) { try await finishing.value }
        }
        _ = try await server.stop()
    }
}
