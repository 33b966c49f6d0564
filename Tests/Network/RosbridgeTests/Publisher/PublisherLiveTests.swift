import Messages
import Rosbridge
import Testing

@Suite("Publisher, live", .timeLimit(.minutes(2)))
struct PublisherLiveTests {
    @Test(
        "after an interruption old clouds are dropped and counted, all else comes late, and latched topics come again"
    )
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
        let texts = ((0..<10).map(String.init) + ["new"])
            .map { #"{"op":"publish","topic":"/chatter","msg":{"data":"\#($0)"}}"# }
        // Those of the first connection that no barrier confirmed come again: all of them, in their order.
        let late = publishes("/chatter", 1)
        #expect(late == texts.suffix(late.count) && Set(publishes("/chatter", 0) + late) == Set(texts))
        let chatter = try #require(counts["/chatter"])
        #expect(chatter.written == 11 && chatter.confirmed == 11 && chatter.dropped == 0)
        // A cloud that was sent and not confirmed may have arrived; only the others are known to be dropped.
        let cloud = try #require(counts["/cloud"])
        #expect(cloud.written + cloud.dropped == 10 && cloud.unsent == 0 && cloud.dropped > 0)
        #expect(publishes("/cloud", 1).count == cloud.confirmed)
        #expect(cloud.unconfirmed + cloud.confirmed == cloud.written && publishes("/cloud", 0).count <= cloud.written)
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
