import Messages
import Recording
import Sessions

/// `/tf`: where the body is, at the stamp of every frame of which anything is published, before the rest of it.
struct TransformTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.publishedFrame
    let rateHertz: Double? = nil
    private let frames: FramePolicy

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.transforms, qos: .reliable(depth: 100)) else { return nil }
        topics = [topic]
        frames = context.frames
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard let frame = item.frame else { return }
        var message = TFMessage()
        message.transforms = [
            transformStamped(
                Coordinates.mapFromBase(frame.worldFromCamera, policy: frames),
                parent: FrameName.odom,
                child: FrameName.base,
                stampNanoseconds: stamp
            )
        ]
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
        var message = TFMessage()
        message.transforms = Self.edges(context).map {
            transformStamped($0.transform, parent: $0.parent, child: $0.child, stampNanoseconds: stamp)
        }
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }

    private struct Edge {
        var parent: String
        var child: String
        var transform: Recording.Transform
    }

    private static func edges(_ context: SourceContext) -> [Edge] {
        var edges: [Edge] = []
        if let earthFromMap = context.georeference.earthFromMap(context.frames) {
            edges.append(Edge(parent: FrameName.earth, child: FrameName.map, transform: earthFromMap))
        }
        edges.append(Edge(parent: FrameName.map, child: FrameName.odom, transform: .identity))
        let axes = context.conventions.axes
        let baseFromCamera = axes.baseFromCamera
        let cameraFromOptical = Coordinates.opticalFromCamera.inverse
        edges.append(Edge(parent: FrameName.base, child: FrameName.camera, transform: baseFromCamera))
        edges.append(Edge(parent: FrameName.camera, child: FrameName.optical, transform: cameraFromOptical))
        // All orientations: size and gravity may overrule the one that a frame declares.
        for orientation in axes.turnedImageFrames {
            edges.append(
                Edge(
                    parent: FrameName.camera,
                    child: FrameName.optical(orientation),
                    transform: cameraFromOptical * Coordinates.sensorOpticalFromStoredOptical(orientation)
                )
            )
        }
        edges.append(
            Edge(
                parent: FrameName.base,
                child: FrameName.imu,
                transform: baseFromCamera * DeviceAxes.cameraFromDevice
            )
        )
        edges.append(Edge(parent: FrameName.base, child: FrameName.gps, transform: .identity))
        return edges
    }
}
