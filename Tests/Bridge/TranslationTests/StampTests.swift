import Messages
import Playback
import Recording
import Sessions
import Synthetic
import Testing
import Translation

/// When messages are published, with which stamps, and in which order.
@Suite struct StampTests {
    private static let fromFrames: Set<String> = [
        "/mapping/pose", "/mapping/odom", "/mapping/camera/image/compressed", "/mapping/camera/camera_info",
        "/mapping/pointcloud/lidar", "/mapping/pointcloud/depth_anything", "/mapping/depth_anything/calibration",
        "/mapping/depth/image_raw", "/mapping/depth/image_raw/compressedDepth", "/mapping/depth/confidence",
        "/mapping/depth/camera_info",
    ]

    @Test func stampsAreExactAndRatesAreKept() async throws {
        let played = try await Played.everything()
        let (truth, replayed) = (played.truth, played.replayed)
        #expect(replayed.report.diagnostics.isEmpty, "\(replayed.report.diagnostics.entries)")
        #expect(Self.fromFrames.isSubset(of: replayed.names))
        let expected: [(String, [Int64])] = [
            ("/mapping/odom", truth.stamps(every: 1)), ("/mapping/pose", truth.stamps(every: 3)),
            ("/mapping/camera/image/compressed", truth.stamps(every: 15)),
            ("/mapping/camera/camera_info", truth.stamps(every: 15)),
            ("/mapping/pointcloud/lidar", truth.stamps(every: 6)),
            ("/mapping/pointcloud/depth_anything", truth.stamps(every: 6)),
            ("/mapping/depth_anything/calibration", truth.stamps(every: 6)),
            ("/mapping/depth/image_raw", truth.stamps(every: 6)),
            ("/mapping/depth/image_raw/compressedDepth", truth.stamps(every: 6)),
            ("/mapping/depth/confidence", truth.stamps(every: 6)),
            ("/mapping/depth/camera_info", truth.stamps(every: 6)),
            ("/tf", truth.stamps(every: 1)),
        ]
        for (name, stamps) in expected { #expect(replayed.stamps(name) == stamps, "\(name)") }
        // The IMU starts 50 ms before the first frame and goes on to 40 ms after the last.
        let start = truth.stamp(0) - 50_000_000
        #expect(replayed.stamps("/mapping/imu").count == 206)
        #expect(replayed.stamps("/mapping/imu") == (0..<206).map { start + Int64($0) * 10_000_000 })
        #expect(replayed.stamps("/mapping/gps/fix") == [0, 1, 2].map { start + $0 * 1_000_000_000 })
        #expect(replayed.stamps("/mapping/gps/metadata") == replayed.stamps("/mapping/gps/fix"))
    }

    /// The stamp in the header is the one under which the message is filed, to the nanosecond.
    @Test func headersCarryTheStampOfTheMessage() async throws {
        let replayed = try await Played.everything().replayed
        var count = 0
        for message in replayed.messages {
            guard let stamp = message.message.headerStampNanoseconds else { continue }
            count += 1
            #expect(stamp == message.timeNanoseconds, "\(message.topic.name)")
        }
        #expect(count > 206)
    }

    @Test func everyFrameHasItsTransformBeforeItsData() async throws {
        let replayed = try await Played.everything().replayed
        var transformed: Set<Int64> = []
        var hasStatic = false
        for message in replayed.messages {
            switch message.topic.name {
            case "/tf_static": hasStatic = true
            case "/tf": #expect(transformed.insert(message.timeNanoseconds).inserted)
            case let name:
                #expect(hasStatic, "\(name)")
                if Self.fromFrames.contains(name) {
                    #expect(transformed.contains(message.timeNanoseconds), "\(name)")
                }
            }
        }
        #expect(transformed.count == 60)
    }

    @Test func noFrameTwiceOnATopicAndTimeNeverStepsBack() async throws {
        let replayed = try await Played.everything().replayed
        for name in replayed.names {
            // What the last key-frame changed of the map may take several messages.
            let isOnceAStamp = name != "/mapping/map"
            let stamps = replayed.stamps(name)
            #expect(zip(stamps, stamps.dropFirst()).allSatisfy { isOnceAStamp ? $0 < $1 : $0 <= $1 }, "\(name)")
        }
        let all = replayed.messages.map(\.timeNanoseconds)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0 <= $1 })
    }

    /// 5 Hz frames: 2 Hz images keep their rate on average, faster topics take every frame.
    @Test func slowSessionsGiveWhatTheyHave() async throws {
        var options = Sample.everything
        options.framesPerSecond = 5
        options.durationSeconds = 4
        let played = try await Played(options)
        let (truth, replayed) = (played.truth, played.replayed)
        #expect(replayed.stamps("/mapping/camera/image/compressed") == [0, 3, 5, 8, 10, 13, 15, 18].map(truth.stamp))
        for name in ["/mapping/pose", "/mapping/odom", "/mapping/pointcloud/lidar"] {
            #expect(replayed.stamps(name) == truth.stamps(every: 1), "\(name)")
        }
    }

    @Test func topicsAreOpenedOnceWithEveryTopicThatFollows() async throws {
        let replayed = try await Played.everything().replayed
        #expect(replayed.names.isSubset(of: replayed.topics.map(\.name)))
        #expect(Set(replayed.topics.map(\.name)).count == replayed.topics.count)
        let latched = replayed.topics.filter(\.isLatched).map(\.name)
        #expect(Set(latched) == ["/tf_static", "/mapping/session", "/map"])
        for message in replayed.messages {
            #expect((message.message as? any Message).map { type(of: $0).typeName } == message.topic.typeName)
        }
    }

    @Test func statisticsCountWhatWasWritten() async throws {
        let replayed = try await Played.everything().replayed
        for line in replayed.report.playback.topics {
            let messages = replayed.messages.filter { $0.topic.name == line.name }
            #expect(line.count == messages.count)
            #expect(line.bytes == messages.reduce(0) { $0 + $1.message.encodedCDR().count })
        }
    }

    /// Every message goes into JSON: no NaN where rosbridge would refuse it.
    @Test func everyMessageEncodes() async throws {
        var options = Sample.everything
        options.hasNoise = true
        options.durationSeconds = 1
        let replayed = try await Played(options).replayed
        for message in replayed.messages {
            var bytes: [UInt8] = []
            try message.message.appendJSON(to: &bytes)
            #expect(!bytes.isEmpty)
        }
    }
}
