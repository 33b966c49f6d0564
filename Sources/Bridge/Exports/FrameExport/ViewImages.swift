import Codecs
import Perception
import Recording

/// How many depth pixels were known, and how many of them the limits left.
package struct DepthPixelCounts: Sendable, Hashable {
    package private(set) var known = 0
    package private(set) var kept = 0

    package var dropped: Int { known - kept }

    package init() {}

    init(_ depth: DepthMap, _ samples: DepthSamples) {
        known = depth.metres.reduce(0) { $0 + ($1 > 0 && $1.isFinite ? 1 : 0) }
        kept = samples.metres.reduce(0) { $0 + ($1 > 0 ? 1 : 0) }
    }

    mutating func append(_ other: DepthPixelCounts) {
        known += other.known
        kept += other.kept
    }
}

/// Depth maps as the files that other tools read; what the limits left out is 0 in them.
enum DepthImage {
    /// 16-bit PNG; 0 where nothing is known, or where the unit cannot hold the depth.
    static func png(
        _ depth: DepthSamples,
        unitsPerMetre: Double,
        orientation: ImageOrientation
    ) throws(CodecError) -> [UInt8] {
        let values = values(depth, unitsPerMetre: unitsPerMetre)
        let stored = orientation.inverse.inSensorGrid(
            values,
            storedWidth: depth.camera.width,
            storedHeight: depth.camera.height
        )
        return try PNG16.encode(width: stored.width, height: stored.height, samples: stored.values)
    }

    /// The same as another camera in the same place and turn sees it.
    static func png(
        _ depth: DepthSamples,
        unitsPerMetre: Double,
        as camera: CameraIntrinsics
    ) throws(CodecError) -> [UInt8] {
        let values = values(depth, unitsPerMetre: unitsPerMetre)
        let seen = nearest(values, of: depth.camera, as: camera, elsewhere: 0)
        return try PNG16.encode(width: camera.width, height: camera.height, samples: seen)
    }

    /// A grid of values as another camera in the same place and turn sees it: each pixel is that of the grid in which its
    /// centre lies, and `elsewhere` outside of the grid.
    static func nearest<Value>(
        _ values: [Value],
        of grid: CameraIntrinsics,
        as camera: CameraIntrinsics,
        elsewhere: Value
    ) -> [Value] {
        func places(_ count: Int, _ centre: Double, _ focal: Double, of own: (Double, Double), _ side: Int) -> [Int?] {
            (0..<count).map { pixel in
                // What lies on the line between two pixels belongs to the second, whatever rounding makes of it.
                let place = (own.0 + (Double(pixel) - centre) / focal * own.1 + 0.5 + 1e-6).rounded(.down)
                return place >= 0 && place < Double(side) ? Int(place) : nil
            }
        }
        let columns = places(camera.width, camera.cx, camera.fx, of: (grid.cx, grid.fx), grid.width)
        let rows = places(camera.height, camera.cy, camera.fy, of: (grid.cy, grid.fy), grid.height)
        var seen = [Value](repeating: elsewhere, count: camera.width * camera.height)
        for y in 0..<camera.height {
            guard let row = rows[y] else { continue }
            for x in 0..<camera.width {
                guard let column = columns[x] else { continue }
                seen[y * camera.width + x] = values[row * grid.width + column]
            }
        }
        return seen
    }

    /// A frame without depth, of the same form as the others.
    static func empty(_ size: GridSize) throws(CodecError) -> [UInt8] {
        try PNG16.encode(width: size.width, height: size.height, samples: [UInt16](repeating: 0, count: size.count))
    }

    private static func values(_ depth: DepthSamples, unitsPerMetre: Double) -> [UInt16] {
        let scale = Float(unitsPerMetre)
        return depth.metres.map { metres in
            let value = (metres * scale).rounded()
            return value >= 1 && value <= 65_535 ? UInt16(value) : 0
        }
    }

    /// Points in the body's axes as little-endian floats: x forward, y left, z up in metres, and confidence / 2.
    static func points(_ depth: DepthSamples) -> [UInt8] {
        let camera = depth.camera
        var bytes: [UInt8] = []
        for row in 0..<camera.height {
            for column in 0..<camera.width {
                let pixel = row * camera.width + column
                let metres = Double(depth.metres[pixel])
                guard metres > 0 else { continue }
                let values = [
                    metres, -metres * (Double(column) - camera.cx) / camera.fx,
                    -metres * (Double(row) - camera.cy) / camera.fy, Double(depth.confidence[pixel]) / 2,
                ]
                for value in values {
                    withUnsafeBytes(of: Float(value).bitPattern.littleEndian) { bytes += $0 }
                }
            }
        }
        return bytes
    }
}

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
            cy: whole.cy - Double(y),
            distortion: whole.distortion
        )
    }
}
