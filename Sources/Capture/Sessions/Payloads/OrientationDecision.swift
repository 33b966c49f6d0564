import Recording

/// Decides how a frame's image is turned: by `device_orientation`, checked against the size, and by gravity where
/// they contradict each other.
///
/// EXIF is never asked: the turn is baked into the pixels.
enum OrientationDecision {
    static func decide(
        frame: FrameReference,
        image: GridSize,
        file: String
    ) throws(Problem) -> (ImageOrientation, contradiction: Problem?) {
        let sensor = (width: frame.intrinsics.width, height: frame.intrinsics.height)
        let declared = frame.declaredOrientation ?? .landscapeRight
        let candidates = ImageOrientation.allCases.filter { orientation in
            let size = orientation.storedSize(sensorWidth: sensor.width, sensorHeight: sensor.height)
            return isUniform(image, size)
        }
        guard !candidates.isEmpty else {
            let expected = "\(sensor.width)x\(sensor.height) or \(sensor.height)x\(sensor.width), at any scale"
            throw Problem(.imageSizeUnexpected, file: file, expected: expected, found: "\(image.width)x\(image.height)")
        }
        if candidates.contains(declared) { return (declared, nil) }
        let orientation = byGravity(frame, among: candidates)
        let expected = "the size of \(frame.declaredOrientation?.rawValue ?? "an image that is not rotated")"
        let found = "\(image.width)x\(image.height); taken as \(orientation.rawValue)"
        let problem = Problem(.orientationContradicted, file: file, expected: expected, found: found)
        return (orientation, problem)
    }

    /// Whether one size is the other by one factor for both sides, to a pixel.
    private static func isUniform(_ image: GridSize, _ size: (width: Int, height: Int)) -> Bool {
        let scaledHeight = Double(size.height) * Double(image.width) / Double(size.width)
        return abs(scaledHeight - Double(image.height)) <= 1
    }

    /// The candidate that the phone writes when gravity points this way in the sensor's image.
    private static func byGravity(_ frame: FrameReference, among candidates: [ImageOrientation]) -> ImageOrientation {
        let down = frame.worldFromCamera.rotation.inverse.rotating(Vector3(0, -1, 0))
        func score(_ orientation: ImageOrientation) -> Double {
            switch orientation {
            case .portrait: down.x
            case .portraitUpsideDown: -down.x
            case .landscapeLeft: -down.y
            case .landscapeRight: down.y
            }
        }
        return candidates.max { score($0) < score($1) } ?? .landscapeRight
    }
}
