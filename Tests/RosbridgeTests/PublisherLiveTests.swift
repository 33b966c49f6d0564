import ROS
import Rosbridge
import Testing

@Suite("Publisher, live", .timeLimit(.minutes(2)))
struct PublisherLiveTests {
    @Test("after an interruption what is too old is dropped and counted, by topic, and latched topics come again")
    func interrupted() async throws {
        let server = try await ScriptedServer(.drops(afterMessages: 6), .proper)
        var options = quickOptions()
        options.onFull = .drop
        options.liveWindow = .milliseconds(20)
        options.settle = .milliseconds(100)
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.chatter, .cloud, .fixed])
        try await publisher.write(text("map", on: .fixed))
        for number in 0..<10 {
            try await publisher.write(text("\(number)"))
            try await publisher.write(bytes(1000 + number))
        }
        try await until { await publisher.progress().interruptions == 1 }
        try await until { await publisher.progress().reconnections == 1 }
        try await publisher.write(text("new"))
        let report = try await publisher.finish()
        let counts = Dictionary(uniqueKeysWithValues: report.topics.map { ($0.name, $0) })
        let received = try await server.stop()
        func publishes(_ topic: String, _ connection: Int) -> [String] {
            received.filter {
                $0.connection == connection && $0.text.hasPrefix(#"{"op":"publish","topic":"\#(topic)""#)
            }
            .map(\.text)
        }
        #expect(publishes("/fixed", 0).count == 1 && publishes("/fixed", 1).count == 1)
        #expect(counts["/fixed"]?.written == 1 && counts["/fixed"]?.confirmed == 1 && counts["/fixed"]?.dropped == 0)
        #expect(publishes("/chatter", 1) == [#"{"op":"publish","topic":"/chatter","msg":{"data":"new"}}"#])
        for (name, total) in [("/chatter", 11), ("/cloud", 10)] {
            let count = try #require(counts[name])
            #expect(count.written + count.dropped == total && count.unconfirmed == 0 && count.unsent == 0)
            #expect(count.dropped > 0 && count.confirmed == count.written)
        }
        #expect(report.connection?.interruptions == 1 && (report.connection?.disconnectedSeconds ?? 0) >= 0.1)
    }

    @Test(
        "a server that is away costs the oldest images and clouds and nothing else; the queue stays within its budget"
    )
    func away() async throws {
        let server = try await ScriptedServer(.stopsReading(afterMessages: 1))
        var options = quickOptions()
        options.onFull = .drop
        options.queueBytes = 300_000
        options.liveWindow = .seconds(3600)
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.chatter, .cloud, .image])
        for number in 0..<300 {
            try await publisher.write(bytes(100_000, on: number % 2 == 0 ? .cloud : .image))
            try await publisher.write(text("\(number)"))
            #expect(await publisher.progress().queuedBytes <= 300_000)
        }
        await publisher.abort()
        let report = await publisher.report()
        for topic in report.topics {
            let total = topic.name == "/chatter" ? 300 : 150
            #expect(topic.written + topic.dropped + topic.unsent == total, "\(topic)")
            #expect((topic.dropped > 0) == (topic.name != "/chatter"))
        }
        _ = try await server.stop()
    }
}
