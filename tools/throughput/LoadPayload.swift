package import Messages

/// Data for measurements: finite values that hardly compress.
package enum LoadPayload {
    private static let pointLength = 16

    /// Makes a cloud of coloured points if whole points fill the size, otherwise of one-byte points.
    package static func cloud(byteCount: Int, stampNanoseconds: Int64) -> PointCloud2 {
        let length = byteCount.isMultiple(of: pointLength) ? pointLength : 1
        var cloud = PointCloud2()
        cloud.header = Header(stampNanoseconds: stampNanoseconds, frameID: "map")
        cloud.height = 1
        cloud.width = UInt32(clamping: byteCount / length)
        cloud.pointStep = UInt32(length)
        cloud.rowStep = UInt32(clamping: byteCount)
        cloud.isDense = true
        if length == 1 {
            cloud.fields = [PointField(name: "intensity", offset: 0, datatype: PointField.uint8, count: 1)]
        } else {
            cloud.fields = ["x", "y", "z", "rgb"].enumerated().map { index, name in
                PointField(name: name, offset: UInt32(index * 4), datatype: PointField.float32, count: 1)
            }
        }
        cloud.data = noise(byteCount: byteCount)
        return cloud
    }

    /// Pseudo-random bytes, the same in every run; every four are a finite float from 0.5 to 8.
    package static func noise(byteCount: Int) -> [UInt8] {
        var state: UInt32 = 0x9E37_79B9
        var bytes = [UInt8](repeating: 0, count: byteCount)
        for index in bytes.indices {
            if index.isMultiple(of: 4) { state = state &* 1_664_525 &+ 1_013_904_223 }
            bytes[index] =
                switch index & 3 {
                case 0: UInt8(truncatingIfNeeded: state >> 8)
                case 1: UInt8(truncatingIfNeeded: state >> 16)
                case 2: UInt8(truncatingIfNeeded: state >> 24)
                // The byte with the sign and most of the exponent of a little-endian float.
                default: state & 0x80 == 0 ? 0x3F : 0x40
                }
        }
        return bytes
    }
}
