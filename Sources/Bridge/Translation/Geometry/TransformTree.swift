package import Messages
package import Recording

/// An AprilTag whose place is known: x to the right, y up, z out of its front.
package struct TagFrame: Sendable, Hashable {
    /// As apriltag_ros names it: `tag36h11:7`.
    package var name: String
    /// In ARKit's world, of the session that it is published with.
    package var worldFromTag: Recording.Transform

    package init(name: String, worldFromTag: Recording.Transform) {
        self.name = name
        self.worldFromTag = worldFromTag
    }
}

/// The tree of frames: earth, map, odom, the body, and what is mounted on it (REP-105, REP-103).
package enum TransformTree {
    private struct Edge {
        var parent: String
        var child: String
        var transform: Recording.Transform
    }

    /// Where the body is, for `/tf`.
    ///
    /// - Parameter mapFromOdom: the correction of the recorded pose (REP-105); `nil` where `odom` stays where `map` is.
    package static func moving(
        _ odomFromBase: Recording.Transform,
        mapFromOdom: Recording.Transform? = nil,
        stampNanoseconds stamp: Int64
    ) -> TFMessage {
        let correction = mapFromOdom.map { Edge(parent: FrameName.map, child: FrameName.odom, transform: $0) }
        let pose = Edge(parent: FrameName.odom, child: FrameName.base, transform: odomFromBase)
        return message([correction, pose].compactMap { $0 }, stamp)
    }

    /// Everything that does not move, for `/tf_static`.
    ///
    /// - Parameter hasOdom: true if `odom` is where `map` is.
    package static func fixed(
        _ axes: FramePolicy,
        earthFromMap: Recording.Transform?,
        hasOdom: Bool = true,
        tags: [TagFrame] = [],
        stampNanoseconds stamp: Int64
    ) -> TFMessage {
        var edges: [Edge] = []
        if let earthFromMap {
            edges.append(Edge(parent: FrameName.earth, child: FrameName.map, transform: earthFromMap))
        }
        if hasOdom { edges.append(Edge(parent: FrameName.map, child: FrameName.odom, transform: .identity)) }
        let baseFromCamera = axes.baseFromCamera
        let cameraFromOptical = Coordinates.opticalFromCamera.inverse
        edges.append(Edge(parent: FrameName.base, child: FrameName.camera, transform: baseFromCamera))
        edges.append(Edge(parent: FrameName.camera, child: FrameName.optical, transform: cameraFromOptical))
        // All orientations: size and gravity may overrule the one that a frame declares.
        for orientation in axes.turnedImageFrames {
            edges.append(
                Edge(
                    parent: FrameName.camera,
                    child: FrameName.optical(orientation),
                    transform: cameraFromOptical * Coordinates.sensorOpticalFromStoredOptical(orientation)
                )
            )
        }
        edges.append(
            Edge(
                parent: FrameName.base,
                child: FrameName.imu,
                transform: baseFromCamera * DeviceAxes.cameraFromDevice
            )
        )
        edges.append(Edge(parent: FrameName.base, child: FrameName.gps, transform: .identity))
        for tag in tags {
            let transform = Coordinates.mapFromCamera(tag.worldFromTag, policy: axes)
            edges.append(Edge(parent: FrameName.map, child: tag.name, transform: transform))
        }
        return message(edges, stamp)
    }

    private static func message(_ edges: [Edge], _ stamp: Int64) -> TFMessage {
        var message = TFMessage()
        message.transforms = edges.map {
            transformStamped($0.transform, parent: $0.parent, child: $0.child, stampNanoseconds: stamp)
        }
        return message
    }
}
