import CAprilTag

/// A set of tags that AprilTag's library knows (Olson 2011, Wang and Olson 2016, Krogius and others 2019).
package enum TagFamily: String, CaseIterable, Sendable {
    case tag36h11
    case tag25h9
    case tag16h5
    case tag36h10
    case tagCircle21h7
    case tagCircle49h12
    case tagCustom48h12
    case tagStandard41h12
    case tagStandard52h13

    /// From its name, with or without `tag` before it.
    package init?(_ word: String) {
        guard let family = TagFamily(rawValue: word) ?? TagFamily(rawValue: "tag\(word)") else { return nil }
        self = family
    }

    /// The library's own description, to be given back by ``release(_:)``.
    func make() -> UnsafeMutablePointer<apriltag_family_t>? {
        switch self {
        case .tag36h11: tag36h11_create()
        case .tag25h9: tag25h9_create()
        case .tag16h5: tag16h5_create()
        case .tag36h10: tag36h10_create()
        case .tagCircle21h7: tagCircle21h7_create()
        case .tagCircle49h12: tagCircle49h12_create()
        case .tagCustom48h12: tagCustom48h12_create()
        case .tagStandard41h12: tagStandard41h12_create()
        case .tagStandard52h13: tagStandard52h13_create()
        }
    }

    func release(_ family: UnsafeMutablePointer<apriltag_family_t>) {
        switch self {
        case .tag36h11: tag36h11_destroy(family)
        case .tag25h9: tag25h9_destroy(family)
        case .tag16h5: tag16h5_destroy(family)
        case .tag36h10: tag36h10_destroy(family)
        case .tagCircle21h7: tagCircle21h7_destroy(family)
        case .tagCircle49h12: tagCircle49h12_destroy(family)
        case .tagCustom48h12: tagCustom48h12_destroy(family)
        case .tagStandard41h12: tagStandard41h12_destroy(family)
        case .tagStandard52h13: tagStandard52h13_destroy(family)
        }
    }

    /// How the tag of a number is printed; nil for numbers that the family does not have.
    package func pattern(of id: Int) -> TagPattern? {
        guard let family = make() else { return nil }
        defer { release(family) }
        let description = family.pointee
        guard id >= 0, id < Int(description.ncodes) else { return nil }
        let (cells, border) = (Int(description.total_width), Int(description.width_at_border))
        var pattern = TagPattern(cells: cells, borderCells: border)
        // A ring of white: outside of the border, or inside where the family is printed on black.
        let ring = border + (description.reversed_border ? 0 : 2)
        let first = (cells - ring) / 2
        for step in 0..<ring {
            for (row, column) in [(0, step), (ring - 1, step), (step, 0), (step, ring - 1)] {
                pattern.isWhite[(first + row) * cells + first + column] = true
            }
        }
        let start = (cells - border) / 2
        for bit in 0..<Int(description.nbits) {
            guard description.codes[id] >> UInt64(Int(description.nbits) - 1 - bit) & 1 == 1 else { continue }
            // Bits outside of the border have negative places, which the library keeps in unsigned numbers.
            let row = Int(Int32(bitPattern: description.bit_y[bit])) + start
            let column = Int(Int32(bitPattern: description.bit_x[bit])) + start
            pattern.isWhite[row * cells + column] = true
        }
        return pattern
    }
}

/// The cells of a tag as they are printed, black or white, row by row from the top left.
package struct TagPattern: Hashable, Sendable {
    /// Cells to a side, with what lies around the border.
    package var cells: Int
    /// Cells between two of the corners that a detection gives: a tag's size is their edge.
    package var borderCells: Int
    package var isWhite: [Bool]

    init(cells: Int, borderCells: Int) {
        self.cells = cells
        self.borderCells = borderCells
        isWhite = [Bool](repeating: false, count: cells * cells)
    }
}
