import Codecs
import Recording
import Text

/// A map of the floor as nav2's map_server loads it: a YAML file, and an image that it names.
package struct FloorPlan: Sendable {
    /// What the YAML file says.
    package struct Description: Sendable {
        /// The image's path, relative to this file.
        package let image: String
        let mode: Nav2Map.Mode
        let resolutionMetres: Double
        let origin: [Double]
        let isNegated: Bool
        let occupied: Double
        let free: Double
    }

    /// More cells are not shown: 16 km² in cells of 5 cm have 6,400 million, a large hall has a million.
    package static let maximumCells = 40_000_000

    package let width: Int
    package let height: Int
    package let resolutionMetres: Double
    /// Where the lower left cell begins, in metres, and how the plan is turned.
    package let origin: (x: Double, y: Double, yaw: Double)
    /// Row by row from the least y: 0 to 100, -1 where nothing is known.
    package let cells: [Int8]

    /// - Parameter image: a PGM or a PNG, as the description says.
    package init(_ description: Description, image: [UInt8]) throws(ModelProblem) {
        let picture = try Self.grey(image)
        (width, height) = (picture.width, picture.height)
        resolutionMetres = description.resolutionMetres
        origin = (description.origin[0], description.origin[1], description.origin[2])
        let values = (0...255).map { description.value(UInt8($0)) }
        var cells: [Int8] = []
        cells.reserveCapacity(width * height)
        // An image's first row has the greatest y.
        for row in (0..<picture.height).reversed() {
            for index in row * picture.width..<(row + 1) * picture.width {
                let isUnknown = picture.clear.map { $0[index] } ?? false
                cells.append(isUnknown ? OccupancyMap.unknown : values[Int(picture.grey[index])])
            }
        }
        self.cells = cells
    }

    private typealias Grey = (width: Int, height: Int, grey: [UInt8], clear: [Bool]?)

    private static func grey(_ bytes: [UInt8]) throws(ModelProblem) -> Grey {
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return try pgm(bytes) }
        do throws(CodecError) {
            if let grid = try? PNGGrid<UInt8>(decoding: bytes) {
                return (grid.size.width, grid.size.height, grid.samples, nil)
            }
            let image = try PNGImage(decoding: bytes)
            let (count, channels) = (image.width * image.height, image.channels)
            return (
                image.width, image.height, (0..<count).map { image.pixels[channels * $0] },
                channels == 4 ? (0..<count).map { image.pixels[4 * $0 + 3] == 0 } : nil
            )
        } catch {
            throw ModelProblem("a PNG", found: "\(error)")
        }
    }

    /// Netpbm's PGM, binary with 8 bits: three numbers behind `P5`, between which comments may stand.
    private static func pgm(_ bytes: [UInt8]) throws(ModelProblem) -> Grey {
        guard bytes.starts(with: Array("P5".utf8)) else {
            throw ModelProblem("an image in PGM (P5) or PNG", found: "other bytes")
        }
        var (index, numbers): (Int, [Int]) = (2, [])
        while numbers.count < 3, index < bytes.count {
            if bytes[index] == UInt8(ascii: "#") {
                index = bytes[index...].firstIndex(of: 10) ?? bytes.count
            } else if bytes[index] <= 32 {
                index += 1
            } else {
                let digits = bytes[index...].prefix(7).prefix { $0 > 32 }
                guard let number = Int(String(decoding: digits, as: UTF8.self)), number > 0 else { break }
                numbers.append(number)
                index += digits.count
            }
        }
        guard numbers.count == 3, numbers[2] <= 255 else {
            throw ModelProblem("a width, a height and at most 255", found: "\(numbers)")
        }
        guard numbers[0] <= maximumCells / numbers[1] else {
            throw ModelProblem("at most \(maximumCells) cells", found: "\(numbers[0]) x \(numbers[1])")
        }
        let count = numbers[0] * numbers[1]
        let pixels = bytes.dropFirst(index + 1)
        guard pixels.count >= count else { throw ModelProblem("\(count) pixels", found: "\(pixels.count)") }
        return (numbers[0], numbers[1], Array(pixels.prefix(count)), nil)
    }
}

extension FloorPlan.Description {
    /// - Throws: a ``ModelProblem`` for what is no map of nav2.
    package init(parsing text: String) throws(ModelProblem) {
        let root: YAMLNode?
        do throws(YAMLError) { root = try YAMLNode.parse(text) } catch { throw ModelProblem("YAML", found: "\(error)") }
        func value(_ key: String) -> String? { root?[key]?.scalar }
        func number(_ key: String, _ standard: Double? = nil) throws(ModelProblem) -> Double {
            guard let text = value(key) else {
                if let standard { return standard }
                throw ModelProblem("a number for \(key)", found: "none")
            }
            guard let number = Double(text), number.isFinite else {
                throw ModelProblem("a number for \(key)", found: String(text.prefix(80)))
            }
            return number
        }
        guard let image = value("image"), !image.isEmpty else {
            throw ModelProblem("the name of an image", found: "none")
        }
        self.image = image
        resolutionMetres = try number("resolution")
        guard (1e-4...1000).contains(resolutionMetres) else {
            throw ModelProblem("a resolution of 0.0001 to 1000 metres", found: "\(resolutionMetres)")
        }
        let origin = root?["origin"]?.sequence?.map { $0.scalar.flatMap { Double($0) } } ?? []
        let known = origin.compactMap(\.self).filter { abs($0) < 1e9 }
        guard known.count == 3, origin.count == 3 else {
            throw ModelProblem("three numbers for origin", found: "\(origin.count)")
        }
        self.origin = known
        let word = value("mode") ?? Nav2Map.Mode.trinary.rawValue
        guard let mode = Nav2Map.Mode(rawValue: word) else {
            throw ModelProblem("mode trinary, scale or raw", found: String(word.prefix(80)))
        }
        self.mode = mode
        isNegated = try number("negate", 0) != 0
        occupied = try number("occupied_thresh", Nav2Map.occupiedThreshold)
        free = try number("free_thresh", Nav2Map.freeThreshold)
    }

    /// The cell of a pixel, as `map_io.cpp` of nav2_map_server has it.
    fileprivate func value(_ grey: UInt8) -> Int8 {
        if mode == .raw { return grey <= 100 ? Int8(grey) : OccupancyMap.unknown }
        let share = Double(isNegated ? grey : 255 - grey) / 255
        if share > occupied { return OccupancyMap.occupied }
        if share < free { return OccupancyMap.free }
        guard mode == .scale, occupied > free else { return OccupancyMap.unknown }
        return Int8(((share - free) / (occupied - free) * 100).rounded())
    }
}
