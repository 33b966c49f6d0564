import Messages
import Perception
import Recording

/// `/mapping/pointcloud/lidar`: coloured, metric, in the map.
struct LidarCloudTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.frame(.lidarCloud)
    let rateHertz: Double?
    private let colour: CloudColour

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.lidarCloud, delivery: .latest) else { return nil }
        topics = [topic]
        rateHertz = context.rateHertz(.lidarCloud)
        colour = context.conventions.cloudColour
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard let cloud = item.cloud, cloud.count > 0 else { return }
        let header = Header(stampNanoseconds: stamp, frameID: FrameName.map)
        let message = pointCloud(cloud, header: header, colour: colour)
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }
}

/// The relative cloud of a monocular model, and the calibration that makes it metric: never one without the other.
struct RelativeCloudTopics: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.frame(.relativeCloud)
    let rateHertz: Double?
    private let cloud: Topic?
    private let calibration: Topic?
    private let context: SourceContext

    init?(_ context: SourceContext) {
        cloud = context.topic(.relativeCloud, delivery: .latest)
        calibration = context.topic(.relativeCalibration)
        topics = [calibration, cloud].compactMap { $0 }
        guard !topics.isEmpty else { return nil }
        rateHertz = context.rateHertz(.relativeCloud)
        self.context = context
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard let frame = item.frame, let relative = item.relative else { return }
        let header = Header(stampNanoseconds: stamp, frameID: FrameName.camera)
        if let calibration {
            let message = CalibrationMessage.make(relative, frame: frame, header: header, context)
            batch.append(StampedMessage(topic: calibration, timeNanoseconds: stamp, message: message))
        }
        if let cloud, relative.cloud.count > 0 {
            let message = pointCloud(relative.cloud, header: header, colour: context.conventions.cloudColour)
            batch.append(StampedMessage(topic: cloud, timeNanoseconds: stamp, message: message))
        }
    }
}

/// A PointCloud2 of packed points: x, y, z and rgb, 16 bytes each.
///
/// `rgb` is the float that PCL and RViz expect, whose bits are 0x00RRGGBB; the phone app calls the same bytes UINT32.
func pointCloud(_ cloud: PointCloud, header: Header, colour: CloudColour) -> PointCloud2 {
    var message = PointCloud2()
    message.header = header
    message.height = 1
    message.width = UInt32(clamping: cloud.count)
    message.fields = zip(["x", "y", "z", "rgb"], UInt32(0)...).map { name, place in
        var field = PointField()
        field.name = name
        field.offset = place * 4
        field.datatype = name == "rgb" && colour == .uint32 ? PointField.uint32 : PointField.float32
        field.count = 1
        return field
    }
    message.pointStep = UInt32(PointCloud.bytesPerPoint)
    message.rowStep = message.pointStep * message.width
    message.data = cloud.packed
    // The builder lets no point through that is not finite.
    message.isDense = true
    return message
}
