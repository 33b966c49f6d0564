import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing
import Text

/// heading.jsonl, radio.jsonl and indoor.jsonl.
@Suite struct ObservationStreamTests {
    private func session(_ file: String, _ lines: [String]) throws -> ReadSession {
        var builder = try SessionBuilder()
        builder.files[file] = Array((lines.joined(separator: "\n") + "\n").utf8)
        return try ReadSession(builder)
    }

    private func headings(_ read: ReadSession) -> [HeadingSample] {
        read.records.compactMap { if case .heading(let sample) = $0 { sample } else { nil } }
    }

    private func radio(_ read: ReadSession) -> [RadioSample] {
        read.records.compactMap { if case .radio(let sample) = $0 { sample } else { nil } }
    }

    private func indoor(_ read: ReadSession) -> [IndoorSample] {
        read.records.compactMap { if case .indoor(let sample) = $0 { sample } else { nil } }
    }

    @Test func negativeHeadingsAreNotKnown() throws {
        let read = try session(
            "heading.jsonl",
            [
                #"{"timestamp":1000.1,"true_heading":12.5,"magnetic_heading":8,"heading_accuracy":6}"#,
                #"{"timestamp":1000.2,"true_heading":-1,"magnetic_heading":9,"heading_accuracy":-1}"#,
            ]
        )
        let samples = headings(read)
        #expect(samples.map(\.trueDegrees) == [12.5, nil] && samples.map(\.magneticDegrees) == [8, 9])
        #expect(samples.map(\.accuracyDegrees) == [6, nil] && read.diagnostics.isEmpty)
        #expect(read.summary.sampleCounts == [.heading: 2])
    }

    @Test func everyFieldOfAnObservationIsRead() throws {
        let line = """
            {"timestamp":"1000.1","session_id":"s","schema_version":3,"channel_id":"c","observation_kind":"k",\
            "source_api":"a","source_id":"i","radio_type":"wifi","tags":["x","y"],"latitude":1.5,"longitude":2.5,\
            "altitude":3.5,"ssid":"n","bssid":"b","signal_strength_normalized":0.5,"is_secure":true,\
            "peripheral_id":"p","local_name":"l","service_uuids":["u"],"is_connectable":true,"network_status":"t",\
            "interface_types":["wifi","other"],"is_expensive":true,"is_constrained":true,"frequency_hz":2.4e9,\
            "rssi_dbm":-50,"snr_db":20,"quality":0.75,"round_trip_time_ms":12,"throughput_bytes_per_second":1e6,\
            "success":true,"error":"e"}
            """
        var expected = RadioSample(time: Timestamp(nanoseconds: 1_000_100_000_000))
        (expected.sessionID, expected.schemaVersion, expected.channelID, expected.kind) = ("s", 3, "c", "k")
        (expected.sourceAPI, expected.sourceID, expected.radioType, expected.tags) = ("a", "i", "wifi", ["x", "y"])
        (expected.latitudeDegrees, expected.longitudeDegrees, expected.altitudeMetres) = (1.5, 2.5, 3.5)
        (expected.ssid, expected.bssid, expected.signalStrength, expected.isSecure) = ("n", "b", 0.5, true)
        (expected.peripheralID, expected.localName, expected.serviceUUIDs) = ("p", "l", ["u"])
        (expected.isConnectable, expected.networkStatus, expected.interfaceTypes) = (true, "t", ["wifi", "other"])
        (expected.isExpensive, expected.isConstrained, expected.frequencyHertz) = (true, true, 2.4e9)
        (expected.rssiDBm, expected.signalToNoiseDB, expected.quality) = (-50, 20, 0.75)
        (expected.roundTripMilliseconds, expected.bytesPerSecond) = (12, 1e6)
        (expected.isSuccess, expected.error) = (true, "e")
        let read = try session("radio.jsonl", [line])
        #expect(radio(read) == [expected] && read.diagnostics.isEmpty)
    }

