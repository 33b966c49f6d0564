import Messages
import Recording

/// `/mapping/pose`: the pose of the body in the map.
struct PoseTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.frame([])
    let rateHertz: Double?
    private let axes: FramePolicy

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.pose) else { return nil }
        topics = [topic]
        rateHertz = context.rateHertz(.pose)
        axes = context.axes
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard let frame = item.frame else { return }
        var message = PoseStamped()
        message.header = Header(stampNanoseconds: stamp, frameID: FrameName.map)
        message.pose = pose(Coordinates.mapFromBase(frame.worldFromCamera, policy: axes))
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }
}
