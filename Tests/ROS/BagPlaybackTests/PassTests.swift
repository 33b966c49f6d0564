import Bags
import Messages
import Platform
import Playback
import Testing

/// Parts of a bag, again and again, and from anywhere.
@Suite("Passes over a bag", .timeLimit(.minutes(1)))
struct PassTests {
    /// A latched text that changes at 250 ms, static transforms of three publishers, a stamped pose and a text each 100 ms.
    private func bag() async throws -> TestBag {
        var bag = try TestBag()
        bag.add("/about", StringMessage.self, qos: .latched)
        bag.add("/tf_static", TFMessage.self, qos: .latched)
        bag.add("/pose", PoseStamped.self)
        bag.add("/text", StringMessage.self)
        bag.append("/about", 0, text: "first")
        bag.append("/tf_static", 0, TestBag.transforms("camera", at: 0))
        bag.append("/tf_static", 0, TestBag.transforms("lidar", at: 0))
        for index in Int64(0)..<10 {
            if index == 3 {
                bag.append("/about", 250, text: "second")
                bag.append("/tf_static", 250, TestBag.transforms("camera", "gps", at: 250, x: 2))
            }
            var pose = PoseStamped()
            if index > 0 { pose.header.stamp = Time(nanosecondsSinceEpoch: TestBag.time(index * 100 - 5)) }
            bag.append("/pose", index * 100, pose)
            bag.append("/text", index * 100, text: "\(index)")
        }
        try await bag.write()
        return bag
    }

    private func milliseconds(_ messages: [StampedMessage]) -> [Int64] {
        messages.map { ($0.timeNanoseconds - TestBag.start) / 1_000_000 }
    }

    @Test("every message of static transforms says all that is known so far")
    func staticTree() async throws {
        let sink = ListSink()
        try await bag().play(into: sink)
        #expect(await sink.children("/tf_static") == [["camera"], ["camera", "lidar"], ["camera", "lidar", "gps"]])
        let last = try #require(await sink.messages("/tf_static").last?.message.compiled(as: TFMessage.self))
        #expect(last.transforms.map(\.transform.translation.x) == [2, 0, 2])
    }

    struct Part: Sendable {
        var start: PlaybackPlace?
        var end: PlaybackPlace?
        var seconds: Double?
        var texts: [String]
    }

    static let parts = [
        Part(start: .seconds(0.4), texts: (4...9).map { "\($0)" }),
        Part(end: .seconds(0.2), texts: ["0", "1", "2"]),
        Part(start: .seconds(0.15), seconds: 0.15, texts: ["2", "3"]),
        Part(start: .date(nanoseconds: TestBag.time(790)), texts: ["8", "9"]),
        // 250 ms is a moment, too.
        Part(start: .frame(4), end: .frame(6), texts: ["3", "4", "5"]),
    ]

