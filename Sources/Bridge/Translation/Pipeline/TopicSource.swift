import Maps
import Messages
import Playback
import Recording
import Sessions

/// Makes the messages of one topic, or of topics that belong together, from prepared records.
///
/// One source is one file in Topics/ and one line in ``Catalogue/sources(_:)``. A source sees records in time order, in
/// one task, so it may keep state.
protocol TopicSource {
    /// The topics, in the order in which their messages of one record are written.
    var topics: [Topic] { get }

    /// Which records the source wants, and the ceiling of its rate.
    var trigger: Trigger { get }
    var rateHertz: Double? { get }

    /// Takes what is fused of a key-frame, before its messages are asked for; only under ``Trigger/keyFrame``.
    mutating func update(with frame: MapFrame) async

    /// True if the source tells of the playback itself; such a one is told before its messages are asked for.
    var tellsOfPlayback: Bool { get }
    mutating func update(with status: PlaybackStatus)

    /// Does what takes long before the closing messages.
    mutating func updateForClosing() async

    /// Appends the messages of a record that was due for this source.
    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage])

    /// True if there is something to send when a pass has come to the end of the session.
    var hasClosingMessages: Bool { get }

    /// True if what is sent at the end is what had changed since, and not the whole again.
    var closesWithParts: Bool { get }

    /// Appends the closing messages.
    ///
    /// - Returns: true where more are to come, a moment later.
    mutating func closingMessages(stamp: Int64, into batch: inout [StampedMessage]) -> Bool

    /// Gives the problems that the source itself met since it was last asked.
    mutating func takeDiagnostics() -> Diagnostics
}

extension TopicSource {
    mutating func update(with frame: MapFrame) async {}

    var tellsOfPlayback: Bool { false }

    mutating func update(with status: PlaybackStatus) {}

    mutating func updateForClosing() async {}

    var hasClosingMessages: Bool { false }

    var closesWithParts: Bool { false }

    mutating func closingMessages(stamp: Int64, into batch: inout [StampedMessage]) -> Bool { false }

    // Most sources read nothing: what is wrong with a record comes with it.
    mutating func takeDiagnostics() -> Diagnostics { Diagnostics() }
}

/// The inputs from which every source is made.
struct SourceContext: Sendable {
    var summary: SessionSummary
    /// The better poses of the frames; `nil` where they are those that were recorded.
    var correction: PoseCorrection?
    var tiles: TileStore
    var profile: Profile
    var naming: TopicNaming
    var enabled: Set<TopicKind>
    /// Where the messages come from, shared by the bag and the session topic.
    var provenance: [String: String]
    var georeference: Georeference
    /// Where heights of fixes above the ellipsoid come from.
    var heights: FixHeights
    /// Which rotation the recorded attitudes are, and how well they fit gravity.
    var attitude: AttitudeCheck
    /// Tags that are frames below `map`.
    var tagFrames: [TagFrame]
    /// How many workers share the map.
    var jobs: Int

    var conventions: Conventions { profile.conventions }
    var axes: FramePolicy { conventions.axes }

    /// The topic of a kind under its published name; `nil` where it is not enabled.
    ///
    /// A latched topic is never dropped, nor is one slower than a message in ten seconds, however large: the next would come
    /// too late.
    func topic(_ kind: TopicKind, qos: QoS = .reliable(depth: 10), delivery: Delivery = .every) -> Topic? {
        guard enabled.contains(kind) else { return nil }
        let isRare = rateHertz(kind).map { $0 < Delivery.rarestBulkHertz } ?? false
        let delivery = delivery == .latest && (isRare || qos.durability == .transientLocal) ? .every : delivery
        return Topic(name: naming.name(kind), type: Catalogue.entry(kind).type, qos: qos, delivery: delivery)
    }

    func rateHertz(_ kind: TopicKind) -> Double? { profile.rateHertz(kind) }
}
