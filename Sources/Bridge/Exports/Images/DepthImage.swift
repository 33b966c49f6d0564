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
        let (width, height) = (depth.camera.width, depth.camera.height)
        let values = values(depth, unitsPerMetre: unitsPerMetre)
        let size = orientation.storedSize(sensorWidth: width, sensorHeight: height)
        guard orientation != .landscapeRight else {
            return try PNG16.encode(width: width, height: height, samples: values)
        }
        var turned = [UInt16](repeating: 0, count: values.count)
        for y in 0..<height {
            for x in 0..<width {
                let (column, row) =
                    switch orientation {
                    case .landscapeRight: (x, y)
                    case .landscapeLeft: (width - 1 - x, height - 1 - y)
                    case .portrait: (height - 1 - y, x)
                    case .portraitUpsideDown: (y, width - 1 - x)
                    }
                turned[row * size.width + column] = values[y * width + x]
            }
        }
        return try PNG16.encode(width: size.width, height: size.height, samples: turned)
    }

    /// The same as another camera in the same place and turn sees it: each pixel is that of the depth grid in which its
    /// centre lies, and 0 outside of the grid.
    static func png(
        _ depth: DepthSamples,
        unitsPerMetre: Double,
        as camera: CameraIntrinsics
    ) throws(CodecError) -> [UInt8] {
        let values = values(depth, unitsPerMetre: unitsPerMetre)
        let grid = depth.camera
        func places(_ count: Int, _ centre: Double, _ focal: Double, of own: (Double, Double), _ side: Int) -> [Int?] {
            (0..<count).map { pixel in
                // What lies on the line between two pixels belongs to the second, whatever rounding makes of it.
                let place = (own.0 + (Double(pixel) - centre) / focal * own.1 + 0.5 + 1e-6).rounded(.down)
                return place >= 0 && place < Double(side) ? Int(place) : nil
            }
        }
        let columns = places(camera.width, camera.cx, camera.fx, of: (grid.cx, grid.fx), grid.width)
        let rows = places(camera.height, camera.cy, camera.fy, of: (grid.cy, grid.fy), grid.height)
        var seen = [UInt16](repeating: 0, count: camera.width * camera.height)
        for y in 0..<camera.height {
            guard let row = rows[y] else { continue }
            for x in 0..<camera.width {
                guard let column = columns[x] else { continue }
                seen[y * camera.width + x] = values[row * grid.width + column]
            }
        }
        return try PNG16.encode(width: camera.width, height: camera.height, samples: seen)
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
