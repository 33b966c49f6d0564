import Foundation
import Testing

/// The recorder, with clients of three kinds.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct RecordTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private static let advertiseText: Recording.Frame = #"{"op":"advertise","topic":"/text","type":"std_msgs/String"}"#
    private static let good: Recording.Frame = #"{"op":"publish","topic":"/text","msg":{"data":"good"}}"#

    @Test(arguments: ["cdr", "rosbridge_json"])
    func replaysBecomeTheBagThatBagWrites(serialization: String) async throws {
        let session = try await Samples.full.value
        let written = folder("written")
        try await Binary.succeed(["bag", session, "-o", written, "--profile", "full"])
        let options = ["--until-disconnect", "--serialization", serialization, "--chunk-size-mb", "2"]
        let recording = try await Recording.start(folder, options)
        let url = "127.0.0.1:\(recording.port)"
        let common = ["--settle", "0", "--profile", "full"]
        try await Binary.succeed(["replay", session, "--url", url, "--rate", "max"] + common)
        // It ends without a signal: its only client has left.
        let outcome = try await recording.process.finish()
        #expect(outcome.status == 0, "\(outcome)")
        let recorded = try await BagListing.of(recording.bag), expected = try await BagListing.of(written)
        // The status tells of the bridge there, and of the bag here.
        let ofEither = { (name: String) in name != "/mapping/status" }
        #expect(recorded.unrepeated.filter { ofEither($0.key) } == expected.unrepeated.filter { ofEither($0.key) })
        #expect(recorded.repeated["/map"]?.last == expected.repeated["/map"]?.last)
        #expect(recorded.repeated["/map"]?.first == expected.repeated["/map"]?.first)
        #expect(recorded.topics == expected.topics)
        #expect(Set(recorded.rows.map(\.file)).count > 2)
        let unlatched = { (row: BagListing.Row) in !["/tf_static", "/mapping/session", "/map"].contains(row.topic) }
        #expect(recorded.rows.filter(unlatched).allSatisfy { $0.stamp == nil || $0.stamp == $0.time })
    }

    @Test(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
    func recordingsAreSound() async throws {
        let recording = try await Recording.start(folder)
        let url = "127.0.0.1:\(recording.port)"
        let session = try await Samples.plain.value
        try await Binary.succeed(["replay", session, "--url", url, "--rate", "max", "--settle", "0"])
        let outcome = try await recording.stop()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("/mapping/pointcloud/lidar"))
        try await Conformance.check(recording.bag)
    }

    @Test func takesWhatRoslibpySends() async throws {
        let recording = try await Recording.start(folder)
        try await Peer.run("record_roslibpy.py", ["\(recording.port)", "25"])
        let outcome = try await recording.stop()
        #expect(outcome.status == 0, "\(outcome)")
        let listing = try await BagListing.of(recording.bag)
        #expect(listing.topics == ["/pose": "geometry_msgs/msg/PoseStamped"])
        let stamps: [Int64] = (0..<25).map { (1_700_000_000 + $0) * 1_000_000_000 + 5 }
        #expect(listing.rows.compactMap(\.stamp) == stamps)
        #expect(Set(listing.rows.map(\.digest)).count == 25)
    }

    @Test func takesEveryFormOfTheSameMessage() async throws {
        let recording = try await Recording.start(folder)
        let answers = try await recording.send([
            #"{"op":"advertise","topic":"/text","type":"std_msgs/msg/String"}"#,
            #"{"op":"advertise","topic":"text","type":"std_msgs/String"}"#,
            #"{"op":"publish","topic":"/text","msg":{"data":"a/b é"}}"#,
            .binary(#"{"op":"publish","topic":"/text","msg":{"data":"a/b é"}}"#),
            #"{"op":"publish","topic":"\/text","msg":{"data":"a\/b \u00e9"}}"#,
            #" { "msg" : { "data" : "a/b é" } , "topic" : "/text" , "op" : "publish", "id": 7 } "#,
            #"{"op":"fragment","id":"x","num":0,"total":3,"data":"{\"op\":\"publish\",\"to"}"#,
            #"{"op":"fragment","id":"x","num":2,"total":3,"data":":{\"data\":\"a/b é\"}}"}"#,
            .binary(#"{"op":"fragment","id":"x","num":1,"total":3,"data":"pic\":\"/text\",\"msg\""}"#),
            #"{"op":"publish","topic":"/text","msg":{"data":"a/b é","surprise":{"a":[1]}}}"#,
        ])
        #expect(answers.isEmpty, "\(answers)")
        let outcome = try await recording.stop()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains(#"left out: 1 x key "surprise" of /text"#), "\(outcome)")
        let listing = try await BagListing.of(recording.bag)
        #expect(listing.rows.count == 6)
        #expect(Set(listing.rows.map(\.digest)).count == 1)
    }

    @Test func takesBytesAndNumbersInEveryForm() async throws {
        let recording = try await Recording.start(folder)
        let layout = #""layout":{"dim":[],"data_offset":0}"#
        let answers = try await recording.send([
            #"{"op":"advertise","topic":"/bytes","type":"std_msgs/UInt8MultiArray"}"#,
            .text(#"{"op":"publish","topic":"/bytes","msg":{\#(layout),"data":"AQL/"}}"#),
            .text(#"{"op":"publish","topic":"/bytes","msg":{\#(layout),"data":[1,2,255]}}"#),
            #"{"op":"advertise","topic":"/number","type":"std_msgs/Float64"}"#,
            #"{"op":"publish","topic":"/number","msg":{"data":2}}"#,
            #"{"op":"publish","topic":"/number","msg":{"data":2.0}}"#,
            #"{"op":"publish","topic":"/number","msg":{"data":0.2e1}}"#,
            #"{"op":"publish","topic":"/number","msg":{"data":NaN}}"#,
        ])
        #expect(answers.isEmpty, "\(answers)")
        _ = try await recording.stop()
        let listing = try await BagListing.of(recording.bag)
        #expect(listing.count("/bytes") == 2 && listing.count("/number") == 4)
        #expect(Set(listing.digests["/bytes"] ?? []).count == 1)
        #expect(Set(listing.digests["/number"] ?? []).count == 2)
    }

    @Test(arguments: ["sqlite3", "mcap"])
    func takesTypesThatAreOnlyDescribed(storage: String) async throws {
        let recording = try await Recording.start(folder, ["--storage", storage])
        try await Peer.run("record_described.py", ["send", "\(recording.port)"])
        let outcome = try await recording.stop()
        #expect(outcome.status == 0 && !outcome.output.contains("left out"), "\(outcome)")
        let differences: [String] = try await Peer.json("record_described.py", ["judge", recording.bag])
        #expect(differences == [])
    }

    @Test func takesTypesOfFoldersAndSaysWhyItTakesNoOthers() async throws {
        let messages = folder("ws/src/arm_msgs/msg")
        try FileManager.default.createDirectory(atPath: messages, withIntermediateDirectories: true)
        try "std_msgs/Header header\nsensor_msgs/JointState[] joints\n"
            .write(toFile: "\(messages)/Arm.msg", atomically: false, encoding: .utf8)
        try "int8[ oops\n".write(toFile: "\(messages)/Broken.msg", atomically: false, encoding: .utf8)
        let recording = try await Recording.start(folder, ["--msg-path", folder("ws")])
        let stamp = #""header":{"stamp":{"sec":1700000000,"nanosec":5},"frame_id":"m"}"#
        let answers = try await recording.send([
            #"{"op":"advertise","topic":"/arm","type":"arm_msgs/Arm"}"#,
            .text(#"{"op":"publish","topic":"/arm","msg":{\#(stamp),"joints":[{"name":["a"],"extra":1}]}}"#),
            #"{"op":"advertise","topic":"/other","type":"arm_msgs/Leg"}"#,
            #"{"op":"advertise","topic":"/broken","type":"arm_msgs/Broken"}"#,
            #"{"op":"publish","topic":"/arm","msg":{"joints":[{"name":1}]}}"#,
        ])
        let reasons = answers.map { $0.msg ?? "" }
        try #require(reasons.count == 3, "\(reasons)")
        #expect(reasons[0].contains("--msg-path") && reasons[0].contains("arm_msgs/Leg"), "\(reasons[0])")
        #expect(reasons[1].contains("arm_msgs/msg/Broken: line 1: expected a type"), "\(reasons[1])")
        #expect(reasons[2].contains("joints") && reasons[2].contains("name"), "\(reasons[2])")
        let outcome = try await recording.stop()
        #expect(outcome.output.contains(#"left out: 1 x key "joints.extra" of /arm"#), "\(outcome)")
        let row = try await Binary.succeed(["inspect", recording.bag, "--echo", "/arm", "--json"])
        #expect(row.contains(#""stamp_ns":1700000000000000005"#) && row.contains(#""name":["a"]"#), "\(row)")
    }

    private static let bad: [Recording.Frame] = [
        #"{"op":"publish","topic":"/text","msg":{"data":1}}"#,
        #"{"op":"publish","topic":"/text","msg":{"data":null}}"#,
        #"{"op":"publish","topic":"/text","msg":["data"]}"#,
        #"{"op":"publish","topic":"/text","msg":{"data":"cut"#,
        #"{"op":"publish","topic":"/other","msg":{"data":"x"}}"#,
        #"{"op":"publish","msg":{"data":"x"}}"#,
        #"{"op":"advertise","topic":"/text","type":"std_msgs/Bool"}"#,
        #"{"op":"advertise","topic":"/new","type":"foo_msgs/Bar"}"#,
        #"{"op":"advertise","topic":"/new","type":"String"}"#,
        #"{"op":"advertise","topic":"/new"}"#,
        #"{"op":"advertise","topic":"/foo bar","type":"std_msgs/String"}"#,
        #"{"op":"subscribe","topic":"/text"}"#, #"{"topic":"/text"}"#, "[1,2]", "nonsense", "", .binary("nonsense"),
        #"{"op":"fragment","id":"x","num":5,"total":2,"data":"x"}"#,
        #"{"op":"fragment","id":"x","num":0,"total":1,"data":"{\"op\":\"fragment\"}"}"#,
    ]

    @Test func refusesAndSaysSo() async throws {
        let recording = try await Recording.start(folder)
        // After each, the next is taken as if nothing had been.
        let frames = [Self.advertiseText] + Self.bad.flatMap { [$0, Self.good] }
        let answers = try await recording.send(frames)
        #expect(answers.count == Self.bad.count, "\(answers.map(\.msg))")
        for answer in answers {
            #expect(answer.op == "status" && answer.level == "error", "\(answer)")
            #expect((answer.msg ?? "").contains("expected"), "\(answer)")
        }
        let outcome = try await recording.stop()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains("refused: client 1"))
        #expect(outcome.output.contains("refused: \(Self.bad.count) operations"), "\(outcome)")
        let listing = try await BagListing.of(recording.bag)
        #expect(listing.rows.count == Self.bad.count)
        #expect(listing.topics == ["/text": "std_msgs/msg/String"])
    }

    @Test func strictRefusesKeysThatTheTypeDoesNotHave() async throws {
        let recording = try await Recording.start(folder, ["--strict"])
        let answers = try await recording.send([
            Self.advertiseText, #"{"op":"publish","topic":"/text","msg":{"data":"x","more":1}}"#, Self.good,
            #"{"op":"advertise","topic":"/light","type":"sensor_msgs/Illuminance"}"#,
            #"{"op":"publish","topic":"/light","msg":{"illuminance":1.5,"colour":"red"}}"#,
            #"{"op":"publish","topic":"/light","msg":{"illuminance":1.5}}"#,
        ])
        #expect(answers.count == 2, "\(answers)")
        for (answer, key) in zip(answers, ["more", "colour"]) { #expect((answer.msg ?? "").contains(key), "\(answer)") }
        _ = try await recording.stop()
        #expect(try await BagListing.of(recording.bag).rows.count == 2)
    }

    @Test func takesTwoClientsAtOnce() async throws {
        let recording = try await Recording.start(folder, ["--exclude-topics", "/ignored"])
        func frames(_ name: String) -> [Recording.Frame] {
            [
                .text(#"{"op":"advertise","topic":"/\#(name)","type":"std_msgs/String"}"#),
                #"{"op":"advertise","topic":"/shared","type":"std_msgs/String"}"#,
                #"{"op":"advertise","topic":"/ignored","type":"std_msgs/String"}"#,
                #"{"op":"publish","topic":"/ignored","msg":{"data":"x"}}"#,
                .text(#"{"op":"fragment","id":"\#(name)","num":0,"total":2,"data":"{\"op\":\"publish\""}"#),
            ]
                + (0..<200).map { index in
                    let topic = index.isMultiple(of: 2) ? name : "shared"
                    return .text(#"{"op":"publish","topic":"/\#(topic)","msg":{"data":"\#(name) \#(index)"}}"#)
                }
        }
        async let first = recording.send(frames("first"))
        async let second = recording.send(frames("second"))
        let answers = try await first + second
        #expect(answers.isEmpty, "\(answers)")
        let outcome = try await recording.stop()
        // What came and what is in the bag are both told where they differ.
        #expect(outcome.output.contains("400 messages from 2 clients"), "\(outcome)")
        #expect(outcome.output.contains("received: 402 messages, 2 of them of topics that were not selected"))
        #expect(outcome.output.contains("incomplete: 2 messages of which not all fragments came"))
        let listing = try await BagListing.of(recording.bag)
        #expect(listing.count("/first") == 100 && listing.count("/second") == 100 && listing.count("/shared") == 200)
        #expect(listing.count("/ignored") == 0)
        #expect(zip(listing.rows, listing.rows.dropFirst()).allSatisfy { $0.time <= $1.time })
        if Peer.isAvailable { try await Conformance.check(recording.bag) }
    }

    /// A recorder on 127.0.0.1 waited for a phone that could not come, and did not say so.
    @Test(
        "says what is open to whom, and what is typed on a phone",
        arguments: [[], ["--lan"], ["--address", "0.0.0.0"]]
    )
    func reach(options: [String]) async throws {
        let known = try await ChildProcess("/bin/hostname", ["-I"]).finish(seconds: 20).output
        let addresses = known.split(whereSeparator: \.isWhitespace).map { String($0) }
        let process = try Binary.start(["record", "-o", folder("bag"), "--port", "0", "--view", "0"] + options)
        let isOpen = !options.isEmpty
        let open = try await process.waitForError(isOpen ? "open to the network: " : "open to this machine only: ")
        #expect(open.contains("recorder, page; no token is asked for"), "\(open)")
        #expect(open.contains("--token-file") == isOpen, "\(open)")
        let line = try await process.waitForError(isOpen ? "on a phone type " : "for a phone: --lan, and type ")
        #expect(line.contains("/ (page)") == isOpen, "\(line)")
        let typed = line.components(separatedBy: "ws://").dropFirst().map { String($0.prefix { $0 != ":" }) }
        #expect(
            !typed.isEmpty && typed.allSatisfy { addresses.contains($0) || $0 == "ADDRESS-OF-THIS-MACHINE" },
            "\(line)"
        )
        await process.signal(SIGINT)
        #expect(try await process.finish().status == 0)
    }

    @Test func takenPortsCostNoBag() async throws {
        let recording = try await Recording.start(folder)
        let bag = folder("bag")
        let session = try await Samples.plain.value
        let refused = try await Binary.run(["record", "-o", bag, "--port", "\(recording.port)"])
        // In words of the system, with what helps, and none of the library's.
        refused.expectError(69, naming: "Address already in use")
        #expect(refused.everything.contains("another program listens there"), "\(refused)")
        #expect(!refused.everything.contains("bind("), "\(refused)")
        #expect(!FileManager.default.fileExists(atPath: bag))
        try await Binary.succeed(["bag", session, "-o", bag, "--profile", "record", "--topics", "/mapping/pose"])
        try await Binary.run(["record", "-o", bag, "--port", "\(recording.port)", "--force"]).expectError(69)
        let inspection: BagInspection = try await Binary.json(["inspect", bag, "--json"])
        #expect(inspection.count("/mapping/pose") == 40)
        // And a folder that cannot be had is known before anyone publishes.
        try await Binary.run(["record", "-o", bag, "--port", "0"]).expectError(73)
        _ = try await recording.stop()
    }
}
