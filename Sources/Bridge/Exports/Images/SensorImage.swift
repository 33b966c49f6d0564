import Recording

extension RGBImage {
    /// A part of the image.
    func cut(x: Int, y: Int, width: Int, height: Int) -> RGBImage {
        var result = RGBImage(width: width, height: height, pixels: [])
        result.pixels.reserveCapacity(3 * width * height)
        for row in y..<y + height {
            let start = 3 * (row * self.width + x)
            result.pixels += pixels[start..<start + 3 * width]
        }
        return result
    }
}

/// The part of an image around its principal point.
struct CentredCut {
    let x: Int
    let y: Int
    let width: Int
    let height: Int

    /// The largest part whose centre is nearest to the principal point, with an even number of rows and columns cut off
    /// on one side only.
    init(_ intrinsics: CameraIntrinsics) {
        func cut(_ centre: Double, _ side: Int) -> (start: Int, length: Int) {
            // From the corner, the principal point is at centre + 0.5; as far as that is from the middle goes off twice.
            let excess = Int((2 * (centre + 0.5) - Double(side)).rounded())
            let bounded = max(-(side - 1), min(side - 1, excess))
            return (max(0, bounded), side - abs(bounded))
        }
        (x, width) = cut(intrinsics.cx, intrinsics.width)
        (y, height) = cut(intrinsics.cy, intrinsics.height)
    }

    func intrinsics(_ whole: CameraIntrinsics) -> CameraIntrinsics {
        CameraIntrinsics(
            width: width,
            height: height,
            fx: whole.fx,
            fy: whole.fy,
            cx: whole.cx - Double(x),
            cy: whole.cy - Double(y)
        )
    }
}
