import Codecs
import Recording

/// Depth maps as the files that other tools read.
enum DepthImage {
    /// 16-bit PNG; 0 where nothing is known, or where the unit cannot hold the depth.
    static func png(
        _ depth: DepthMap,
        unitsPerMetre: Double,
        orientation: ImageOrientation
    ) throws(CodecError) -> [UInt8] {
        let values = samples(depth, unitsPerMetre: unitsPerMetre)
        let size = orientation.storedSize(sensorWidth: depth.width, sensorHeight: depth.height)
        guard orientation != .landscapeRight else {
            return try PNG16.encode(width: depth.width, height: depth.height, samples: values)
        }
        var turned = [UInt16](repeating: 0, count: values.count)
        for y in 0..<depth.height {
            for x in 0..<depth.width {
                let (column, row) =
                    switch orientation {
                    case .landscapeRight: (x, y)
                    case .landscapeLeft: (depth.width - 1 - x, depth.height - 1 - y)
                    case .portrait: (depth.height - 1 - y, x)
                    case .portraitUpsideDown: (y, depth.width - 1 - x)
                    }
                turned[row * size.width + column] = values[y * depth.width + x]
            }
        }
        return try PNG16.encode(width: size.width, height: size.height, samples: turned)
    }

    /// The same in the sensor's grid at another size: each pixel is that of the depth grid in which its centre lies.
    static func png(_ depth: DepthMap, unitsPerMetre: Double, size: GridSize) throws(CodecError) -> [UInt8] {
        let values = samples(depth, unitsPerMetre: unitsPerMetre)
        let columns = (0..<size.width).map { ((2 * $0 + 1) * depth.width) / (2 * size.width) }
        var enlarged = [UInt16](repeating: 0, count: size.count)
        for y in 0..<size.height {
            let row = ((2 * y + 1) * depth.height) / (2 * size.height) * depth.width
            for x in 0..<size.width { enlarged[y * size.width + x] = values[row + columns[x]] }
        }
        return try PNG16.encode(width: size.width, height: size.height, samples: enlarged)
    }

    /// A frame without depth, of the same form as the others.
    static func empty(_ size: GridSize) throws(CodecError) -> [UInt8] {
        try PNG16.encode(width: size.width, height: size.height, samples: [UInt16](repeating: 0, count: size.count))
    }

    private static func samples(_ depth: DepthMap, unitsPerMetre: Double) -> [UInt16] {
        let scale = Float(unitsPerMetre)
        return depth.metres.map { metres in
            let value = (metres * scale).rounded()
            return value >= 1 && value <= 65_535 ? UInt16(value) : 0
        }
    }

    /// Points in the body's axes as little-endian floats: x forward, y left, z up in metres, and confidence / 2.
    static func points(_ view: DepthView, limits: PointLimits) -> [UInt8] {
        let depth = view.depth
        let camera = view.intrinsics.scaled(toWidth: depth.width, height: depth.height)
        var bytes: [UInt8] = []
        for row in 0..<depth.height {
            for column in 0..<depth.width {
                let place = row * depth.width + column
                let metres = Double(depth.metres[place])
                let confidence = depth.confidence?[place] ?? 2
                guard metres > limits.minimumMetres, metres < limits.maximumMetres,
                    confidence >= limits.minimumConfidence
                else { continue }
                let values = [
                    metres, -metres * (Double(column) - camera.cx) / camera.fx,
                    -metres * (Double(row) - camera.cy) / camera.fy, Double(min(confidence, 2)) / 2,
                ]
                for value in values {
                    withUnsafeBytes(of: Float(value).bitPattern.littleEndian) { bytes += $0 }
                }
            }
        }
        return bytes
    }
}
