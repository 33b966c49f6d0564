/// Transforms for the frame tree.
package struct TFMessage: Message {
    package static var typeName: String { "tf2_msgs/msg/TFMessage" }

    package var transforms: [TransformStamped] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("transforms", &transforms)
    }

    package init(transforms: [TransformStamped]) {
        self.transforms = transforms
    }

    /// The frames that the message places.
    package var childFrameIDs: Set<String> { Set(transforms.map(\.childFrameID)) }
}
