import Recording

extension RGBImage {
    /// A part of the image, which it must have.
    func cut(_ part: CentredCut) -> RGBImage {
        var result = RGBImage(width: part.width, height: part.height, pixels: [])
        result.pixels.reserveCapacity(3 * part.width * part.height)
        for row in part.y..<part.y + part.height {
            let start = 3 * (row * width + part.x)
            result.pixels += pixels[start..<start + 3 * part.width]
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

    /// The part of a size whose centre is nearest to the principal point; as much of it as the image has.
    init(_ intrinsics: CameraIntrinsics, size: GridSize) {
        func start(_ centre: Double, _ side: Int, _ length: Int) -> Int {
            // From the corner, the principal point is at centre + 0.5.
            let start = (centre + 0.5 - Double(length) / 2).rounded()
            return Int(max(0, min(Double(side - length), start)))
        }
        (width, height) = (min(size.width, intrinsics.width), min(size.height, intrinsics.height))
        x = start(intrinsics.cx, intrinsics.width, width)
        y = start(intrinsics.cy, intrinsics.height, height)
    }

    /// The size of the largest part that has the principal point in its centre, to a pixel.
    static func largest(_ intrinsics: CameraIntrinsics) -> GridSize {
        func length(_ centre: Double, _ side: Int) -> Int {
            // As far as the principal point is from the middle goes off twice.
            let excess = abs(2 * (centre + 0.5) - Double(side))
            return Int(max(1, Double(side) - max(0, excess - 1e-6).rounded(.up)))
        }
        return GridSize(
            width: length(intrinsics.cx, intrinsics.width),
            height: length(intrinsics.cy, intrinsics.height)
        )
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
