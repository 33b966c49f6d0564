import Maps
import Recording

/// The records of COLMAP's binary model: little-endian, packed, no header (reconstruction_io_binary.cc).
enum COLMAPBytes {
    static func count(_ value: Int) -> [UInt8] { integer(UInt64(clamping: value)) }

    /// u32 id, i32 model, u64 width, u64 height, f64 parameters.
    static func camera(_ number: Int, _ camera: CameraIntrinsics, _ values: [Double]) -> [UInt8] {
        integer(UInt32(clamping: number)) + integer(UInt32(bitPattern: COLMAPModel.pinhole))
            + integer(UInt64(clamping: camera.width)) + integer(UInt64(clamping: camera.height))
            + values.flatMap { integer($0.bitPattern) }
    }

    /// u32 id, f64 qw qx qy qz tx ty tz, u32 camera, name with NUL, u64 number of 2D points.
    static func image(_ number: Int, _ pose: [Double], camera: Int, name: String) -> [UInt8] {
        integer(UInt32(clamping: number)) + pose.flatMap { integer($0.bitPattern) } + integer(UInt32(clamping: camera))
            + Array(name.utf8) + [0] + integer(UInt64(0))
    }

    /// u64 id, f64 x y z, u8 r g b, f64 error, u64 length of the track.
    static func point(_ number: Int, _ point: SurfacePoint) -> [UInt8] {
        var bytes = integer(UInt64(clamping: number))
        bytes.reserveCapacity(51)
        let place = point.position
        for value in [place.x, place.y, place.z] { bytes += integer(Double(value).bitPattern) }
        for shift in [16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: point.colour >> shift)) }
        return bytes + integer(Double(0).bitPattern) + integer(UInt64(0))
    }

    private static func integer<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
