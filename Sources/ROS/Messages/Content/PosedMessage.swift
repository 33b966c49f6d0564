/// The pose that a message is about.
package struct PosedMessage: Sendable {
    /// The types that have one.
    package static let types: Set<String> = [
        PoseStamped.typeName, PoseWithCovarianceStamped.typeName, Odometry.typeName, TransformStamped.typeName,
    ]

    package let frameID: String
    package let pose: Pose
    /// The length of the quaternion, which is not 0.
    package let norm: Double

    /// `nil` for a message that has no pose of finite numbers.
    package init?(_ message: any AnyMessage) {
        if let stamped = message.compiled(as: PoseStamped.self) {
            (frameID, pose) = (stamped.header.frameID, stamped.pose)
        } else if let odometry = message.compiled(as: Odometry.self) {
            (frameID, pose) = (odometry.header.frameID, odometry.pose.pose)
        } else if let stamped = message.compiled(as: PoseWithCovarianceStamped.self) {
            (frameID, pose) = (stamped.header.frameID, stamped.pose.pose)
        } else if let stamped = message.compiled(as: TransformStamped.self) {
            let moved = stamped.transform.translation
            frameID = stamped.header.frameID
            pose = Pose(position: Point(x: moved.x, y: moved.y, z: moved.z), orientation: stamped.transform.rotation)
        } else {
            return nil
        }
        let (p, q) = (pose.position, pose.orientation)
        norm = (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w).squareRoot()
        guard [p.x, p.y, p.z, q.x, q.y, q.z, q.w].allSatisfy(\.isFinite), norm > 1e-6 else { return nil }
    }
}
