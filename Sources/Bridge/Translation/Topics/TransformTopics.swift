import Messages
import Recording
import Sessions

/// `/tf`: where the body is, at the stamp of every frame of which anything is published, before the rest of it.
struct TransformTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.publishedFrame
    let rateHertz: Double? = nil
    private let axes: FramePolicy
    private let isCorrected: Bool

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.transforms, qos: .reliable(depth: 100)) else { return nil }
        topics = [topic]
        axes = context.axes
        isCorrected = context.summary.poseOrigin != nil
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard let frame = item.frame else { return }
        let odomFromBase = Coordinates.mapFromBase(frame.recordedWorldFromCamera, policy: axes)
        let mapFromBase = Coordinates.mapFromBase(frame.worldFromCamera, policy: axes)
        let message = TransformTree.moving(
            odomFromBase,
            mapFromOdom: isCorrected ? mapFromBase * odomFromBase.inverse : nil,
            stampNanoseconds: stamp
        )
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }
}

/// `/tf_static`: everything that does not move, in one latched message.
///
/// A second message would replace the first for late subscribers.
struct StaticTransformTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.any
    let rateHertz: Double? = nil
    private let context: SourceContext
    private var isDone = false

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.staticTransforms, qos: .latched, delivery: .control) else { return nil }
        topics = [topic]
        self.context = context
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard !isDone else { return }
        isDone = true
        let message = TransformTree.fixed(
            context.conventions.axes,
            earthFromMap: context.georeference.earthFromMap(context.axes),
            hasOdom: context.summary.poseOrigin == nil,
            tags: context.tagFrames,
            stampNanoseconds: stamp
        )
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }
}
