/// Frames and who is whose parent, over a whole bag.
struct TransformTree {
    struct Edge: Hashable {
        var parent: String
        var child: String
    }

    /// A hostile bag could make up frames without end.
    private static let maximumEdges = 4096

    /// In the order in which they came.
    private(set) var edges: [(edge: Edge, spot: Spot)] = []
    private var known: Set<Edge> = []
    private(set) var frames: Set<String> = []

    mutating func note(_ edge: Edge, at spot: Spot) {
        guard edges.count < Self.maximumEdges, known.insert(edge).inserted else { return }
        edges.append((edge, spot))
        frames.insert(edge.parent)
        frames.insert(edge.child)
    }

    /// Edges to a child that had another parent before, with that parent.
    var secondParents: [(edge: Edge, spot: Spot, first: String)] {
        var parents: [String: String] = [:]
        return edges.compactMap { edge, spot in
            guard let first = parents[edge.child] else {
                parents[edge.child] = edge.parent
                return nil
            }
            return (edge, spot, first)
        }
    }

    /// Edges that close a loop: the parent is the child, or below it by the edges that came before.
    var closingEdges: [(edge: Edge, spot: Spot)] {
        var children: [String: [String]] = [:]
        return edges.filter { edge, _ in
            var pending = [edge.child]
            var seen: Set<String> = [edge.child]
            while let frame = pending.popLast() {
                if frame == edge.parent { return true }
                for child in children[frame] ?? [] where seen.insert(child).inserted { pending.append(child) }
            }
            children[edge.parent, default: []].append(edge.child)
            return false
        }
    }

    /// A frame of each part that is not joined to the others: the one that came first, or the root above it.
    var parts: [String] {
        var group: [String: String] = [:]
        func root(_ frame: String) -> String {
            var frame = frame
            while let next = group[frame], next != frame { frame = next }
            return frame
        }
        for (edge, _) in edges {
            for frame in [edge.parent, edge.child] where group[frame] == nil { group[frame] = frame }
            let (upper, lower) = (root(edge.parent), root(edge.child))
            // The parent's side stays on top, so that a part is named by its root.
            if upper != lower { group[lower] = upper }
        }
        return Set(group.keys.map(root)).sorted()
    }
}
