import Recording
import Tags

/// Paints tags over the patterns of the surfaces that they hang on.
struct TagPaint: Sendable {
    private struct Sheet: Sendable {
        var axis: Int
        var centre: SIMD3<Float>
        var right: SIMD3<Float>
        var up: SIMD3<Float>
        var normal: SIMD3<Float>
        var cells: Int
        var cellMetres: Float
        var isWhite: [Bool]
    }

    private static let black: Float = 24
    private static let white: Float = 236

    /// By surface, counted as the shader does.
    private let sheets: [[Sheet]]

    init(_ tags: [HangingTag], surfaces: Int, index: (Room.Surface) -> (index: Int, axis: Int)) {
        var sheets = [[Sheet]](repeating: [], count: surfaces)
        for tag in tags {
            guard let pattern = HangingTag.family.pattern(of: tag.id) else { continue }
            let (index, axis) = index(tag.surface)
            let (right, up, normal) = tag.worldFromTag.rotation.columns
            sheets[index].append(
                Sheet(
                    axis: axis,
                    centre: SIMD3<Float>(tag.worldFromTag.translation),
                    right: SIMD3<Float>(right),
                    up: SIMD3<Float>(up),
                    normal: SIMD3<Float>(normal),
                    cells: pattern.cells,
                    cellMetres: Float(tag.edgeMetres / Double(pattern.borderCells)),
                    isWhite: pattern.isWhite
                )
            )
        }
        self.sheets = tags.isEmpty ? [] : sheets
    }

    @inline(__always) func hasTags(_ index: Int) -> Bool { !sheets.isEmpty && !sheets[index].isEmpty }

    /// The colour with the tags of a surface over it, before light.
    @inline(never)
    func painted(_ colour: LaneTriple, at p: LaneTriple, index: Int, axis: Int, sharpness: Lanes) -> LaneTriple {
        var colour = colour
        for sheet in sheets[index] where sheet.axis == axis {
            let d = LaneTriple(p.x - sheet.centre.x, p.y - sheet.centre.y, p.z - sheet.centre.z)
            func along(_ v: SIMD3<Float>) -> Lanes { d.x * v.x + d.y * v.y + d.z * v.z }
            // The other side of a box has the same index.
            let depth = absolute(along(sheet.normal))
            let half = Float(sheet.cells) / 2
            let column = along(sheet.right) * (1 / sheet.cellMetres) + half
            let row = half - along(sheet.up) * (1 / sheet.cellMetres)
            let side = Float(sheet.cells)
            let inside = smaller(smaller(column, side - column), smaller(row, side - row)) * sheet.cellMetres
            let coverage = Patterns.step(inside, sharpness)
            guard !LaneMask.less(.zero, coverage).isNone else { continue }
            var gray = Lanes(repeating: Self.white)
            var amount = coverage
            for lane in 0..<4 {
                // A pixel on the sheet, in cells.
                let width = min(1, 1 / max(1, sharpness[lane] * sheet.cellMetres))
                let share = whiteShare(sheet, column[lane], row[lane], width)
                gray[lane] = Self.black + (Self.white - Self.black) * share
                if depth[lane] > 0.01 { amount[lane] = 0 }
            }
            colour = colour.mixed(with: LaneTriple(gray, gray, gray), amount)
        }
        return colour
    }

    /// How much of a square of a pixel's size is white.
    private func whiteShare(_ sheet: Sheet, _ column: Float, _ row: Float, _ width: Float) -> Float {
        let (left, top) = (column - width / 2, row - width / 2)
        let (firstColumn, firstRow) = (left.rounded(.down), top.rounded(.down))
        // The square reaches into the next cell by this share of its side.
        let right = max(0, left + width - firstColumn - 1) / width
        let bottom = max(0, top + width - firstRow - 1) / width
        func cell(_ column: Float, _ row: Float) -> Float {
            let most = Float(sheet.cells - 1)
            let index = Int(max(0, min(most, row))) * sheet.cells + Int(max(0, min(most, column)))
            return sheet.isWhite[index] ? 1 : 0
        }
        let upper = cell(firstColumn, firstRow) * (1 - right) + cell(firstColumn + 1, firstRow) * right
        let lower = cell(firstColumn, firstRow + 1) * (1 - right) + cell(firstColumn + 1, firstRow + 1) * right
        return upper * (1 - bottom) + lower * bottom
    }
}
