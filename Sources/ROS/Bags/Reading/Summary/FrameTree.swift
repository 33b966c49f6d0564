import Messages

/// The coordinate frames that the transforms of a bag connect.
package struct FrameTree: Sendable, Hashable {
    package struct Edge: Sendable, Hashable {
        package var parent: String
        package var child: String
        /// True if it came on a latched topic, as `/tf_static` is.
        package var isStatic: Bool
        package var messageCount: Int
        /// The span of the stamps of the transforms.
        package var times: TimeSpan
    }

    /// The edges, sorted by parent, then by child.
    package var edges: [Edge]
    /// Frames without a parent.
    package var roots: [String]
    /// The frames of each part that hangs together, the largest first; one for a tree that is whole.
    package var parts: [[String]]
    /// Frames with more than one parent, which tf does not allow.
    package var contested: [String]
    /// Frames that messages are in and no transform leads to.
    package var unconnected: [String]
    /// True if there were more transforms between different frames than are kept (4096).
    package var isCut: Bool
}

/// Collects the edges of a tree of frames.
struct FrameTreeBuilder {
    private struct Pair: Hashable {
        var parent: String
        var child: String
    }

    private static let maximumEdges = 4096
    private var edges: [Pair: FrameTree.Edge] = [:]
    private var isCut = false

    mutating func note(_ transforms: [TransformStamped], isStatic: Bool) {
        for transform in transforms {
            let pair = Pair(parent: bareFrame(transform.header.frameID), child: bareFrame(transform.childFrameID))
            let stamp = transform.header.stamp.nanosecondsSinceEpoch
            if edges[pair]?.note(stamp, isStatic: isStatic) != nil { continue }
            guard edges.count < Self.maximumEdges else {
                isCut = true
                continue
            }
            edges[pair] = FrameTree.Edge(
                parent: pair.parent,
                child: pair.child,
                isStatic: isStatic,
                messageCount: 1,
                times: TimeSpan(first: stamp, last: stamp)
            )
        }
    }

    /// The tree; nil without transforms.
    ///
    /// - Parameter frameIDs: The frames that other messages are in.
    func tree(frameIDs: Set<String>) -> FrameTree? {
        guard !edges.isEmpty else { return nil }
        let sorted = edges.values.sorted { ($0.parent, $0.child) < ($1.parent, $1.child) }
        let frames = Set(sorted.flatMap { [$0.parent, $0.child] })
        let children = Set(sorted.map(\.child))
        return FrameTree(
            edges: sorted,
            roots: frames.subtracting(children).sorted(),
            parts: parts(sorted, frames),
            contested: children.filter { child in sorted.filter { $0.child == child }.count > 1 }.sorted(),
            unconnected: Set(frameIDs.map(bareFrame)).subtracting(frames).filter { !$0.isEmpty }.sorted(),
            isCut: isCut
        )
    }

    private func parts(_ edges: [FrameTree.Edge], _ frames: Set<String>) -> [[String]] {
        var neighbours: [String: [String]] = [:]
        for edge in edges {
            neighbours[edge.parent, default: []].append(edge.child)
            neighbours[edge.child, default: []].append(edge.parent)
        }
        var parts: [[String]] = []
        var seen: Set<String> = []
        for frame in frames.sorted() where seen.insert(frame).inserted {
            var part = [frame]
            var next = 0
            while next < part.count {
                for neighbour in neighbours[part[next]] ?? [] where seen.insert(neighbour).inserted {
                    part.append(neighbour)
                }
                next += 1
            }
            parts.append(part.sorted())
        }
        return parts.sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }
    }
}

extension FrameTree.Edge {
    fileprivate mutating func note(_ stamp: Int64, isStatic: Bool) {
        messageCount += 1
        times.include(stamp)
        self.isStatic = self.isStatic && isStatic
    }
}

/// A frame without the leading slash that ROS 1 had.
package func bareFrame(_ frame: String) -> String {
    frame.hasPrefix("/") ? String(frame.dropFirst()) : frame
}
