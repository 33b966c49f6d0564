import Messages
import Recording
import Sessions
import Synthetic
import TestSupport
import Testing
import Text
import Translation

/// `/mapping/radio`, `/mapping/indoor_localization`, `/mapping/session` and `/mapping/status`.
@Suite struct ObservationTopicTests {
    private func replay(
        _ files: [String: String],
        frameCount: Int = 20,
        _ change: (inout ReplayPlan) -> Void = { _ in }
    ) async throws -> Replayed {
        var builder = try SessionBuilder(frameCount: frameCount)
        for (name, text) in files { builder.files[name] = Array(text.utf8) }
        let directory = try TemporaryDirectory()
        return try await Replayed(try builder.write(into: directory.path), change)
    }

    private func line(_ channel: String, _ source: String, _ seconds: Double) -> String {
        "{\"timestamp\":\(seconds),\"channel_id\":\"\(channel)\",\"observation_kind\":\"k\",\"source_id\":\"\(source)\"}\n"
    }

    /// The rate is that of each source: one that speaks often costs the others nothing.
    @Test func eachRadioHasTheRateOfTheTopic() async throws {
        let often = (0..<30).map { line("ble", "a", 1000 + Double($0) / 10) }
        let played = try await replay(["radio.jsonl": often.joined() + line("ble", "b", 1001) + line("wifi", "a", 1001)]
        )
        let messages: [RadioObservation] = played.all("/mapping/radio")
        let sources = messages.map { "\($0.channelID) \($0.sourceID)" }
        // At 2 Hz over 2.9 s; the other two are heard once.
        #expect(sources.count { $0 == "ble a" } == 6)
        #expect(sources.count { $0 == "ble b" } == 1 && sources.count { $0 == "wifi a" } == 1)
        #expect(messages.allSatisfy { $0.header.frameID == "map" && $0.sessionID == SessionBuilder.name })
    }

    /// Of the pose before it; one that is older than a quarter of a second tells no place.
    @Test func observationsAreWhereThePhoneWas() async throws {
        var options = Sample.everything
        options.hasObservations = true
        options.durationSeconds = 1
        let sample = try await Sample(options)
        let replayed = try await Replayed(sample.path)
        let messages: [RadioObservation] = replayed.all("/mapping/radio")
        #expect(messages.contains { $0.radioType == "wifi" } && messages.contains { $0.radioType == "ble" })
        #expect(messages.contains { $0.mapPositionAvailable })
        for message in messages where message.mapPositionAvailable {
            let position = sample.truth.worldFromCamera(at: message.header.stampNanoseconds).translation
            let expected = Recording.Vector3(position.x, -position.z, position.y)
            // The walk is slower than 1 m/s, and a frame is 33 ms old at most.
            #expect((Recording.Vector3(message.mapPosition) - expected).length < 0.04)
        }
        let wifi = try #require(messages.first { $0.radioType == "wifi" })
        #expect(wifi.metadataJSON == #"{"did_auto_join":true}"#)
        // Before the first frame there is no pose.
        #expect(messages[0].mapPositionAvailable == false)
    }

