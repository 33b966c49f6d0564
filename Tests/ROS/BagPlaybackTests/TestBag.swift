import Bags
import Messages
import Playback
import SystemPackage
import TestSupport

/// A small bag made row by row, and what is played of it.
struct TestBag {
    static let start: Int64 = 1_700_000_000_000_000_000

    let directory: TemporaryDirectory
    var path: FilePath { directory.appending("bag") }
    private(set) var rows: [(topic: String, time: Int64, bytes: [UInt8])] = []
    private(set) var topics: [BagTopic] = []

    init() throws { directory = try TemporaryDirectory() }

    /// A time in milliseconds after the start.
    static func time(_ milliseconds: Int64) -> Int64 { start + milliseconds * 1_000_000 }

    mutating func add(_ topic: BagTopic) { topics.append(topic) }

    mutating func add(
        _ name: String,
        _ type: any Message.Type,
        qos: QoS = .reliable(depth: 10),
        form: BagOptions.Serialization = .cdr
    ) {
        add(BagTopic(Topic(name: name, type: type, qos: qos), serialization: form))
    }

    mutating func append(_ topic: String, _ milliseconds: Int64, _ bytes: [UInt8]) {
        rows.append((topic, Self.time(milliseconds), bytes))
    }

    mutating func append(_ topic: String, _ milliseconds: Int64, _ message: any Message) {
        append(topic, milliseconds, message.cdr)
    }

    mutating func append(_ topic: String, _ milliseconds: Int64, text: String) {
        var message = StringMessage()
        message.data = text
        append(topic, milliseconds, message)
    }

    /// A message that puts frames into place.
    static func transforms(_ children: String..., at milliseconds: Int64, x: Double = 0) -> TFMessage {
        var message = TFMessage()
        message.transforms = children.map { child in
            var transform = TransformStamped()
            transform.header = Header(stampNanoseconds: time(milliseconds), frameID: "base")
            transform.childFrameID = child
            transform.transform.translation.x = x
            transform.transform.rotation.w = 1
            return transform
        }
        return message
    }

    /// Writes the bag; all its topics are of one form.
    func write(_ change: (inout BagOptions) -> Void = { _ in }) async throws {
        var options = BagOptions()
        if let form = topics.first.flatMap({ BagOptions.Serialization(rawValue: $0.serializationFormat) }) {
            options.serialization = form
        }
        change(&options)
        let sink = BagSink(path, options: options)
        try await sink.open(topics)
        for row in rows {
            let index = topics.firstIndex { $0.name == row.topic } ?? 0
            try await sink.write(BagRow(topic: index, timeNanoseconds: row.time, bytes: row.bytes))
        }
        _ = try await sink.finish()
    }

    func setup(_ change: (inout BagPlaybackPlan) -> Void = { _ in }) throws -> BagPlaybackSetup {
        var plan = BagPlaybackPlan()
        change(&plan)
        return try BagPlaybackSetup(opening: path, plan: plan)
    }

    /// Plays into a sink, unpaced where the plan does not say.
    @discardableResult
    func play(
        into sink: ListSink,
        control: PlaybackControl? = nil,
        _ change: (inout BagPlaybackPlan) -> Void = { _ in }
    ) async throws -> BagPlaybackReport {
        await BagPlaybackRun(try setup(change), control: control).run(into: [sink])
    }
}
