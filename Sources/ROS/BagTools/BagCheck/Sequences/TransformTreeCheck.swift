import Bags
import Messages

/// Checks that all frames hang together in one tree, and that every message is in one of them.
final class TransformTreeCheck: MessageCheck {
    private struct Use: Hashable {
        var topic: String
        var frame: String
    }

    private static let maximumUses = 4096

    /// The trees by namespace: `/robot/tf` and `/robot/tf_static` make one tree.
    private var trees: [String: TransformTree] = [:]
    private var uses: [(use: Use, spot: Spot)] = []
    private var known: Set<Use> = []

    func examine(_ message: ExaminedMessage, _ context: CheckContext) {
        guard let content = message.content else { return }
        if message.topic.stampRole == .transforms, let transforms = content as? TFMessage {
            let namespace = Self.namespace(of: message.topic.name)
            for transform in transforms.transforms {
                let edge = TransformTree.Edge(
                    parent: bareFrame(transform.header.frameID),
                    child: bareFrame(transform.childFrameID)
                )
                trees[namespace, default: TransformTree()].note(edge, at: message.spot)
            }
        } else if message.stampNanoseconds != nil, let frame = content.headerFrameID, !frame.isEmpty {
            let use = Use(topic: message.topic.name, frame: bareFrame(frame))
            guard uses.count < Self.maximumUses, !known.contains(use) else { return }
            known.insert(use)
            uses.append((use, message.spot))
        }
    }

    func finish(_ context: CheckContext) {
        for namespace in trees.keys.sorted() {
            guard let tree = trees[namespace] else { continue }
            check(tree, context)
        }
        let frames = trees.values.reduce(into: Set<String>()) { $0.formUnion($1.frames) }
        guard !frames.isEmpty else { return }
        for (use, spot) in uses where !frames.contains(use.frame) {
            context.at(spot, topic: use.topic).add(.warning, .frameUnknown, "a frame_id of tf", "\"\(use.frame)\"")
        }
    }

    private func check(_ tree: TransformTree, _ context: CheckContext) {
        for (edge, spot) in tree.closingEdges {
            let found = "\(edge.parent) -> \(edge.child), which closes a loop"
            context.at(spot).add(.error, .transformLoop, "a tree", found)
        }
        for (edge, spot, first) in tree.secondParents {
            let expected = "\(first) as the parent of \(edge.child), as before"
            context.at(spot).add(foreign: .warning, .transformTwoParents, expected, edge.parent)
        }
        let parts = tree.parts
        if parts.count > 1 {
            let found = "\(parts.count), with the roots \(parts.prefix(8).joined(separator: ", "))"
            context.at().add(.warning, .transformDisconnected, "one tree", found)
        }
    }

    private static func namespace(of topic: String) -> String {
        topic.lastIndex(of: "/").map { String(topic[..<$0]) } ?? ""
    }
}

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
