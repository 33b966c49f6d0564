import Codecs
import Messages
import Recording
import Sessions

/// A depth map as an image: raw, compressed, its confidence, and the CameraInfo of the depth grid, all of one stamp.
///
/// Where the frame's picture is stored turned the depth is turned with it, so that both have one optical frame and grids
/// whose sides have one ratio, which every reader of RGB-D takes for granted. The axes of the app have one frame for all.
struct DepthTopics: TopicSource {
    /// The depth as it was recorded, or as fine as the image.
    enum Grid {
        case recorded, dense
    }

    let topics: [Topic]
    let trigger: Trigger
    let rateHertz: Double?
    private let raw: Topic?
    private let compressed: Topic?
    private let confidence: Topic?
    private let info: Topic?
    private let grid: Grid
    private let axes: FramePolicy

    init?(_ context: SourceContext, _ grid: Grid) {
        let isDense = grid == .dense
        raw = context.topic(isDense ? .denseDepthImage : .depthImage, delivery: .latest)
        compressed = context.topic(isDense ? .compressedDenseDepth : .compressedDepth, delivery: .latest)
        let hasConfidence = isDense || context.summary.hasConfidence
        let confidenceTopic = isDense ? TopicKind.denseDepthConfidence : .depthConfidence
        confidence = hasConfidence ? context.topic(confidenceTopic, delivery: .latest) : nil
        info = context.topic(isDense ? .denseDepthCameraInfo : .depthCameraInfo)
        topics = [raw, compressed, confidence, info].compactMap { $0 }
        guard !topics.isEmpty else { return nil }
        trigger = .frame(isDense ? .denseDepth : .depth)
        rateHertz = context.rateHertz(isDense ? .denseDepthImage : .depthImage)
        axes = context.conventions.axes
        self.grid = grid
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard let frame = item.frame, let recorded = grid == .dense ? item.denseDepth : item.depth else { return }
        let turn = axes == .ros ? item.turn : .landscapeRight
        let depth = recorded.stored(turn)
        let header = Header(stampNanoseconds: stamp, frameID: axes.imageFrame(turn))
        func append(_ topic: Topic?, _ make: () -> (any Message)?) {
            guard let topic, let message = make() else { return }
            batch.append(StampedMessage(topic: topic, timeNanoseconds: stamp, message: message))
        }
        append(raw) { Self.image(depth, header: header) }
        append(compressed) { Self.compressedImage(depth, header: header) }
        append(confidence) { Self.confidenceImage(depth, header: header) }
        append(info) {
            let camera = turn.storedIntrinsics(frame.intrinsics)
            return cameraInfo(camera.scaled(toWidth: depth.width, height: depth.height), header: header)
        }
    }

    /// 32FC1 in metres; what is no depth is a quiet NaN (REP-117, REP-118).
    private static func image(_ depth: DepthMap, header: Header) -> Image {
        var message = Image()
        message.header = header
        message.height = UInt32(depth.height)
        message.width = UInt32(depth.width)
        message.encoding = "32FC1"
        message.step = UInt32(depth.width * 4)
        message.data = [UInt8](unsafeUninitializedCapacity: depth.metres.count * 4) { output, count in
            for (index, value) in depth.metres.enumerated() {
                let metres = value.isFinite && value > 0 ? value : .nan
                UnsafeMutableRawBufferPointer(output).storeBytes(
                    of: metres.bitPattern.littleEndian,
                    toByteOffset: index * 4,
                    as: UInt32.self
                )
            }
            count = depth.metres.count * 4
        }
        return message
    }

    /// 16UC1 millimetres as PNG behind the 12-byte header that compressed_depth_image_transport expects: an enumerator
    /// and two parameters, which 16-bit images do not use.
    private static func compressedImage(_ depth: DepthMap, header: Header) -> CompressedImage? {
        let millimetres = depth.metres.map { value -> UInt16 in
            guard value.isFinite, value > 0, value < 65.535 else { return 0 }
            return UInt16((value * 1000).rounded())
        }
        guard let png = try? PNG16.encode(width: depth.width, height: depth.height, samples: millimetres) else {
            return nil
        }
        var message = CompressedImage()
        message.header = header
        message.format = "16UC1; compressedDepth png"
        message.data = [UInt8](repeating: 0, count: 12) + png
        return message
    }

    private static func confidenceImage(_ depth: DepthMap, header: Header) -> Image? {
        guard let confidence = depth.confidence else { return nil }
        var message = Image()
        message.header = header
        message.height = UInt32(depth.height)
        message.width = UInt32(depth.width)
        message.encoding = "mono8"
        message.step = UInt32(depth.width)
        message.data = confidence
        return message
    }
}
