import Glibc
package import Messages

/// A cloud as the SDKs read it: binary PLY of x, y, z as 32-bit floats and red, green, blue, 15 bytes a point.
package struct ArvosPLY {
    package static let bytesPerPoint = 15

    package let bytes: [UInt8]
    package let pointCount: Int
    package let offeredPoints: Int
    /// Distances from the origin of the cloud's axes, in metres.
    package let nearest: Double
    package let farthest: Double

    /// Takes every k-th point of a cloud that has more than `pointLimit`; nil for one without positions.
    ///
    /// - Parameter place: from the axes of the cloud to those in which it is sent; nil where they are the same.
    package init?(_ cloud: PointCloud2, pointLimit: Int, place: ((Float, Float, Float) -> (Float, Float, Float))? = nil)
    {
        guard let layout = CloudLayout(cloud), pointLimit > 0 else { return nil }
        let step = max(1, (layout.count + pointLimit - 1) / pointLimit)
        offeredPoints = layout.count
        pointCount = (layout.count + step - 1) / step
        let header = """
            ply
            format binary_little_endian 1.0
            element vertex \(pointCount)
            property float x
            property float y
            property float z
            property uchar red
            property uchar green
            property uchar blue
            end_header

            """
        var bytes = Array(header.utf8)
        bytes.reserveCapacity(bytes.count + pointCount * Self.bytesPerPoint)
        var (low, high) = (Float.infinity, Float(0))
        for index in stride(from: 0, to: layout.count, by: step) {
            var point = layout.position(index, cloud.data)
            if let place { point = place(point.0, point.1, point.2) }
            let square = point.0 * point.0 + point.1 * point.1 + point.2 * point.2
            // A point that is none, as dense clouds have them, is at no distance.
            if square.isFinite { (low, high) = (min(low, square), max(high, square)) }
            for value in [point.0, point.1, point.2] {
                let bits = value.bitPattern
                for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
            }
            let colour = layout.colour(index, cloud.data)
            for shift in [16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: colour >> shift)) }
        }
        self.bytes = bytes
        nearest = low.isFinite ? Double(low).squareRoot() : 0
        farthest = high.isFinite ? Double(high).squareRoot() : 0
    }
}
