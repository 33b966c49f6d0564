import Recording

enum RoomFurniture {
    private static let floor = -1.42

    static let boxes: [Room.Box] = [
        box("sofa seat", (-3.1, floor, -2.0), (-2.2, floor + 0.43, 0.2), .fabric(SIMD3(74, 96, 108))),
        box("sofa back", (-3.18, floor + 0.43, -2.0), (-2.95, floor + 0.9, 0.2), .fabric(SIMD3(68, 90, 102))),
        box("sofa arm", (-3.1, floor + 0.43, 0.02), (-2.2, floor + 0.62, 0.2), .fabric(SIMD3(70, 92, 104))),
        box("cushion", (-2.95, floor + 0.43, -1.9), (-2.75, floor + 0.8, -1.4), .fabric(SIMD3(196, 134, 54))),
        box("table top", (0.3, floor + 0.72, -2.3), (1.7, floor + 0.76, -1.5), .wood(SIMD3(158, 112, 70))),
        box("table leg 1", (0.36, floor, -2.24), (0.42, floor + 0.72, -2.18), .wood(SIMD3(120, 84, 54))),
        box("table leg 2", (1.58, floor, -2.24), (1.64, floor + 0.72, -2.18), .wood(SIMD3(120, 84, 54))),
        box("table leg 3", (0.36, floor, -1.62), (0.42, floor + 0.72, -1.56), .wood(SIMD3(120, 84, 54))),
        box("table leg 4", (1.58, floor, -1.62), (1.64, floor + 0.72, -1.56), .wood(SIMD3(120, 84, 54))),
        box("carton", (0.5, floor + 0.76, -2.1), (0.86, floor + 1.0, -1.8), .carton(SIMD3(178, 138, 94))),
        box("book", (1.3, floor + 0.76, -1.8), (1.5, floor + 0.79, -1.62), .paint(SIMD3(138, 46, 48))),
        box("cabinet", (2.55, floor, -0.4), (3.15, floor + 1.75, 0.9), .cabinet(SIMD3(206, 204, 196))),
        box("shelf", (-1.4, floor, 2.35), (0.2, floor + 1.9, 2.68), .shelf(SIMD3(134, 96, 60))),
        box("stool", (1.5, floor, 1.5), (1.9, floor + 0.46, 1.9), .paint(SIMD3(44, 110, 88))),
    ]

    static let spheres: [Room.Sphere] = [
        Room.Sphere(
            name: "globe",
            centre: Vector3(1.15, floor + 0.76 + 0.14, -1.95),
            radius: 0.14,
            material: .stripes(SIMD3(58, 108, 160))
        ),
        Room.Sphere(
            name: "ball",
            centre: Vector3(-1.5, floor + 0.22, -1.3),
            radius: 0.22,
            material: .stripes(SIMD3(214, 92, 44))
        ),
        Room.Sphere(
            name: "lamp",
            centre: Vector3(-1.9, 0.78, -1.5),
            radius: 0.2,
            material: .paint(SIMD3(232, 222, 196))
        ),
    ]

    static let sideMaterials: [Material] = [
        .wallpaper(SIMD3(190, 196, 178)),
        .wallpaper(SIMD3(204, 190, 170)),
        .planks(SIMD3(150, 108, 72)),
        .plaster(SIMD3(232, 230, 224)),
        .bricks(SIMD3(170, 102, 80)),
        .wallpaper(SIMD3(176, 186, 200)),
    ]

    static func box(
        _ name: String,
        _ low: (Double, Double, Double),
        _ high: (Double, Double, Double),
        _ material: Material
    ) -> Room.Box {
        Room.Box(
            name: name,
            low: Vector3(low.0, low.1, low.2),
            high: Vector3(high.0, high.1, high.2),
            material: material
        )
    }
}

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

    /// The share of images, as a chair's woven back was measured.
    static let seenThroughPercent = 18

    /// True if the LiDAR looks through the fabric in an image: spread evenly over them.
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

    /// The room as the camera or the LiDAR sees it at a time, in a frame that shows an image: the walker is somewhere, and the LiDAR
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