    @Test("a part begins with what latched topics said before it", arguments: parts)
    func spans(part: Part) async throws {
        let sink = ListSink()
        let report = try await bag().play(into: sink) { plan in
            (plan.start, plan.end, plan.durationSeconds) = (part.start, part.end, part.seconds)
        }
        let texts = await sink.messages("/text").compactMap { $0.message.compiled(as: StringMessage.self)?.data }
        #expect(texts == part.texts)
        let first = try #require(await sink.messages("/text").first)
        let latched = await sink.messages.prefix { $0.topic.isLatched }
        if part.start != nil {
            #expect(Set(latched.map(\.topic.name)) == ["/about", "/tf_static"])
            #expect(latched.count == 2)
            let isLate = first.timeNanoseconds > TestBag.time(250)
            #expect(
                await sink.children("/tf_static").first == (isLate ? ["camera", "lidar", "gps"] : ["camera", "lidar"])
            )
            #expect(latched.allSatisfy { $0.timeNanoseconds <= first.timeNanoseconds })
        }
        #expect(!report.lostAnything)
    }

    @Test(
        "a part that is not there is refused",
        arguments: [
            Part(start: .seconds(2), texts: []), Part(start: .seconds(0.5), end: .seconds(0.4), texts: []),
            Part(end: .date(nanoseconds: 5), texts: []),
        ]
    )
    func wrongSpans(part: Part) async throws {
        let bag = try await bag()
        #expect(throws: EmptySpanError.self) { try bag.setup { ($0.start, $0.end) = (part.start, part.end) } }
        #expect(throws: BagPlaybackError.self) { try bag.setup { $0.start = .frame(99) } }
    }

    @Test("loops go on in time, headers too; a stamp of zero stays zero")
    func loops() async throws {
        let bag = try await bag()
        let setup = try bag.setup()
        let sink = ListSink()
        let report = try await bag.play(into: sink) { $0.playback.loops = 3 }
        // The moments are mostly 100 ms apart.
        let shift: Int64 = 1000
        #expect(await milliseconds(sink.messages("/text")) == (Int64(0)..<30).map { $0 / 10 * shift + $0 % 10 * 100 })
        let stamps = await sink.messages("/pose").compactMap(\.message.headerStampNanoseconds)
        let expected = (Int64(0)..<30).map { index -> Int64 in
            index % 10 == 0 ? 0 : TestBag.time(index / 10 * shift + index % 10 * 100 - 5)
        }
        #expect(stamps == expected)
        let times = await sink.messages.map(\.timeNanoseconds)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(setup.topics.count == 4 && abs(report.playback.playedSeconds - 2.7) < 1e-9)
        // What was said in the first pass holds in the next.
        #expect(await sink.children("/tf_static").dropFirst(2).allSatisfy { $0 == ["camera", "lidar", "gps"] })
        let transforms = await sink.messages("/tf_static").compactMap(\.message.headerStampNanoseconds)
        #expect(transforms[3] == TestBag.time(shift))
    }

    @Test("--stamp now stamps everything that has a stamp with the time of publishing")
    func stampNow() async throws {
        let sink = ListSink()
        try await bag().play(into: sink) { plan in
            plan.playback.stampsNow = true
            plan.playback.nowNanoseconds = { 1_800_000_000_000_000_000 }
        }
        let poses = await sink.messages("/pose")
        #expect(poses.count == 10)
        #expect(poses.dropFirst().allSatisfy { $0.message.headerStampNanoseconds == 1_800_000_000_000_000_000 })
        #expect(poses.first?.message.headerStampNanoseconds == 0)
        #expect(await sink.messages("/tf_static").last?.message.headerStampNanoseconds == 1_800_000_000_000_000_000)
        #expect(await sink.messages.allSatisfy { $0.timeNanoseconds == 1_800_000_000_000_000_000 })
    }

    /// Plays and does something when a text has come for the first time, or, named "TEXT again", for the second.
    private func steered(_ actions: [String: @Sendable (PlaybackControl) async -> Void]) async throws -> ListSink {
        let control = PlaybackControl(rate: 1000)
        let seen = Seen()
        let sink = ListSink { message, _ in
            guard let text = message.message.compiled(as: StringMessage.self)?.data else { return }
            switch await seen.count(text) {
            case 1: await actions[text]?(control)
            case 2: await actions["\(text) again"]?(control)
            default: break
            }
        }
        let report = try await bag().play(into: sink, control: control) { $0.playback.rate = 1000 }
        #expect(report.playback.failure == nil)
        return sink
    }

    private actor Seen {
        private var counts: [String: Int] = [:]

        func count(_ text: String) -> Int {
            counts[text, default: 0] += 1
            return counts[text, default: 0]
        }
    }

    @Test("a way back begins with what latched topics had said then")
    func seekBack() async throws {
        let sink = try await steered(["5": { await $0.apply(.seek(.seconds(0.15))) }])
        let texts = await sink.texts
        let back = try #require(texts.firstIndex(of: "5")).advanced(by: 1)
        #expect(Array(texts[back..<(back + 5)]) == ["first", "/tf_static", "/pose", "2", "second"])
        #expect(await sink.children("/tf_static").suffix(2) == [["camera", "lidar"], ["camera", "lidar", "gps"]])
        #expect(texts.suffix(1) == ["9"])
        // A bag of it goes on in time.
        let times = await sink.messages.map(\.timeNanoseconds)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("a way forward too, and beyond the end is the end")
    func seekForward() async throws {
        let sink = try await steered([
            "1": { await $0.apply(.seek(.seconds(0.65))) }, "8": { await $0.apply(.seek(.frame(1000))) },
        ])
        let texts = await sink.texts.filter { $0 != "/pose" }
        #expect(
            texts == [
                "first", "/tf_static", "/tf_static", "0", "1", "second", "/tf_static", "7", "8", "second", "/tf_static",
                "9",
            ]
        )
    }

    /// The command comes while a moment is presented, which must not count as the one that is asked for.
    @Test("a step back shows the moment before, in the pause", .timeLimit(.minutes(1)))
    func stepBack() async throws {
        let sink = try await steered([
            "4": { await $0.apply(.stepBack) },
            "3 again": { await $0.apply(.resume) },
        ])
        #expect(await sink.texts.filter { Int($0) != nil }.prefix(7) == ["0", "1", "2", "3", "4", "3", "4"])
    }
}