    @Test func scoresAreComputedWhereTheyAreAbsent() async throws {
        let lines = """
            {"timestamp":1000,"latitude":1,"longitude":2,"horizontal_accuracy":14,"vertical_accuracy":44,\
            "floor_level":2,"true_heading":10,"heading_accuracy":34}
            {"timestamp":1001,"latitude":1,"longitude":2,"source":{"simulated_by_software":true}}
            {"timestamp":1002,"latitude":1,"longitude":2,"registration_quality":{"indoor":0.5}}
            """
        let played = try await replay(["indoor.jsonl": lines + "\n"])
        let messages: [IndoorLocalization] = played.all("/mapping/indoor_localization")
        #expect(messages.count == 3)
        let qualities = try messages.map { try #require(try JSONValue.parse($0.registrationQuality).object) }
        // Each accuracy lies in the middle of its range, but for the global horizontal one: (60 - 14) / 55.
        let indoor = try #require(qualities[0]["indoor"]?.number)
        #expect(abs(indoor - (0.38 * 0.5 + 0.24 + 0.18 * 0.5 + 0.1 + 0.1)) < 1e-12)
        let global = try #require(qualities[0]["global"]?.number)
        #expect(abs(global - (0.34 * 46 / 55 + 0.2 * 0.5 + 0.16 * 0.7 + 0.2 + 0.1)) < 1e-12)
        #expect(qualities[0]["indoor_label"]?.string == "medium" && qualities[0]["global_label"]?.string == "medium")
        let poor = try #require(qualities[1]["indoor"]?.number)
        #expect(abs(poor - (0.24 * 0.35 + 0.18 * 0.25 + 0.1 + 0.02)) < 1e-12)
        #expect(qualities[1]["indoor_label"]?.string == "unusable")
        #expect(messages[2].registrationQuality == #"{"indoor":0.5}"#)
        #expect(messages[0].floorAvailable && messages[0].floorLevel == 2 && messages[0].headingAvailable)
        #expect(!messages[1].floorAvailable && !messages[1].headingAvailable && messages[1].trueHeading == -1)
        #expect(messages.allSatisfy { $0.header.frameID == "gps_link" })
    }

    @Test func aSessionStartsAndStops() async throws {
        let played = try await replay([:])
        let messages: [MappingSession] = played.all("/mapping/session")
        #expect(messages.map(\.event) == ["started", "stopped"] && messages.map(\.state) == ["Active", "Idle"])
        let stamps = played.messages.map(\.timeNanoseconds)
        #expect(messages[1].header.stampNanoseconds == stamps.max())
        #expect(played.messages.last?.topic.name == "/mapping/session")
        let topics = try #require(try JSONValue.parse(messages[0].advertisedTopics).array)
        #expect(topics.count == played.topics.count)
        let pose = try #require(topics.first { $0.object?["id"]?.string == "/mapping/pose" }?.object)
        #expect(pose["message_type"]?.string == "geometry_msgs/msg/PoseStamped")
        #expect(pose["default_rate_hz"]?.string == "10.0" && pose["topic"]?.string == "/mapping/pose")
    }

    @Test func statusTellsOfTrackingFixesAndDamage() async throws {
        var builder = try SessionBuilder(frameCount: 30)
        builder.addLocations(count: 3)
        for index in 20..<30 { builder.lines[index]["tracking_state"] = "\"limited_excessive_motion\"" }
        let directory = try TemporaryDirectory()
        let played = try await Replayed(try builder.write(into: directory.path)) { $0.keepsLimitedTracking = true }
        let arrays: [DiagnosticArray] = played.all("/mapping/status")
        #expect(arrays.count == 6)
        func status(_ array: DiagnosticArray, _ name: String) throws -> DiagnosticStatus {
            try #require(array.status.first { $0.name == name })
        }
        func value(_ status: DiagnosticStatus, _ key: String) -> String? {
            status.values.first { $0.key == key }?.value
        }
        let first = try #require(arrays.first)
        let last = try #require(arrays.last)
        #expect(try status(first, "mapping/tracking").level == DiagnosticStatus.ok)
        let tracking = try status(last, "mapping/tracking")
        #expect(tracking.level == DiagnosticStatus.warn && value(tracking, "tracking") == "limited_motion")
        #expect(value(tracking, "longest_gap_seconds") == "0.2")
        let location = try status(last, "mapping/gps_quality")
        #expect(value(location, "fixes") == "3")
        #expect(arrays.allSatisfy { array in array.status.allSatisfy { $0.name.hasPrefix("mapping/") } })
    }

    /// What the last status says of each topic is what was published before it.
    @Test func theStatusCountsWhatWasPublished() async throws {
        let played = try await Played.everything().replayed
        let place = try #require(played.messages.lastIndex { $0.topic.name == "/mapping/status" })
        let status = try #require(played.messages[place].message as? DiagnosticArray)
        let entry = try #require(status.status.first { $0.name == "mapping/stream_payload_metrics" })
        let values = Dictionary(uniqueKeysWithValues: entry.values.map { ($0.key, $0.value) })
        // All messages of one record are handed over together.
        let stamp = played.messages[place].timeNanoseconds
        let before = played.messages[..<place].filter { $0.timeNanoseconds < stamp }
        let names = Set(before.map(\.topic.name))
        #expect(names.count > 10 && values.count == 4 * names.count)
        for name in names {
            let sizes = before.filter { $0.topic.name == name }.map { $0.message.encodedCDRSize }
            #expect(values["\(name)_message_count"] == "\(sizes.count)", "\(name)")
            #expect(values["\(name)_bytes_total"] == "\(sizes.reduce(0, +))", "\(name)")
            #expect(values["\(name)_max_bytes"] == "\(sizes.max() ?? 0)", "\(name)")
            #expect(values["\(name)_last_bytes"] == "\(sizes.last ?? 0)", "\(name)")
        }
        #expect(!status.status.contains { $0.name == "mapping/ros2_bridge" })
    }

    @Test func aBridgeThatIsAwayIsAnError() async throws {
        let directory = try TemporaryDirectory()
        let session = try SessionBuilder(frameCount: 20).write(into: directory.path)
        let setup = try Replayed.setup(session)
        let sinks = [BridgeSink(isConnected: true, dropped: 0), BridgeSink(isConnected: false, dropped: 3)]
        _ = await setup.run(into: sinks)
        let status = try #require(await sinks[0].last)
        let bridges = status.status.filter { $0.name == "mapping/ros2_bridge" }
        #expect(bridges.map(\.level) == [DiagnosticStatus.ok, DiagnosticStatus.error])
        #expect(bridges[0].values.contains { $0.key == "recorder_url" && $0.value == "ws://robot:9090" })
        let queues = status.status.filter { $0.name == "mapping/publish_queue" }
        #expect(queues.map(\.level) == [DiagnosticStatus.ok, DiagnosticStatus.warn])
        #expect(queues[1].values.contains { $0.key == "dropped_messages" && $0.value == "3" })
    }
}

/// A sink that says that it is a bridge.
private actor BridgeSink: MessageSink {
    private(set) var last: DiagnosticArray?
    private let isConnected: Bool
    private let dropped: Int

    init(isConnected: Bool, dropped: Int) { (self.isConnected, self.dropped) = (isConnected, dropped) }

    func open(_ topics: [Topic]) {}

    func write(_ message: StampedMessage) { last = message.message as? DiagnosticArray ?? last }

    func finish() -> SinkReport { report() }

    func report() -> SinkReport { SinkReport() }

    func status() -> SinkStatus? {
        .bridge(
            SinkStatus.Bridge(url: "ws://robot:9090") {
                $0.isConnected = isConnected
                $0.interruptions = 1
                $0.disconnectedSeconds = 0.5
                $0.sentMessages = 10
                $0.sentBytes = 1000
                $0.confirmedMessages = 9
                $0.queuedMessages = 1
                $0.queuedBytes = 10
                $0.queueLimitBytes = 100
                $0.droppedMessages = dropped
            }
        )
    }
}
