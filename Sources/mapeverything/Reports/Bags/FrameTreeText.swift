import Bags

/// The coordinate frames of a bag as an indented tree.
struct FrameTreeText {
    private let tree: FrameTree
    private var lines: [String] = []
    private var shown: Set<String> = []

    init(_ tree: FrameTree) {
        self.tree = tree
        // A loop has no root: whatever no root leads to is shown from its first frame on.
        for root in tree.roots + tree.parts.compactMap(\.first) where !shown.contains(root) {
            if tree.roots.contains(root) || !tree.parts.contains(where: { $0.contains(root) && hasRoot($0) }) {
                append(root, depth: 0, remark: "")
            }
        }
    }

    var text: String {
        var text = (["frames"] + lines).joined(separator: "\n")
        if tree.parts.count > 1 { text += "\nthe frames are \(tree.parts.count) trees that nothing connects" }
        if !tree.contested.isEmpty { text += "\nmore than one parent: \(tree.contested.joined(separator: ", "))" }
        if !tree.unconnected.isEmpty {
            text += "\nin messages, but in no transform: \(tree.unconnected.joined(separator: ", "))"
        }
        if tree.isCut { text += "\nthere are more transforms than are kept" }
        return text
    }

    private func hasRoot(_ part: [String]) -> Bool { part.contains { tree.roots.contains($0) } }

    private mutating func append(_ frame: String, depth: Int, remark: String) {
        lines.append("  " + String(repeating: "  ", count: min(depth, 64)) + frame + remark)
        guard shown.insert(frame).inserted else { return }
        for edge in tree.edges where edge.parent == frame {
            let remark = edge.isStatic ? "  (static)" : "  (\(edge.messageCount) transforms)"
            append(edge.child, depth: depth + 1, remark: remark)
        }
    }
}
