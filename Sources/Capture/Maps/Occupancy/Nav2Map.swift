/// The files of a map that ROS's navigation loads (nav2's map_server): an image, and a YAML file that says how it is read.
///
/// `map_io.cpp` of nav2_map_server: an image's first row has the greatest y; `origin` is where the lower left pixel begins.
package struct Nav2Map: Sendable {
    /// How pixels are read.
    package enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Occupied, free or unknown.
        case trinary
        /// Steps between free and occupied; unknown is transparent.
        case scale
        /// Pixels are the numbers of the map themselves, 0 to 100; 255 is unknown.
        case raw
    }

    /// What is darker than this is occupied, as a part of 1.
    package static let occupiedThreshold = 0.65
    /// What is less dark than this is free: 205, which is unknown in a trinary image, is 0.19608 and just is not.
    package static let freeThreshold = 0.196

    private let map: OccupancyMap
    private let mode: Mode

    package init(_ map: OccupancyMap, _ mode: Mode) { (self.map, self.mode) = (map, mode) }

    /// The text of the YAML file.
    ///
    /// - Parameter image: the name of the image, relative to this file.
    package func yaml(image: String, comments: [String] = []) -> String {
        let (x, y) = map.origin
        let lines =
            comments.map { "# " + PlainLine.text($0) } + [
                "image: \(Self.quoted(image))",
                "mode: \(mode.rawValue)",
                "resolution: \(map.resolutionMetres)",
                "origin: [\(Self.metres(x)), \(Self.metres(y)), 0]",
                "negate: 0",
                "occupied_thresh: \(Self.occupiedThreshold)",
                "free_thresh: \(Self.freeThreshold)",
            ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// A multiple of the resolution, without the last digits that a product of decimals has.
    private static func metres(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }

    /// A double-quoted scalar (YAML 1.2, 7.3.1).
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case let control where control.value < 0x20 || control.value == 0x7F:
                let digits = String(control.value, radix: 16)
                result += "\\x" + String(repeating: "0", count: 2 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// The image as a PGM (P5), in which `trinary` and `raw` are written.
    package var pgm: [UInt8] {
        let rows = mode == .raw ? raw : trinary
        return Array("P5\n\(map.width) \(map.height)\n255\n".utf8) + rows
    }

    /// The image as red, green, blue and alpha, in which `scale` is written: a PGM has no transparency.
    package var rgba: [UInt8] {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(4 * map.cells.count)
        forEachPixel { index in
            let value = map.likelihood[index]
            let grey = value < 0 ? 205 : Self.shade(value)
            pixels += [grey, grey, grey, value < 0 ? 0 : 255]
        }
        return pixels
    }

    /// Grey that is read as a number from 0 to 100: `(occ - free) / (occupied - free)`.
    package static func shade(_ value: Int8) -> UInt8 {
        // What is darker than the upper threshold is 100, what is lighter than the lower one is 0.
        if value >= 100 { return 0 }
        if value <= 0 { return 254 }
        let occupied = freeThreshold + Double(value) / 100 * (occupiedThreshold - freeThreshold)
        return UInt8(min(max(((1 - occupied) * 255).rounded(), 0), 255))
    }

    private var trinary: [UInt8] {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(map.cells.count)
        forEachPixel { index in
            let state = map.cells[index]
            pixels.append(state == OccupancyMap.occupied ? 0 : state == OccupancyMap.free ? 254 : 205)
        }
        return pixels
    }

    private var raw: [UInt8] {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(map.cells.count)
        forEachPixel { index in pixels.append(map.likelihood[index] < 0 ? 255 : UInt8(map.likelihood[index])) }
        return pixels
    }

    /// Calls `body` with the index of each cell, in the order of the image's pixels.
    private func forEachPixel(_ body: (Int) -> Void) {
        for row in (0..<map.height).reversed() {
            for column in 0..<map.width { body(row * map.width + column) }
        }
    }
}
