import Recording

/// Things that are hard to map: thinner than a few voxels, and one that a scanner looks through now and then.
enum ThinThings {
    private static let floor = -1.42

    static let boxes: [Room.Box] = [
        RoomFurniture.box("plate", (-1.305, floor, 0.2), (-1.295, floor + 0.9, 0.6), .paint(SIMD3(96, 132, 176))),
        RoomFurniture.box("pole", (-1.015, floor, -1.015), (-0.985, floor + 1.8, -0.985), .paint(SIMD3(188, 60, 52))),
        fabric,
    ]

    /// Hangs in the room with nothing close behind it.
    static let fabric = RoomFurniture.box(
        "fabric",
        (-1.405, floor + 0.4, -0.5),
        (-1.395, floor + 1.1, 0.1),
        .fabric(SIMD3(150, 118, 84))
    )

    /// Of the images, as a chair's woven back was measured.
    static let seenThroughPercent = 18

    /// Whether the LiDAR looks through the fabric in an image: spread evenly over them.
    static func isSeenThrough(image: Int) -> Bool { image * seenThroughPercent % 100 < seenThroughPercent }
}

/// A person who walks through the room once, at a metre a second, and does not come back.
enum Walker {
    private static let start = Vector3(-1.95, -1.42, -2.4)
    /// Then the other wall is reached, and the walker is gone.
    static let seconds = 4.8

    /// Around the place between the feet.
    ///
    /// The soles hang above the floor: no point of the walker is near anything else.
    private static let parts: [(name: String, low: Vector3, high: Vector3, material: Material)] = [
        ("walker legs", Vector3(-0.1, 0.04, -0.18), Vector3(0.1, 0.8, 0.18), .fabric(SIMD3(52, 60, 92))),
        ("walker body", Vector3(-0.13, 0.8, -0.23), Vector3(0.13, 1.42, 0.23), .fabric(SIMD3(176, 72, 64))),
        ("walker head", Vector3(-0.1, 1.45, -0.09), Vector3(0.1, 1.7, 0.09), .paint(SIMD3(206, 168, 140))),
    ]

    static let partCount = parts.count

    /// The walker's boxes at a time; far outside of the room when gone.
    static func boxes(atSeconds time: Double) -> [Room.Box] {
        let place = time < seconds ? start + Vector3(0, 0, max(0, time)) : Room.nowhere
        return parts.map { Room.Box(name: $0.name, low: place + $0.low, high: place + $0.high, material: $0.material) }
    }
}

extension Room {
    /// Where nothing is seen from inside.
    static let nowhere = Vector3(1000, 1000, 1000)

    /// What the camera or the LiDAR sees at a time, in a frame that shows an image: the walker is somewhere, and the LiDAR
    /// looks through the fabric.
    package func seen(atSeconds time: Double, image: Int, byLidar isLidar: Bool) -> Room {
        var room = self
        if hasWalker { room.boxes.replaceSubrange(movingBoxes, with: Walker.boxes(atSeconds: time)) }
        guard isLidar, hasThinThings, ThinThings.isSeenThrough(image: image) else { return room }
        for index in room.boxes.indices where room.boxes[index].name == ThinThings.fabric.name {
            room.boxes[index].low = Self.nowhere
            room.boxes[index].high = Self.nowhere
        }
        return room
    }
}
