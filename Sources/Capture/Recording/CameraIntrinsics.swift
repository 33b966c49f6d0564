/// A pinhole camera without distortion, for an image of `width` x `height` pixels.
///
/// Image coordinates count from the centre of the first pixel: whole numbers are centres of pixels, and the image covers
/// [-0.5, width - 0.5) x [-0.5, height - 0.5). ARKit's principal point is in that convention, as are OpenCV's and ROS's;
/// what counts from the image's corner (COLMAP, nerfstudio) takes `cx + 0.5`, `cy + 0.5`.
package struct CameraIntrinsics: Hashable, Sendable, BitwiseCopyable {
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

    package var size: GridSize { GridSize(width: width, height: height) }

    /// The same camera seen by a grid of another size over the same field of view, such as the depth map's.
    ///
    /// The borders of the two grids coincide, the centres of their first pixels do not: a pixel u of a grid whose pixels
    /// are s image pixels wide lies at (u + 0.5) s - 0.5 of the image.
    package func scaled(toWidth newWidth: Int, height newHeight: Int) -> CameraIntrinsics {
        // The numbers stay as they are, to their last digit.
        if newWidth == width, newHeight == height { return self }
        let sx = Double(newWidth) / Double(width)
        let sy = Double(newHeight) / Double(height)
        return CameraIntrinsics(
            width: newWidth,
            height: newHeight,
            fx: fx * sx,
            fy: fy * sy,
            cx: (cx + 0.5) * sx - 0.5,
            cy: (cy + 0.5) * sy - 0.5
        )
    }
}
