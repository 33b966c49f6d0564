/// Where the numbers of a PointCloud2's points are; positions are 32-bit floats in little-endian.
package struct CloudLayout: Sendable {
    /// The points that `data` really holds.
    package let count: Int
    private let step: Int
    private let places: [Int]
    private let colourPlace: Int?
    private let intensityPlace: Int?

    /// `nil` for a cloud without positions that can be read.
    package init?(_ cloud: PointCloud2) {
        let step = Int(cloud.pointStep)
        func place(_ name: String, _ types: Set<UInt8>) -> Int? {
            let field = cloud.fields.first { $0.name == name && types.contains($0.datatype) }
            return field.map { Int($0.offset) }.flatMap { $0 <= step - 4 ? $0 : nil }
        }
        let places = ["x", "y", "z"].compactMap { place($0, [PointField.float32]) }
        guard !cloud.isBigEndian, places.count == 3, step >= 12 else { return nil }
        self.places = places
        self.step = step
        let colours: Set<UInt8> = [PointField.float32, PointField.uint32]
        colourPlace = place("rgb", colours) ?? place("rgba", colours)
        intensityPlace = place("intensity", [PointField.float32])
        let (claimed, overflow) = Int(cloud.width).multipliedReportingOverflow(by: Int(cloud.height))
        count = overflow ? 0 : min(claimed, cloud.data.count / step)
    }

    package var hasColour: Bool { colourPlace != nil }
    package var hasIntensity: Bool { intensityPlace != nil }

    package func position(_ index: Int, _ data: [UInt8]) -> (Float, Float, Float) {
        let start = index * step
        return (
            Float(bitPattern: word(start + places[0], data)), Float(bitPattern: word(start + places[1], data)),
            Float(bitPattern: word(start + places[2], data))
        )
    }

    /// 0x00RRGGBB; white where the cloud has no colour.
    package func colour(_ index: Int, _ data: [UInt8]) -> UInt32 {
        colourPlace.map { word(index * step + $0, data) } ?? 0xFFFFFF
    }

    /// 0 where the cloud has none.
    package func intensity(_ index: Int, _ data: [UInt8]) -> Float {
        intensityPlace.map { Float(bitPattern: word(index * step + $0, data)) } ?? 0
    }

    private func word(_ place: Int, _ data: [UInt8]) -> UInt32 {
        UInt32(data[place]) | UInt32(data[place + 1]) << 8 | UInt32(data[place + 2]) << 16
            | UInt32(data[place + 3]) << 24
    }
}

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