    @Test(
        arguments: [
            (#""did_auto_join":true,"n":[1,{"a":"\n"}]"#, #"{"did_auto_join":true,"n":[1,{"a":"\n"}]}"#),
            (#""metadata_json":{"a":1},"b":2"#, #"{"b":2,"a":1}"#),
            (#""metadata_json":"{\"a\":1}","b":2"#, #"{"b":2,"a":1}"#),
            (#""metadata_json":" {  } ","b":2"#, #"{"b":2}"#),
            (#""metadata_json":"no object","b":2"#, #"{"metadata_json":"no object","b":2}"#),
            (#""metadata_json":{"a":1}"#, #"{"a":1}"#),
            (#""a\"b":1"#, #"{"a\"b":1}"#),
        ]
    )
    func unknownKeysAreKept(_ members: String, _ expected: String) throws {
        let line = "{\"timestamp\":1000.1,\"channel_id\":\"c\",\"observation_kind\":\"k\",\(members)}"
        let read = try session("radio.jsonl", [line])
        let text = try #require(radio(read).first).metadataJSON
        #expect(try JSONValue.parse(text) == JSONValue.parse(expected))
    }

    /// Several radios are heard at one time; a heading of the same time is one that was written again.
    @Test func observationsOfOneTimeAreSeveral() throws {
        let radios = ["a", "b", "a"].map {
            "{\"timestamp\":1000.1,\"channel_id\":\"\($0)\",\"observation_kind\":\"k\"}"
        }
        #expect(radio(try session("radio.jsonl", radios)).map(\.channelID) == ["a", "b", "a"])
        let twice = [String](repeating: #"{"timestamp":1000.1,"true_heading":1}"#, count: 2)
        #expect(headings(try session("heading.jsonl", twice)).count == 1)
    }

    @Test func indoorPositionsTellFloorAndHeadingOnlyWhereTheyAreAvailable() throws {
        let place = #""latitude":1,"longitude":2,"horizontal_accuracy":4"#
        let read = try session(
            "indoor.jsonl",
            [
                "{\"timestamp\":1000.1,\(place),\"floor_level\":3,\"true_heading\":90,\"heading_accuracy\":5}",
                "{\"timestamp\":1000.2,\(place),\"floor_available\":false,\"floor_level\":0,"
                    + "\"heading_available\":false,\"true_heading\":0,\"source\":{\"simulated_by_software\":true}}",
            ]
        )
        let samples = indoor(read)
        #expect(samples.map(\.position.floor) == [3, nil])
        #expect(samples.map(\.heading.trueDegrees) == [90, nil])
        #expect(samples.map(\.position.horizontalAccuracyMetres) == [4, 4])
        #expect(samples.map(\.sourceJSON) == [nil, #"{"simulated_by_software":true}"#])
        #expect(samples.allSatisfy { $0.heading.time == $0.position.time } && read.diagnostics.isEmpty)
    }

    @Test(
        arguments: [
            ("radio.jsonl", #"{"timestamp":1000.1,"observation_kind":"k"}"#, "channel_id"),
            ("radio.jsonl", #"{"timestamp":-1,"channel_id":"c","observation_kind":"k"}"#, "timestamp"),
            ("heading.jsonl", #"{"true_heading":1}"#, "timestamp"),
            ("indoor.jsonl", #"{"timestamp":1000.1,"latitude":91,"longitude":0}"#, "latitude"),
        ]
    )
    func brokenLinesCostThemselves(_ file: String, _ line: String, _ field: String) throws {
        let read = try session(file, [line, "nonsense", "{\"timest"])
        #expect(read.kinds == [.badObservation: 1, .unreadableLine: 1, .cutLastLine: 1])
        let problem = try #require(read.only(.badObservation))
        #expect(problem.place == "\(file):1:\(field)" && problem.kind.severity == .lost)
        #expect(read.summary.sampleCounts.isEmpty)
    }

    @Test func valuesThatDoNotReadAreFoundByCheck() async throws {
        var builder = try SessionBuilder()
        builder.files["radio.jsonl"] = Array(
            #"{"timestamp":1000.1,"channel_id":"c","observation_kind":"k","rssi_dbm":"loud","tags":[1]}"#.utf8
        )
        let directory = try TemporaryDirectory()
        let path = try builder.write(into: directory.path)
        let report = try await SessionCheck(path: path.string, jobs: 1).run()
        let finding = try #require(report.findings.first { $0.kind == .badOptionalField })
        #expect(finding.places.map(\.place) == ["radio.jsonl:1:tags", "radio.jsonl:1:rssi_dbm"])
        #expect(report.examined.observationLines == 1)
    }

    @Test func recordsOfAllStreamsComeInTimeOrder() throws {
        var builder = try SessionBuilder()
        builder.files["heading.jsonl"] = Array(
            (0..<20).map { "{\"timestamp\":1000.\(SessionBuilder.number($0 * 40_000)),\"true_heading\":1}\n" }
                .joined().utf8
        )
        builder.files["radio.jsonl"] = Array(
            #"{"timestamp":1000,"channel_id":"c","observation_kind":"k"}"#.utf8
        )
        builder.files["indoor.jsonl"] = Array(#"{"timestamp":1000,"latitude":1,"longitude":2}"#.utf8)
        builder.addLocations(count: 3)
        let read = try ReadSession(builder)
        let keys = read.records.map { ($0.time, $0.stream.rawValue) }
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(Set(read.records.map(\.stream)).isSuperset(of: [.frames, .location, .heading, .radio, .indoor]))
        let only = try ReadSession(read.directory, path: read.path, request: RecordRequest(streams: [.radio]))
        #expect(only.records.map(\.stream) == [.radio])
    }
}
