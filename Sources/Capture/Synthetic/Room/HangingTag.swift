package import Perception
package import Recording

/// An AprilTag on a surface of the room.
package struct HangingTag: Sendable {
    package static let family = TagFamily.tag36h11

    package var id: Int
    /// Between two corners, without the white margin.
    package var edgeMetres: Double
    /// Tag axes: x right, y up, z out of the surface.
    package var worldFromTag: Transform
    package var surface: Room.Surface

    /// Bottom left, bottom right, top right, top left, in the world.
    package var corners: [Vector3] {
        SquarePose.corners(edgeMetres: edgeMetres).map { worldFromTag * $0 }
    }

    /// The tags of the room: on all walls, on furniture and on the floor; two sizes; two of them turned.
    package static let all: [HangingTag] = {
        let floor = -1.42
        let (left, right, front, back) = (
            Room.Surface.side(axis: 0, isHigh: false), Room.Surface.side(axis: 0, isHigh: true),
            Room.Surface.side(axis: 2, isHigh: false), Room.Surface.side(axis: 2, isHigh: true)
        )
        return [
            tag(0, (-1.6, 0.10, -2.7), (0, 0, 1), front), tag(1, (-0.6, 0.20, -2.7), (0, 0, 1), front),
            tag(2, (0.4, 0.05, -2.7), (0, 0, 1), front, turnedDegrees: 90), tag(3, (1.5, 0.15, -2.7), (0, 0, 1), front),
            tag(4, (0.68, floor + 0.88, -1.8), (0, 0, 1), .box(9, axis: 2)),
            tag(5, (-0.9, floor, -2.2), (0, 1, 0), .side(axis: 1, isHigh: false)),
            tag(6, (-3.2, 0.05, -1.8), (1, 0, 0), left), tag(7, (-3.2, 0.0, -0.7), (1, 0, 0), left, turnedDegrees: 30),
            tag(8, (-3.2, 0.15, 0.6), (1, 0, 0), left), tag(9, (-3.2, -0.1, 1.7), (1, 0, 0), left),
            tag(10, (-2.2, 0.0, 2.7), (0, 0, -1), back), tag(11, (0.9, 0.1, 2.7), (0, 0, -1), back),
            tag(12, (2.1, -0.1, 2.7), (0, 0, -1), back), tag(13, (3.2, 0.05, 1.8), (-1, 0, 0), right),
            tag(14, (3.2, 0.0, -1.6), (-1, 0, 0), right), tag(15, (2.55, -0.2, 0.25), (-1, 0, 0), .box(11, axis: 0)),
        ]
    }()

    private static func tag(
        _ id: Int,
        _ centre: (Double, Double, Double),
        _ normal: (Double, Double, Double),
        _ surface: Room.Surface,
        turnedDegrees: Double = 0
    ) -> HangingTag {
        let normal = Vector3(normal.0, normal.1, normal.2)
        let up = normal.y == 0 ? Vector3(0, 1, 0) : Vector3(0, 0, -1)
        let upright = Quaternion(columns: cross(up, normal), up, normal)
        let turn = Quaternion(angleRadians: turnedDegrees * .pi / 180, axis: Vector3(0, 0, 1))
        return HangingTag(
            id: id,
            edgeMetres: (1...3).contains(id) ? 0.173 : 0.152,
            worldFromTag: Transform(
                rotation: (upright * turn).normalized,
                translation: Vector3(centre.0, centre.1, centre.2)
            ),
            surface: surface
        )
    }
}

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

    /// The sheets of each surface, counted as the shader does.
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
