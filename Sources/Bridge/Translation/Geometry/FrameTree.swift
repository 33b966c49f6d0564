package import Messages
package import Recording

/// Where frames are, by the last transform of each: for what is played through in the order of its times.
package struct FrameTree: Sendable {
    private var edges: [String: (parent: String, parentFromChild: Recording.Transform)] = [:]
    private static let mostFrames = 10_000
    private static let mostSteps = 50

    package init() {}

    /// Takes the transforms of `/tf` or `/tf_static`, but for those that are none.
    package mutating func take(_ message: TFMessage) {
        for one in message.transforms where edges.count < Self.mostFrames || edges[one.childFrameID] != nil {
            guard let transform = try? Recording.Transform(one.transform) else { continue }
            edges[one.childFrameID] = (one.header.frameID, transform)
        }
    }

    /// From the axes of a frame to those of a frame above it; `nil` where the tree does not lead there.
    package func transform(from frame: String, to ancestor: String) -> Recording.Transform? {
        var (name, transform) = (frame, Recording.Transform.identity)
        for _ in 0..<Self.mostSteps {
            if name == ancestor { return transform }
            guard let edge = edges[name] else { return nil }
            (name, transform) = (edge.parent, edge.parentFromChild * transform)
        }
        return nil
    }
}
