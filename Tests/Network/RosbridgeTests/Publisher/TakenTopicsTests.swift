import Messages
import Rosbridge
import Synchronization
import Testing

/// What a server's rosapi says of the topics that were advertised.
@Suite("Topics that a server takes", .timeLimit(.minutes(1)))
struct TakenTopicsTests {
    private func publish(
        to behaviour: ScriptedServer.Behaviour,
        check: Duration = .seconds(20),
        warning: (@Sendable (String) -> Void)? = nil
    ) async throws -> (report: SinkReport, texts: [String]) {
        let server = try await ScriptedServer(behaviour)
        var options = quickOptions()
        options.topicCheck = check
        options.warning = warning
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.chatter, .cloud])
        try await publisher.write(text("x"))
        try await publisher.write(bytes(1))
        let report = try await publisher.finish()
        return (report, try await server.stop().map(\.text))
    }

    @Test("a server that lists every topic, if only after a while, is asked until then, and no further")
    func taken() async throws {
        let types = [
            ("/chatter", "std_msgs/msg/String"), ("/other", "x/msg/Y"), ("/cloud", "sensor_msgs/CompressedImage"),
        ]
        let (report, texts) = try await publish(to: .lists(types.map { (topic: $0.0, type: $0.1) }))
        #expect(report.warnings.isEmpty && report.topics.map(\.confirmed) == [1, 1])
        #expect(texts.count { $0.contains("/rosapi/topics") } == 3)
    }

    @Test("topics that it has not, or with another type, are named, and what is sent on them is not confirmed")
    func refused() async throws {
        let noted = Mutex<[String]>([])
        let (report, texts) = try await publish(
            to: .lists([(topic: "/cloud", type: "sensor_msgs/msg/PointCloud2")]),
            check: .milliseconds(300),
            warning: { text in noted.withLock { $0.append(text) } }
        )
        #expect(report.warnings.count == 2)
        #expect(report.warnings[0].contains("not taken /chatter (std_msgs/msg/String)"))
        #expect(report.warnings[0].contains("std_msgs installed"))
        #expect(report.warnings[1].contains("/cloud with the type sensor_msgs/msg/PointCloud2"))
        #expect(report.warnings[1].contains("not sensor_msgs/msg/CompressedImage"))
        // Once, before the first message.
        #expect(noted.withLock { $0 } == report.warnings)
        #expect(report.topics.map(\.refused) == [1, 1] && report.topics.map(\.confirmed) == [0, 0])
        #expect(texts.count { $0.hasPrefix(#"{"op":"publish""#) } == 2)
    }

    @Test("a server without rosapi, or one that answers barriers only, is no error")
    func unknown() async throws {
        for behaviour in [ScriptedServer.Behaviour.proper, .answersBarriersOnly] {
            let (report, texts) = try await publish(to: behaviour, check: .milliseconds(200))
            #expect(report.warnings.isEmpty && report.topics.map(\.confirmed) == [1, 1])
            // One that says that it has none yet is asked again at the end.
            if case .proper = behaviour {
                #expect(texts.count { $0.contains("/rosapi/topics") } == 2)
            } else {
                #expect(texts.count { $0.contains("/rosapi/topics") } == 1)
            }
        }
    }

    @Test("our own server takes everything, and says so")
    func own() async throws {
        let (server, _, port) = try await startServer()
        var options = quickOptions()
        options.topicCheck = .seconds(20)
        let publisher = RosbridgePublisher(try localURL(port), options: options)
        try await publisher.open([.chatter, .cloud, .fixed])
        try await publisher.write(text("x"))
        let report = try await publisher.finish()
        await server.stop()
        #expect(report.warnings.isEmpty && report.topics.map(\.refused) == [0, 0, 0])
    }

    @Test("messages of latched topics say so, which keeps a server of rosbridge 2 from warning at each")
    func latch() async throws {
        let server = try await ScriptedServer(.proper)
        let publisher = RosbridgePublisher(try localURL(server.port), options: quickOptions())
        try await publisher.open([.chatter, .fixed])
        try await publisher.write(text("map", on: .fixed))
        try await publisher.write(text("x"))
        _ = try await publisher.finish()
        let publishes = try await server.stop().map(\.text).filter { $0.hasPrefix(#"{"op":"publish""#) }
        #expect(
            publishes == [
                #"{"op":"publish","topic":"/fixed","latch":true,"msg":{"data":"map"}}"#,
                #"{"op":"publish","topic":"/chatter","msg":{"data":"x"}}"#,
            ]
        )
    }
}
