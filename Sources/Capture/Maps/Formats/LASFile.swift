package import Recording

/// ASPRS's LAS 1.4, points of format 7: coordinates to a millimetre, colours, one time for all.
package struct LASFile {
    /// The texts and the time in the header.
    package struct Description: Sendable {
        package var software: String
        /// OGC well-known text of the coordinate system; nil where the coordinates are local.
        package var coordinateSystem: String?
        /// What there is to say of the colours.
        package var remark: String?
        /// When the recording was made.
        package var unixNanoseconds: Int64

        package init(
            software: String,
            coordinateSystem: String? = nil,
            remark: String? = nil,
            unixNanoseconds: Int64 = 0
        ) {
            self.software = software
            self.coordinateSystem = coordinateSystem
            self.remark = remark
            self.unixNanoseconds = unixNanoseconds
        }
    }

    private static let headerBytes = 375
    private static let pointBytes = 36
    private static let scale = 0.001

    /// The file, of points whose place in the file's axes `place` gives; nil where a place is not finite, or they are
    /// more than 4,294 km apart.
    package static func bytes(
        _ points: [SurfacePoint],
        _ description: Description,
        place: (SIMD3<Float>) -> Vector3
    ) -> [UInt8]? {
        guard let first = points.first else { return nil }
        var (low, high) = (place(first.position), place(first.position))
        for point in points {
            let at = place(point.position)
            low = Vector3(min(low.x, at.x), min(low.y, at.y), min(low.z, at.z))
            high = Vector3(max(high.x, at.x), max(high.y, at.y), max(high.z, at.z))
        }
        let offset = Vector3(low.x.rounded(.down), low.y.rounded(.down), low.z.rounded(.down))
        let records = Self.variableRecords(description)
        let recordBytes = records.reduce(0) { $0 + $1.count }
        var writer = ByteWriter(reserving: headerBytes + recordBytes + pointBytes * points.count)
        appendHeader(points.count, description, records.count, recordBytes, to: &writer)
        for value in [scale, scale, scale, offset.x, offset.y, offset.z] { writer.append(value) }
        for (high, low, offset) in [(high.x, low.x, offset.x), (high.y, low.y, offset.y), (high.z, low.z, offset.z)] {
            // As they are stored.
            for value in [high, low] { writer.append(((value - offset) / scale).rounded() * scale + offset) }
        }
        // No waveforms, no extended records; all points are first returns.
        for value in [0, 0] as [UInt64] { writer.append(value) }
        writer.append(UInt32(0))
        for value in [UInt64(points.count), UInt64(points.count)] + [UInt64](repeating: 0, count: 14) {
            writer.append(value)
        }
        for record in records { writer.append(record) }
        let time = gpsSeconds(description.unixNanoseconds)
        for point in points {
            let at = place(point.position)
            for (value, origin) in [(at.x, offset.x), (at.y, offset.y), (at.z, offset.z)] {
                guard let number = Int32(exactly: ((value - origin) / scale).rounded()) else { return nil }
                writer.append(UInt32(bitPattern: number))
            }
            append(point, time, to: &writer)
        }
        return writer.bytes
    }

    private static func appendHeader(
        _ count: Int,
        _ description: Description,
        _ recordCount: Int,
        _ recordBytes: Int,
        to writer: inout ByteWriter
    ) {
        writer.append(text: "LASF")
        writer.append(UInt16(0))
        // Bit 0: adjusted standard GPS time; bit 4: well-known text, which this point format demands.
        writer.append(UInt16(0b1_0001))
        for _ in 0..<16 { writer.append(UInt8(0)) }
        writer.append(UInt8(1))
        writer.append(UInt8(4))
        writer.append(padded("mapeverything", 32))
        writer.append(padded(description.software, 32))
        let (day, year) = dayOfYear(description.unixNanoseconds)
        writer.append(UInt16(clamping: day))
        writer.append(UInt16(clamping: year))
        writer.append(UInt16(headerBytes))
        writer.append(UInt32(headerBytes + recordBytes))
        writer.append(UInt32(recordCount))
        writer.append(UInt8(7))
        writer.append(UInt16(pointBytes))
        // Counts of older versions, which format 7 leaves at 0.
        for _ in 0..<6 { writer.append(UInt32(0)) }
    }

    /// The variable length records of the format's own kinds.
    private static func variableRecords(_ description: Description) -> [[UInt8]] {
        func record(_ user: String, _ number: UInt16, _ title: String, _ text: String) -> [UInt8] {
            let bytes = Array(text.utf8) + [0]
            var writer = ByteWriter(reserving: 54 + bytes.count)
            writer.append(UInt16(0))
            writer.append(padded(user, 16))
            writer.append(number)
            writer.append(UInt16(clamping: bytes.count))
            writer.append(padded(title, 32))
            return writer.bytes + bytes
        }
        return [
            description.coordinateSystem.map { record("LASF_Projection", 2112, "OGC coordinate system WKT", $0) },
            description.remark.map { record("LASF_Spec", 3, "Text Area Description", $0) },
        ].compactMap(\.self)
    }

    private static func append(_ point: SurfacePoint, _ time: Double, to writer: inout ByteWriter) {
        writer.append(UInt16(0))
        // The first of one return.
        writer.append(UInt8(0x11))
        writer.append(UInt8(0))
        writer.append(UInt8(0))
        writer.append(UInt8(clamping: point.count))
        writer.append(UInt16(0))
        writer.append(UInt16(0))
        writer.append(time)
        let (red, green, blue) = point.colour.channels
        for channel in [red, green, blue] { writer.append(UInt16(channel) * 257) }
    }

    private static func padded(_ text: String, _ count: Int) -> [UInt8] {
        let bytes = Array(PlainLine.text(text).utf8.prefix(count))
        return bytes + [UInt8](repeating: 0, count: count - bytes.count)
    }

    /// Adjusted standard GPS time: seconds since 1980 with the leap seconds since, less a thousand million.
    private static func gpsSeconds(_ unixNanoseconds: Int64) -> Double {
        Double(unixNanoseconds) / 1e9 - 315_964_800 + 18 - 1e9
    }

    /// The day counts from 1; both are 0 where the time is not known.
    private static func dayOfYear(_ unixNanoseconds: Int64) -> (day: Int64, year: Int64) {
        guard unixNanoseconds > 0 else { return (0, 0) }
        var (days, year) = (unixNanoseconds / 86_400_000_000_000, Int64(1970))
        while true {
            let length: Int64 = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365
            guard days >= length else { return (days + 1, year) }
            (days, year) = (days - length, year + 1)
        }
    }
}
