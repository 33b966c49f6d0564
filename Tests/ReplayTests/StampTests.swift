import Capture
import ROS
import Replay
import Sessions
import Synthetic
import Testing

/// When messages are published, with which stamps, and in which order.
@Suite struct StampTests {
    private static let fromFrames: Set<String> = [
        "/mapping/pose", "/mapping/odom", "/mapping/camera/image/compressed", "/mapping/camera/camera_info",
        "/mapping/pointcloud/lidar", "/mapping/pointcloud/depth_anything", "/mapping/depth_anything/calibration",
        "/mapping/depth/image_raw", "/mapping/depth/image_raw/compressedDepth", "/mapping/depth/confidence",
        "/mapping/depth/camera_info",
    ]

    private func play(_ change: (inout SampleOptions) -> Void = { _ in }) async throws -> (Sample, Replayed) {
        var options = Sample.everything
        change(&options)
        let sample = try await Sample(options)
        return (sample, try await Replayed(sample.path))
    }

    @Test func stampsAreExactAndRatesAreKept() async throws {
        let (sample, replayed) = try await play()
        #expect(replayed.report.diagnostics.isEmpty, "\(replayed.report.diagnostics.entries)")
        #expect(Self.fromFrames.isSubset(of: replayed.names))
        let expected: [(String, [Int64])] = [
            ("/mapping/odom", sample.stamps(every: 1)), ("/mapping/pose", sample.stamps(every: 3)),
            ("/mapping/camera/image/compressed", sample.stamps(every: 15)),
            ("/mapping/camera/camera_info", sample.stamps(every: 15)),
            ("/mapping/pointcloud/lidar", sample.stamps(every: 6)),
            ("/mapping/pointcloud/depth_anything", sample.stamps(every: 6)),
            ("/mapping/depth_anything/calibration", sample.stamps(every: 6)),
            ("/mapping/depth/image_raw", sample.stamps(every: 6)),
            ("/mapping/depth/image_raw/compressedDepth", sample.stamps(every: 6)),
            ("/mapping/depth/confidence", sample.stamps(every: 6)),
            ("/mapping/depth/camera_info", sample.stamps(every: 6)),
            ("/tf", sample.stamps(every: 1)),
        ]
        for (name, stamps) in expected { #expect(replayed.stamps(name) == stamps, "\(name)") }
        // The IMU starts 50 ms before the first frame and goes on to 40 ms after the last.
        let start = sample.stamp(0) - 50_000_000
        #expect(replayed.stamps("/mapping/imu").count == 206)
        #expect(replayed.stamps("/mapping/imu") == (0..<206).map { start + Int64($0) * 10_000_000 })
        #expect(replayed.stamps("/mapping/gps/fix") == [0, 1, 2].map { start + $0 * 1_000_000_000 })
        #expect(replayed.stamps("/mapping/gps/metadata") == replayed.stamps("/mapping/gps/fix"))
    }

    /// The stamp in the header is the one under which the message is filed, to the nanosecond.
    @Test func headersCarryTheStampOfTheMessage() async throws {
        let (_, replayed) = try await play()
        for message in replayed.messages {
            guard let stamp = message.message.headerStampNanoseconds else { continue }
            #expect(stamp == message.timeNanoseconds, "\(message.topic.name)")
        }
    }

    @Test func everyFrameHasItsTransformBeforeItsData() async throws {
        let (_, replayed) = try await play()
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
        let (_, replayed) = try await play()
        for name in replayed.names {
            let stamps = replayed.stamps(name)
            #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 }, "\(name)")
        }
        let all = replayed.messages.map(\.timeNanoseconds)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0 <= $1 })
    }

    /// 5 Hz frames: 2 Hz images keep their rate on average, faster topics take every frame.
    @Test func slowSessionsGiveWhatTheyHave() async throws {
        let (sample, replayed) = try await play { options in
            options.framesPerSecond = 5
            options.durationSeconds = 4
        }
        #expect(replayed.stamps("/mapping/camera/image/compressed") == [0, 3, 5, 8, 10, 13, 15, 18].map(sample.stamp))
        for name in ["/mapping/pose", "/mapping/odom", "/mapping/pointcloud/lidar"] {
            #expect(replayed.stamps(name) == sample.stamps(every: 1), "\(name)")
        }
    }

    @Test func topicsAreOpenedOnceWithEveryTopicThatFollows() async throws {
        let (_, replayed) = try await play()
        #expect(replayed.names.isSubset(of: replayed.topics.map(\.name)))
        #expect(Set(replayed.topics.map(\.name)).count == replayed.topics.count)
        let latched = replayed.topics.filter(\.isLatched).map(\.name)
        #expect(Set(latched) == ["/tf_static", "/mapping/session"])
        for message in replayed.messages { #expect(type(of: message.message).typeName == message.topic.typeName) }
    }

    @Test func statisticsCountWhatWasWritten() async throws {
        let (_, replayed) = try await play()
        for line in replayed.report.topics {
            let messages = replayed.messages.filter { $0.topic.name == line.name }
            #expect(line.count == messages.count)
            #expect(line.bytes == messages.reduce(0) { $0 + $1.message.encodedCDR().count })
        }
    }

    /// Every message goes into JSON: no NaN where rosbridge would refuse it.
    @Test func everyMessageEncodes() async throws {
        let (_, replayed) = try await play { $0.hasNoise = true }
        for message in replayed.messages {
            var bytes: [UInt8] = []
            try message.message.appendJSON(to: &bytes)
            #expect(!bytes.isEmpty)
        }
    }
}
