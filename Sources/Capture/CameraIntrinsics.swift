/// A pinhole camera without distortion, for an image of `width` x `height` pixels.
///
/// Continuous image coordinates: the pixel (0,0) covers [0,1) x [0,1), its centre is at (0.5, 0.5). ARKit's principal
/// point is in that convention. ROS counts pixel centres as integers: take `cx - 0.5`, `cy - 0.5` there.
package struct CameraIntrinsics: Hashable, Sendable {
    package var width: Int
    package var height: Int
    package var fx: Double
    package var fy: Double
    package var cx: Double
    package var cy: Double

    package init(width: Int, height: Int, fx: Double, fy: Double, cx: Double, cy: Double) {
        self.width = width
        self.height = height
        self.fx = fx
        self.fy = fy
        self.cx = cx
        self.cy = cy
    }

    /// The same camera seen by a grid of another size over the same field of view, such as the depth map's.
    package func scaled(toWidth newWidth: Int, height newHeight: Int) -> CameraIntrinsics {
        let sx = Double(newWidth) / Double(width)
        let sy = Double(newHeight) / Double(height)
        return CameraIntrinsics(
            width: newWidth,
            height: newHeight,
            fx: fx * sx,
            fy: fy * sy,
            cx: cx * sx,
            cy: cy * sy
        )
    }
}
