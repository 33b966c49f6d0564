import Messages

/// Raw images whose rows and size fit their encoding.
enum ImageRules {
    static func check(_ image: Image, _ report: ContentRule.Report) {
        // Two numbers of 32 bits: their product is above Int.max for the largest ones.
        let size = UInt64(image.step) * UInt64(image.height)
        if image.data.count != size {
            report(.error, .imageLayout, "step * height = \(size) bytes of data", "\(image.data.count)")
        }
        guard let pixelBytes = pixelBytes(of: image.encoding) else {
            let found = "\"\(image.encoding)\""
            return report(.warning, .imageEncoding, "an encoding of sensor_msgs/image_encodings", found)
        }
        if Int(image.step) < pixelBytes * Int(image.width) {
            let expected = "a step of \(pixelBytes) * \(image.width) bytes or more for \(image.encoding)"
            report(.error, .imageLayout, expected, "\(image.step)")
        }
    }

    /// Bytes of a pixel in a row, by the names of sensor_msgs/image_encodings.hpp; nil for other names.
    static func pixelBytes(of encoding: String) -> Int? {
        switch encoding {
        case "mono8", "8UC1", "8SC1", "bayer_rggb8", "bayer_bggr8", "bayer_gbrg8", "bayer_grbg8", "nv21", "nv24": 1
        case "mono16", "bayer_rggb16", "bayer_bggr16", "bayer_gbrg16", "bayer_grbg16", "yuv422", "yuv422_yuy2",
            "uyvy", "yuyv":
            2
        case "rgb8", "bgr8": 3
        case "rgba8", "bgra8": 4
        case "rgb16", "bgr16": 6
        case "rgba16", "bgra16": 8
        default: openCVBytes(of: encoding)
        }
    }

    /// `32FC1` and its like: bits, kind, `C`, channels.
    private static func openCVBytes(of encoding: String) -> Int? {
        let parts = encoding.split(separator: "C", omittingEmptySubsequences: false)
        guard parts.count == 2, let channels = Int(parts[1]), (1...4).contains(channels) else { return nil }
        let valueBytes: Int? =
            switch parts[0] {
            case "8U", "8S": 1
            case "16U", "16S", "16F": 2
            case "32S", "32F": 4
            case "64F": 8
            default: nil
            }
        return valueBytes.map { $0 * channels }
    }
}

/// Intrinsics that a pinhole camera can have.
enum CameraInfoRules {
    static func check(_ camera: CameraInfo, _ report: ContentRule.Report) {
        let k = (0..<9).map { camera.k[$0] }
        if k.allSatisfy({ $0 == 0 }) {
            report(.warning, .cameraMatrix, "a calibrated camera", "K of zeros")
        } else if !isPinhole(k) {
            let found = k.map { "\($0)" }.joined(separator: " ")
            report(isUsable(k) ? .warning : .error, .cameraMatrix, "K of the form fx 0 cx 0 fy cy 0 0 1", found)
        } else if !(0 < k[2] && k[2] < Double(camera.width) && 0 < k[5] && k[5] < Double(camera.height)) {
            let expected = "a principal point in \(camera.width) x \(camera.height)"
            report(.warning, .cameraPrincipalPoint, expected, "\(k[2]), \(k[5])")
        }
        let isUndistorted = (0..<camera.d.count).allSatisfy { camera.d[$0] == 0 }
        let focalLength = camera.p[0]
        if focalLength != 0, abs(focalLength - k[0]) > 1e-6 * k[0], isUndistorted,
            ["", "plumb_bob"].contains(camera.distortionModel)
        {
            let expected = "P with the focal length of K, \(k[0]), as there is no distortion"
            report(.warning, .cameraProjection, expected, "\(focalLength)")
        }
    }

    /// True if it can be projected with, if not in the form that is usual.
    private static func isUsable(_ k: [Double]) -> Bool {
        k[0] > 0 && k[4] > 0 && k[8] == 1 && k.allSatisfy { $0.isFinite }
    }

    private static func isPinhole(_ k: [Double]) -> Bool {
        k[0] > 0 && k[4] > 0 && k[8] == 1 && k[1] == 0 && k[3] == 0 && k[6] == 0 && k[7] == 0
            && k.allSatisfy { $0.isFinite }
    }
}
