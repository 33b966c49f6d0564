import Messages
import Recording
import Sessions

/// The camera image, as the phone stored it, and the CameraInfo of just that image, with the same stamp.
struct CameraTopics: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.frame(.image)
    let rateHertz: Double?
    private let image: Topic?
    private let info: Topic?
    private let conventions: Conventions

    init?(_ context: SourceContext) {
        image = context.topic(.cameraImage, delivery: .latest)
        info = context.topic(.cameraInfo)
        topics = [image, info].compactMap { $0 }
        guard !topics.isEmpty else { return nil }
        rateHertz = context.rateHertz(.cameraImage)
        conventions = context.conventions
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard let frame = item.frame, let stored = item.image else { return }
        // A turned image has the axes of a turned optical frame.
        let header = Header(stampNanoseconds: stamp, frameID: conventions.axes.imageFrame(stored.orientation))
        if let image {
            var message = CompressedImage()
            message.header = header
            message.format = conventions.imageFormat.text(stored.format.rawValue)
            message.data = stored.bytes
            batch.append(StampedMessage(topic: image, timeNanoseconds: stamp, message: message))
        }
        if let info {
            let camera = stored.orientation.storedIntrinsics(frame.intrinsics)
                .scaled(toWidth: stored.width, height: stored.height)
            batch.append(
                StampedMessage(topic: info, timeNanoseconds: stamp, message: cameraInfo(camera, header: header))
            )
        }
    }
}
