import Messages
import Recording
import Replay
import Text

// Images and clouds of a phone as messages.
extension ArvosDecoder {
    func camera(_ message: ArvosMessage) throws(ArvosProblem) -> [StampedMessage] {
        let stamp = try stamp(message)
        let format = message["format"]?.string ?? "jpeg"
        guard !message.payload.isEmpty else {
            throw ArvosProblem(.dataSize, expected: "an image", found: "no bytes")
        }
        let header = Header(stampNanoseconds: stamp, frameID: frame(message, FrameName.optical))
        var result: [StampedMessage] = []
        switch format {
        case "jpeg", "jpg", "png":
            let coding = format == "png" ? "png" : "jpeg"
            var image = CompressedImage()
            image.header = header
            image.format = "rgb8; \(coding) compressed bgr8"
            image.data = message.payload
            result.append(stamped(topics.image, stamp, image))
        case "h264", "h265":
            var video = CompressedVideo()
            video.timestamp = header.stamp
            video.frameID = header.frameID
            video.data = message.payload
            video.format = format
            result.append(stamped(topics.video, stamp, video))
        default:
            throw ArvosProblem(.badValue, expected: "format jpeg, png, h264 or h265", found: String(format.prefix(40)))
        }
        if let info = cameraInfo(message, header) { result.append(stamped(topics.info, stamp, info)) }
        return result
    }

    func cameraInfo(_ message: ArvosMessage, _ header: Header) -> CameraInfo? {
        guard let intrinsics = message["intrinsics"], let width = message["width"]?.integer,
            let height = message["height"]?.integer, width > 0, height > 0
        else { return nil }
        let values = ["fx", "fy", "cx", "cy"].compactMap { intrinsics[$0]?.number }.filter(\.isFinite)
        guard values.count == 4 else { return nil }
        let camera = CameraIntrinsics(
            width: Int(clamping: width),
            height: Int(clamping: height),
            fx: values[0],
            fy: values[1],
            cx: values[2],
            cy: values[3]
        )
        return Replay.cameraInfo(camera, header: header)
    }

    func cloud(_ message: ArvosMessage) throws(ArvosProblem) -> StampedMessage {
        let stamp = try stamp(message)
        let source = message["frameId"]?.string
        let isWorld = !keepsROSAxes && (source == nil || source == "arkit_world")
        let frame = isWorld ? FrameName.map : source.map { String($0.prefix(200)) } ?? FrameName.map
        let header = Header(stampNanoseconds: stamp, frameID: frame)
        return stamped(topics.cloud, stamp, try PLYCloud.read(message.payload, turnsToMap: isWorld).message(header))
    }
}
