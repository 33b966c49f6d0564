import Maps
import Messages

/// The form in which a topic shows the map.
protocol MapView {
    associatedtype Content: Message

    static var kind: TopicKind { get }
    static var qos: QoS { get }
    /// True if a message shows the whole map, so that two of one map are the same, and one that is late may be dropped.
    static var isWhole: Bool { get }

    init(_ context: SourceContext)

    /// The messages that show the map as it is now, without their stamps.
    ///
    /// - Parameter isLast: True if nothing more comes.
    mutating func contents(of map: LiveMap, isLast: Bool) async -> [Content]

    static func set(_ header: Header, of content: inout Content)
}

extension MapView {
    static var qos: QoS { .reliable(depth: 10) }
}

/// A topic of the map: at its rate, with a key-frame, and once more at the end of the session.
struct MapTopic<View: MapView>: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.keyFrame
    let rateHertz: Double?
    private let map: LiveMap
    private var view: View
    /// Made, and waiting for their stamp.
    private var ready: [View.Content] = []
    /// The pass and the number of key-frames of the map that was shown last.
    private var shown: (pass: Int, frames: Int)?

    init?(_ map: LiveMap, _ context: SourceContext) {
        guard let topic = context.topic(View.kind, qos: View.qos, delivery: View.isWhole ? .latest : .every) else {
            return nil
        }
        topics = [topic]
        rateHertz = context.rateHertz(View.kind)
        view = View(context)
        self.map = map
    }

    mutating func update(with frame: MapFrame) async {
        shown = (map.pass, map.frameCount)
        ready = await view.contents(of: map, isLast: false)
    }

    mutating func updateForClosing() async {
        let isShown = View.isWhole && shown.map { $0 == (map.pass, map.frameCount) } == true
        ready = isShown ? [] : await view.contents(of: map, isLast: true)
        map.finish()
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        publish(stamp, into: &batch)
    }

    var hasClosingMessages: Bool { !map.isEmpty }

    var closesWithParts: Bool { !View.isWhole }

    mutating func closingMessages(stamp: Int64, into batch: inout [StampedMessage]) -> Bool {
        publish(stamp, into: &batch)
        return !ready.isEmpty
    }

    /// Of too many messages in one moment a subscriber with a short queue would lose some.
    private mutating func publish(_ stamp: Int64, into batch: inout [StampedMessage]) {
        let header = Header(stampNanoseconds: stamp, frameID: FrameName.map)
        for var content in ready.prefix(ClosingMoment.mostMessages) {
            View.set(header, of: &content)
            batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: content))
        }
        ready.removeFirst(min(ready.count, ClosingMoment.mostMessages))
    }
}

/// How much of one topic is sent in one moment at the end: players queue ten messages, whatever a bag says.
enum ClosingMoment {
    static let mostMessages = 7
    /// In which a slow subscriber has to take them.
    static let intervalNanoseconds: Int64 = 500_000_000
}

/// `/mapping/surfels`: small discs of the surface, 40 bytes each: position, normal, radius, confidence, colour, and how
/// many frames saw it.
struct SurfelCloud: MapView {
    static let kind = TopicKind.surfels
    static let isWhole = true
    private let colour: CloudColour

    /// More would exceed, as base64 text, the 10 MB that rosbridge servers take.
    static let maximumCount = 180_000
    private static let bytesPerSurfel = 40

    init(_ context: SourceContext) { colour = context.conventions.cloudColour }

    static func set(_ header: Header, of content: inout PointCloud2) { content.header = header }

    func contents(of map: LiveMap, isLast: Bool) async -> [PointCloud2] {
        guard let extractor = await map.extractor() else { return [] }
        let surfels = Surfel.surest(await extractor.surfels(), atMost: Self.maximumCount)
        return surfels.isEmpty ? [] : [cloud(surfels)]
    }

    private func cloud(_ surfels: [Surfel]) -> PointCloud2 {
        var message = PointCloud2()
        message.height = 1
        message.width = UInt32(surfels.count)
        let names = ["x", "y", "z", "normal_x", "normal_y", "normal_z", "radius", "confidence", "rgb"]
        message.fields = (names + ["observation_count"]).enumerated().map { place, name in
            let isInteger = name == "observation_count" || name == "rgb" && colour == .uint32
            let datatype = isInteger ? PointField.uint32 : PointField.float32
            return PointField(name: name, offset: UInt32(place) * 4, datatype: datatype, count: 1)
        }
        message.pointStep = UInt32(Self.bytesPerSurfel)
        message.rowStep = message.pointStep * message.width
        message.data = Surfel.packed(surfels)
        message.isDense = true
        return message
    }
}
