import Platform

/// Heights of a geoid above the WGS 84 ellipsoid, from a file in NOAA's GTX format such as PROJ's `egm96_15.gtx`.
///
/// Forty bytes of header, all big-endian: latitude and longitude of the south-western node and the steps in latitude and
/// longitude, degrees as Float64; rows and columns as Int32. Then the heights in metres as Float32, row by row from the
/// south, each from the west. Only the four nodes around a place are read, so a grid of any size costs no memory.
package struct GeoidGrid: Sendable {
    /// The file's name, without its folder.
    package let name: String

    private let file: ArchiveFile
    private let south: Double
    private let west: Double
    private let latitudeStep: Double
    private let longitudeStep: Double
    private let rows: Int
    private let columns: Int
    /// True if the column after the last one is the first again.
    private let goesRound: Bool

    private static let headerBytes = 40
    private static let sides = 2...1_000_000
    /// No geoid is farther from the ellipsoid; nodes without a value hold -88.8888.
    private static let highestMetres = 150.0
    private static let noValue = -88.8888

    /// - Throws: a ``CodecError`` where the file does not open, or its header does not fit its size.
    package init(path: String) throws(CodecError) {
        file = try ArchiveFile(path: path, codec: .gtx)
        name = path.split(separator: "/").last.map { String($0) } ?? path
        let header = try file.bytes(at: 0, count: Self.headerBytes)
        func value<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Value {
            header.withUnsafeBytes { ByteReader($0, .big).integer(at: offset) ?? 0 }
        }
        func number(_ index: Int) -> Double { Double(bitPattern: value(8 * index)) }
        (south, west, latitudeStep, longitudeStep) = (number(0), number(1), number(2), number(3))
        (rows, columns) = (Int(value(32) as Int32), Int(value(36) as Int32))
        guard Self.sides.contains(rows), Self.sides.contains(columns) else {
            throw CodecError(.gtx, at: 32, "expected 2 to 1000000 rows and columns, found \(rows) and \(columns)")
        }
        let size = Self.headerBytes + 4 * rows * columns
        guard file.size == size else {
            throw CodecError(.gtx, "expected \(size) bytes for \(rows)x\(columns) heights, found \(file.size)")
        }
        let isOnEarth =
            (-90.001...90).contains(south) && (-360...360).contains(west) && latitudeStep > 0 && longitudeStep > 0
            && south + latitudeStep * Double(rows - 1) <= 90.001 && longitudeStep * Double(columns - 1) <= 360.001
        guard isOnEarth else {
            throw CodecError(
                .gtx,
                at: 0,
                "expected a grid on the Earth, found (\(south), \(west)) with steps of \(latitudeStep) and \(longitudeStep)"
            )
        }
        goesRound = abs(longitudeStep * Double(columns) - 360) < longitudeStep / 100
    }

    /// The height of the geoid above the ellipsoid, bilinear between the four nodes around a place.
    ///
    /// - Returns: `nil` outside of the grid, and beside a node without a value.
    package func heightMetres(latitudeDegrees: Double, longitudeDegrees: Double) throws(CodecError) -> Double? {
        let row = (latitudeDegrees - south) / latitudeStep
        var east = (longitudeDegrees - west).truncatingRemainder(dividingBy: 360)
        if east < 0 { east += 360 }
        let column = east / longitudeStep
        guard row >= 0, row <= Double(rows - 1), column >= 0, column < Double(goesRound ? columns + 1 : columns) else {
            return nil
        }
        let lowerRow = min(Int(row), rows - 2)
        let leftColumn = min(Int(column), goesRound ? columns - 1 : columns - 2)
        let (y, x) = (row - Double(lowerRow), column - Double(leftColumn))
        // The last column of a part of the Earth is its edge.
        guard x <= 1 else { return nil }
        var height = 0.0
        for (row, weight) in [(lowerRow, 1 - y), (lowerRow + 1, y)] {
            guard let left = try node(row, leftColumn), let right = try node(row, (leftColumn + 1) % columns) else {
                return nil
            }
            height += weight * ((1 - x) * left + x * right)
        }
        return height
    }

    private func node(_ row: Int, _ column: Int) throws(CodecError) -> Double? {
        let bytes = try file.bytes(at: Self.headerBytes + 4 * (row * columns + column), count: 4)
        let value = Double(Float(bitPattern: bytes.withUnsafeBytes { ByteReader($0, .big).integer(at: 0) ?? 0 }))
        return abs(value) <= Self.highestMetres && abs(value - Self.noValue) > 1e-4 ? value : nil
    }
}
