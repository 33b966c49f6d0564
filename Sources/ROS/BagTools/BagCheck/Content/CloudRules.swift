import Messages
import Platform

/// Point clouds whose sizes fit each other, and which are as dense as they say.
enum CloudRules {
    /// Bytes of a value by PointField.datatype, INT8 to FLOAT64.
    private static let valueBytes: [UInt8: Int] = [1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 8: 8]
    private static let float32: UInt8 = 7

    static func check(_ cloud: PointCloud2, _ report: ContentRule.Report) {
        var isSound = true
        func add(_ expected: String, _ found: String) {
            isSound = false
            report(.error, .cloudLayout, expected, found)
        }
        // Two numbers of 32 bits: their product is above Int.max for the largest ones.
        let dataBytes = UInt64(cloud.rowStep) * UInt64(cloud.height)
        if cloud.data.count != dataBytes {
            add("row_step * height = \(dataBytes) bytes of data", "\(cloud.data.count)")
        }
        let rowBytes = UInt64(cloud.pointStep) * UInt64(cloud.width)
        if cloud.rowStep < rowBytes {
            add("row_step >= point_step * width = \(rowBytes)", "\(cloud.rowStep)")
        }
        for field in cloud.fields {
            guard let size = valueBytes[field.datatype] else {
                add("a datatype of 1 to 8 for field \(field.name)", "\(field.datatype)")
                continue
            }
            let end = Int(field.offset) + size * max(1, Int(field.count))
            if end > Int(cloud.pointStep) {
                add("field \(field.name) within point_step \(cloud.pointStep)", "one that ends at \(end)")
            }
        }
        if isSound, cloud.isDense, let count = nonFiniteCount(of: cloud), count > 0 {
            report(.warning, .cloudNonFinite, "no non-finite points, as is_dense", "\(count) of them")
        }
    }

    /// How many points have an x, y or z that is no number; nil where these are not float32.
    ///
    /// The layout must have been found sound.
    private static func nonFiniteCount(of cloud: PointCloud2) -> Int? {
        let offsets = ["x", "y", "z"].compactMap { name in
            cloud.fields.first { $0.name == name && $0.datatype == float32 }.map { Int($0.offset) }
        }
        // Rows of no points may be four thousand million.
        guard offsets.count == 3, cloud.pointStep > 0, cloud.width > 0 else { return nil }
        let (pointStep, rowStep) = (Int(cloud.pointStep), Int(cloud.rowStep))
        // A float32 is infinite or NaN if all bits of its exponent are set.
        let exponent: UInt32 = 0x7F80_0000
        return cloud.data.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes, cloud.isBigEndian ? .big : .little)
            var count = 0
            for row in 0..<Int(cloud.height) {
                for column in 0..<Int(cloud.width) {
                    let point = row * rowStep + column * pointStep
                    let isFinite = offsets.allSatisfy { offset in
                        reader.integer(at: point + offset, as: UInt32.self).map { $0 & exponent != exponent } ?? true
                    }
                    if !isFinite { count += 1 }
                }
            }
            return count
        }
    }
}
