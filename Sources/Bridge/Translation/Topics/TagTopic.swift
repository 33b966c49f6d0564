import Messages
import Perception
import Recording
import Sessions

/// `/mapping/tags`: the AprilTags in an image, in the pixels and the frame of the image as it is published.
///
/// An image without tags is an empty message: that nothing was seen is known, too.
struct TagTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.frame(.tags)
    let rateHertz: Double?
    private let axes: FramePolicy

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.tags) else { return nil }
        topics = [topic]
        rateHertz = context.rateHertz(.tags)
        axes = context.conventions.axes
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard let found = item.tags else { return }
        var message = AprilTagDetectionArray()
        message.header = Header(stampNanoseconds: stamp, frameID: axes.imageFrame(found.orientation))
        message.detections = found.detections.tags.map(Self.detection)
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }

    private static func detection(_ tag: TagDetection) -> AprilTagDetection {
        var message = AprilTagDetection()
        message.family = tag.family.rawValue
        message.id = Int32(clamping: tag.id)
        message.hamming = Int32(clamping: tag.hamming)
        message.decisionMargin = Float(tag.margin)
        for (index, corner) in tag.corners.prefix(4).enumerated() {
            message.corners[index] = AprilTagPoint(x: corner.x, y: corner.y)
        }
        if let rows = SquareHomography.rows(tag.corners) {
            for (index, value) in rows.enumerated() { message.homography[index] = value / rows[8] }
            message.centre = AprilTagPoint(x: rows[2] / rows[8], y: rows[5] / rows[8])
        }
        return message
    }
}
