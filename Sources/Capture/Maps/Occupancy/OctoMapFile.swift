/// OctoMap's binary file (`.bt`): an octree of 16 levels whose leaves are occupied or free.
///
/// Hornung and others 2013, and `OccupancyOcTreeBase::writeBinaryNode`: two bytes for each inner node, two bits for each
/// of its children: 0 unknown, 1 free, 2 occupied, 3 an inner node, which follows depth first. Child `i` is the upper one
/// in x where bit 0 of `i` is set, in y bit 1, in z bit 2. Children that are all equal leaves are one leaf.
package struct OctoMapFile: Sendable {
    package private(set) var bytes: [UInt8] = []
    /// The nodes of the tree.
    package private(set) var nodeCount = 0
    /// Cells that lie outside of the tree: more than 32768 cells from the origin.
    package private(set) var outsideCount = 0
    package private(set) var occupiedCount = 0
    package private(set) var freeCount = 0

    private enum Node: UInt8 {
        case unknown = 0
        case free = 1
        case occupied = 2
        case inner = 3
    }

    /// A block of cells by its place in the tree: the bits of x, y and z by turns.
    private struct Leaf {
        var code: UInt64
        var number: Int
    }

    private static let depth = 16
    /// Half of the cells along an axis.
    private static let halfCells: Int32 = 1 << 15

    private var tree: [UInt8] = []

    /// - Parameter comments: lines for the head of the file.
    package init(_ volume: OccupancyVolume, comments: [String] = []) {
        var leaves: [Leaf] = []
        let half = Self.halfCells / 8
        for (number, key) in volume.keys.enumerated() {
            let place = key.place &+ SIMD3(half, half, half)
            let limit = 2 * half
            guard (0..<limit).contains(place.x), (0..<limit).contains(place.y), (0..<limit).contains(place.z) else {
                outsideCount += volume.read(number) { block in (0..<512).count { block[$0] != 0 } } ?? 0
                continue
            }
            leaves.append(Leaf(code: Self.code(place), number: number))
        }
        leaves.sort { $0.code < $1.code }
        if !leaves.isEmpty {
            nodeCount = 1
            let root = append(leaves[...], level: Self.depth - 3, volume)
            if root != .inner { wrap(root) }
        }
        let lines =
            ["# Octomap OcTree binary file"] + comments.map { "# " + PlainLine.text($0) } + [
                "id OcTree", "size \(nodeCount)", "res \(volume.parameters.resolutionMetres)", "data", "",
            ]
        bytes = Array(lines.joined(separator: "\n").utf8) + tree
        tree = []
    }

    private static func code(_ place: SIMD3<Int32>) -> UInt64 {
        var code: UInt64 = 0
        for bit in 0..<13 as Range<Int32> {
            for axis in 0..<3 { code |= UInt64(place[axis] &>> bit & 1) &<< UInt64(3 * Int(bit) + axis) }
        }
        return code
    }

    /// A root all of whose cells are equal is written as eight children: a file has no root that is a leaf.
    private mutating func wrap(_ node: Node) {
        guard node != .unknown else { return nodeCount = 0 }
        nodeCount += 8
        let byte = node.rawValue * 0b0101_0101
        tree += [byte, byte]
    }

    /// Appends the nodes below one, and says what it is.
    ///
    /// - Parameter level: how many levels of nodes lie between it and blocks.
    private mutating func append(_ leaves: ArraySlice<Leaf>, level: Int, _ volume: OccupancyVolume) -> Node {
        if leaves.isEmpty { return .unknown }
        if level == 0 {
            guard let leaf = leaves.first else { return .unknown }
            let cells = volume.read(leaf.number) { CellMasks($0) } ?? CellMasks()
            occupiedCount += cells.occupied.reduce(0) { $0 + $1.nonzeroBitCount }
            freeCount += cells.free.reduce(0) { $0 + $1.nonzeroBitCount }
            return append(cells, SIMD3(0, 0, 0), edge: 8)
        }
        var start = leaves.startIndex
        return appendInner { tree, child in
            let shift = UInt64(3 * (level - 1))
            var end = start
            while end < leaves.endIndex, (leaves[end].code &>> shift) & 7 == UInt64(child) { end += 1 }
            defer { start = end }
            return tree.append(leaves[start..<end], level: level - 1, volume)
        }
    }

    /// Appends the nodes within a block.
    private mutating func append(_ cells: CellMasks, _ place: SIMD3<Int>, edge: Int) -> Node {
        if edge == 1 {
            let bit = UInt64(place.x + 8 * place.y)
            if cells.occupied[place.z] &>> bit & 1 != 0 { return .occupied }
            return cells.free[place.z] &>> bit & 1 != 0 ? .free : .unknown
        }
        let half = edge / 2
        return appendInner { tree, child in
            let step = SIMD3(child & 1, child >> 1 & 1, child >> 2) &* half
            return tree.append(cells, place &+ step, edge: half)
        }
    }

    /// Appends a node with its children, unless they are all equal leaves, or all unknown.
    private mutating func appendInner(_ child: (inout OctoMapFile, Int) -> Node) -> Node {
        let (place, count) = (tree.count, nodeCount)
        tree += [0, 0]
        var first = Node.unknown
        var isEqual = true
        for index in 0..<8 {
            let node = child(&self, index)
            if index == 0 { first = node } else if node != first { isEqual = false }
            if node != .unknown { nodeCount += 1 }
            tree[place + index / 4] |= node.rawValue &<< UInt8(index % 4 * 2)
        }
        guard isEqual, first != .inner else { return .inner }
        tree.removeSubrange(place...)
        nodeCount = count
        return first
    }
}
