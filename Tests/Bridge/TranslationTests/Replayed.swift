import Messages
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Translation

/// What came out of a whole replay.
struct Replayed {
    let setup: ReplaySetup
    let topics: [Topic]
    let messages: [StampedMessage]
    let report: ReplayReport

    /// Plays a session as fast as it goes.
    init(
        _ path: FilePath,
        profile: String = "full",
        epoch: EpochPolicy = .automatic,
        _ change: (inout ReplayPlan) -> Void = { _ in }
    ) async throws {
        try await self.init(Self.setup(path, profile: profile, epoch: epoch, change))
    }

    /// Plays a session that is open.
    init(
        _ session: any Session,
        profile: String = "full",
        epoch: EpochPolicy = .automatic,
        _ change: (inout ReplayPlan) -> Void
    ) async throws {
        try await self.init(Self.setup(session, profile: profile, epoch, change))
    }

    private init(_ setup: ReplaySetup) async throws {
        self.setup = setup
        let sink = CollectingSink()
        report = await setup.run(into: [sink])
        topics = await sink.topics
        messages = await sink.messages
    }

    static func setup(
        _ path: FilePath,
        profile: String = "full",
        epoch: EpochPolicy = .automatic,
        _ change: (inout ReplayPlan) -> Void = { _ in }
    ) throws -> ReplaySetup {
        try setup(SessionFormats.open(path: path.string), profile: profile, epoch, change)
    }

    private static func setup(
        _ session: any Session,
        profile: String,
        _ epoch: EpochPolicy,
        _ change: (inout ReplayPlan) -> Void
    ) throws -> ReplaySetup {
        guard let profile = Profile.named(profile) else { throw CollectingSink.Refusal(place: profile) }
        var plan = ReplayPlan(profile: profile)
        change(&plan)
        return try ReplaySetup(OpenedRecording(session, ClockRequest(epoch)), plan: plan)
    }

    /// The messages of a topic, which must be of the type.
    func all<M: Message>(_ name: String, _ type: M.Type = M.self) -> [M] {
        messages.compactMap { $0.topic.name == name ? $0.message as? M : nil }
    }

    func stamps(_ name: String) -> [Int64] {
        messages.filter { $0.topic.name == name }.map(\.timeNanoseconds)
    }

    var names: Set<String> { Set(messages.map(\.topic.name)) }

    /// Everything as bytes: topic, time, CDR.
    var everything: [[UInt8]] {
        messages.map { Array("\($0.topic.name) \($0.timeNanoseconds) ".utf8) + $0.message.encodedCDR() }
    }
}

/// A session of the product's generator in a folder of its own.
final class Sample {
    let directory: TemporaryDirectory
    let path: FilePath
    let options: SampleOptions

    /// Two seconds at 30 Hz with everything, in images small enough for a test.
    static var everything: SampleOptions {
        var options = SampleOptions()
        options.durationSeconds = 2
        options.imageSize = GridSize(width: 96, height: 72)
        options.hasGPS = true
        options.hasRelativeDepth = true
        options.jobs = 2
        return options
    }

    init(_ options: SampleOptions) async throws {
        directory = try TemporaryDirectory()
        path = directory.appending("session")
        self.options = options
        try await SyntheticSession.write(to: path, options: options)
    }

    var truth: SampleTruth { SampleTruth(options: options) }
}

/// What is known of a generated session without reading it.
struct SampleTruth {
    let options: SampleOptions

    /// Unix time in nanoseconds of a frame: the generator starts at 2026-01-01T12:00:00Z, its frames 50 ms later.
    func stamp(_ frame: Int) -> Int64 {
        1_767_268_800_050_000_000 + Int64((Double(frame) * 1e9 / options.framesPerSecond).rounded())
    }

    func stamps(every step: Int) -> [Int64] {
        stride(from: 0, to: options.frameCount, by: step).map { stamp($0) }
    }

    /// The camera's true pose at a stamp.
    func worldFromCamera(at stamp: Int64) -> Recording.Transform {
        SyntheticSession.trajectory(options).worldFromCamera(atSeconds: Double(stamp - self.stamp(0)) / 1e9)
    }
}

/// A session that was written, played whole, and removed.
struct Played {
    let truth: SampleTruth
    let replayed: Replayed

    init(_ options: SampleOptions) async throws {
        let sample = try await Sample(options)
        truth = sample.truth
        replayed = try await Replayed(sample.path)
    }

    private static let task = Task { try await Played(Sample.everything) }

    /// Two seconds of everything, made once for all tests that only look at it.
    static func everything() async throws -> Played { try await task.value }
}

extension Messages.Header {
    var stampNanoseconds: Int64 { stamp.nanosecondsSinceEpoch }
}

extension Recording.Vector3 {
    init(_ vector: Messages.Vector3) { self.init(vector.x, vector.y, vector.z) }
    init(_ point: Messages.Point) { self.init(point.x, point.y, point.z) }

    func isClose(to other: Recording.Vector3, _ tolerance: Double = 1e-9) -> Bool {
        (self - other).length <= tolerance
    }
}

extension Recording.Quaternion {
    init(_ q: Messages.Quaternion) { self.init(x: q.x, y: q.y, z: q.z, w: q.w) }
}

extension Recording.Transform {
    init(_ transform: Messages.Transform) {
        self.init(
            rotation: Recording.Quaternion(transform.rotation),
            translation: Recording.Vector3(transform.translation)
        )
    }
}

extension Messages.Header {
    /// Whether stamp and frame are equal.
    func isSame(as other: Messages.Header) -> Bool { stamp == other.stamp && frameID == other.frameID }
}
