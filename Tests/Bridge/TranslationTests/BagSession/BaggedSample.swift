import Bags
import Messages
import Platform
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing
import Translation

/// A session of the product's generator, the bag that was made of it, and the bag as a session again.
struct BaggedSample {
    let sample: Sample
    let recorded: any Session
    let bag: FilePath
    let provenance: [String: String]
    /// Unix time minus the recording's own.
    let offset: Int64

    init(
        _ options: SampleOptions = Sample.everything,
        profile: String = "full",
        storage: BagOptions.Storage = .sqlite3,
        serialization: BagOptions.Serialization = .cdr,
        keepsProvenance: Bool = true,
        maximumChunkBytes: Int? = nil,
        _ change: (inout ReplayPlan) -> Void = { _ in }
    ) async throws {
        sample = try await Sample(options)
        recorded = try SessionFormats.open(path: sample.path.string)
        bag = sample.directory.appending("bag")
        let setup = try Replayed.setup(sample.path, profile: profile, change)
        provenance = setup.provenance
        offset = sample.truth.stamp(0) - recorded.summary.firstTime.nanoseconds
        let options = BagOptions(
            storage: storage,
            serialization: serialization,
            maximumChunkBytes: maximumChunkBytes,
            customData: keepsProvenance ? provenance : [:]
        )
        _ = await setup.run(into: [BagSink(bag, options: options)])
    }

    func open(namespace: String? = nil) throws -> any Session {
        try BagSession.open(path: bag.string, namespace: namespace)
    }

    /// The frames of the recording by the stamps that they have in the bag.
    func recordedFrames() throws -> [Int64: FrameReference] {
        Dictionary(
            uniqueKeysWithValues: try Self.frames(recorded).map { ($0.time.nanoseconds + offset, $0) }
        )
    }

    static func frames(_ session: any Session) throws -> [FrameReference] {
        try records(session, .frames).compactMap { if case .frame(let frame) = $0 { frame } else { nil } }
    }

    static func motion(_ session: any Session) throws -> [MotionSample] {
        try records(session, .motion).compactMap { if case .motion(let sample) = $0 { sample } else { nil } }
    }

    static func fixes(_ session: any Session) throws -> [LocationSample] {
        try records(session, .location).compactMap { if case .location(let fix) = $0 { fix } else { nil } }
    }

    private static func records(_ session: any Session, _ stream: RecordStream) throws -> [Record] {
        let cursor = try session.records(RecordRequest(streams: [stream]))
        var records: [Record] = []
        while let record = try cursor.next() { records.append(record) }
        return records
    }
}

/// A bag of messages that are made by hand.
final class BagOfMessages {
    let directory: TemporaryDirectory
    var path: FilePath { directory.appending("bag") }
    private let sink: BagSink
    static let second: Int64 = 1_767_268_800_000_000_000

    init(storage: BagOptions.Storage = .sqlite3, customData: [String: String] = [:]) async throws {
        directory = try TemporaryDirectory()
        sink = BagSink(directory.appending("bag"), options: BagOptions(storage: storage, customData: customData))
        try await sink.open()
    }

    static func stamp(_ place: Int) -> Int64 { second + Int64(place) * 100_000_000 }

    static func header(_ place: Int, _ frame: String = FrameName.optical) -> Header {
        Header(stampNanoseconds: stamp(place), frameID: frame)
    }

    func write(_ name: String, _ message: any Message, at place: Int) async throws {
        let topic = Topic(name: name, type: type(of: message))
        try await sink.add(topic)
        try await sink.write(StampedMessage(topic: topic, timeNanoseconds: Self.stamp(place), message: message))
    }

    /// A row that is no message of its topic.
    func write(_ name: String, _ type: any Message.Type, bytes: [UInt8], at place: Int) async throws {
        let index = try await sink.add(BagTopic(Topic(name: name, type: type), serialization: .cdr))
        try await sink.write(BagRow(topic: index, timeNanoseconds: Self.stamp(place), bytes: bytes))
    }

    func writePose(at place: Int, x: Double = 0, _ name: String = "/mapping/pose") async throws {
        var message = PoseStamped()
        message.header = Self.header(place, FrameName.map)
        message.pose.position.x = x
        message.pose.orientation.w = 1
        try await write(name, message, at: place)
    }

    func writeCamera(
        at place: Int,
        width: Int = 8,
        height: Int = 6,
        _ name: String = "/mapping/camera/camera_info"
    ) async throws {
        let camera = CameraIntrinsics(width: width, height: height, fx: 7, fy: 7, cx: 3.5, cy: 2.5)
        try await write(name, cameraInfo(camera, header: Self.header(place)), at: place)
    }

    func finish() async throws { _ = try await sink.finish() }

    func open(namespace: String? = nil) async throws -> any Session {
        try await finish()
        return try BagSession.open(path: path.string, namespace: namespace)
    }
}

extension Recording.Quaternion {
    /// The angle between two rotations in radians.
    func angle(to other: Recording.Quaternion) -> Double { (inverse * other).rotationVector.length }
}
