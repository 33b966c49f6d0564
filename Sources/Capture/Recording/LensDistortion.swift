/// How a lens moves the points of an image.
///
/// In normalised coordinates x = X/Z, y = Y/Z of a pinhole (Brown-Conrady; OpenCV's five coefficients, ROS's `plumb_bob`):
///
///     x' = x (1 + k1 r² + k2 r⁴ + k3 r⁶) + 2 p1 x y + p2 (r² + 2 x²)
///     y' = y (1 + k1 r² + k2 r⁴ + k3 r⁶) + p1 (r² + 2 y²) + 2 p2 x y
///
/// Depth maps have the distortion of their pictures. It is handed on with both, and taken out of clouds and maps.
package struct LensDistortion: Hashable, Sendable, BitwiseCopyable {
    package var k1: Double
    package var k2: Double
    package var p1: Double
    package var p2: Double
    package var k3: Double

    /// `nil` where all are zero, the image of a pinhole, or one is no number.
    package init?(k1: Double = 0, k2: Double = 0, p1: Double = 0, p2: Double = 0, k3: Double = 0) {
        let all = [k1, k2, p1, p2, k3]
        guard all.contains(where: { $0 != 0 }), all.allSatisfy(\.isFinite) else { return nil }
        (self.k1, self.k2, self.p1, self.p2, self.k3) = (k1, k2, p1, p2, k3)
    }

    /// The first five of ``coefficients``; those that are not there are zero.
    package init?(_ coefficients: [Double]) {
        let values = coefficients + [0, 0, 0, 0, 0]
        self.init(k1: values[0], k2: values[1], p1: values[2], p2: values[3], k3: values[4])
    }

    /// k1, k2, p1, p2, k3: the order of OpenCV and of `plumb_bob`.
    package var coefficients: [Double] { [k1, k2, p1, p2, k3] }

    /// The distortion of the image as it is stored, from that of the sensor's: (p2, p1) is a vector, and turns with the image.
    func stored(_ orientation: ImageOrientation) -> Self {
        var turned = self
        switch orientation {
        case .landscapeRight: break
        case .landscapeLeft: (turned.p2, turned.p1) = (-p2, -p1)
        case .portrait: (turned.p2, turned.p1) = (-p1, p2)
        case .portraitUpsideDown: (turned.p2, turned.p1) = (p1, -p2)
        }
        return turned
    }
}
