package import Recording

/// The known room of a synthetic session: the inside of a box with boxes and spheres in it, in ARKit's world axes.
///
/// World axes: x right, y up, z toward the viewer, metres. The origin is where the camera starts.
package struct Room: Sendable {
    /// A box aligned with the axes.
    package struct Box: Sendable {
        package var name: String
        package var low: Vector3
        package var high: Vector3
        var material: Material
    }

    package struct Sphere: Sendable {
        package var name: String
        package var centre: Vector3
        package var radius: Double
        var material: Material
    }

    /// A surface: one of the room's six sides, a box, or a sphere.
    package enum Surface: Hashable, Sendable {
        /// `axis` is 0 for x, 1 for y, 2 for z; `isHigh` the side with the larger coordinate.
        case side(axis: Int, isHigh: Bool)
        /// A side of a box, by its index in `boxes` and the axis of its normal.
        case box(Int, axis: Int)
        case sphere(Int)
    }

    package let low: Vector3
    package let high: Vector3
    /// The furniture, then thin things and the walker where they were asked for.
    package internal(set) var boxes: [Box]
    package let spheres: [Sphere]
    /// Materials of the six sides: x low, x high, y low, and so on.
    let sideMaterials: [Material]
    /// Where the one lamp is.
    package let light = Vector3(0.35, 0.95, 0.2)
    let texture: NoiseTexture
    /// Empty where none were asked for.
    package let tags: [HangingTag]
    let tagPaint: TagPaint
    let hasThinThings: Bool
    let hasWalker: Bool

    /// The room for a seed: the seed changes textures, never shapes.
    ///
    /// - Parameters:
    ///   - walk: The walk that it is made for.
    ///   - hasTags: True if AprilTags hang in it.
    ///   - hasThinThings: True if a thin plate, a pole and a fabric stand in it.
    ///   - hasWalker: True if a person walks through it.
    package init(
        seed: UInt64,
        walk: SampleWalk = .room,
        hasTags: Bool = false,
        hasThinThings: Bool = false,
        hasWalker: Bool = false
    ) {
        let building = Building(walk)
        (low, high) = (building.low, building.high)
        self.hasThinThings = hasThinThings
        self.hasWalker = hasWalker
        texture = NoiseTexture(seed: seed)
        let boxes =
            building.boxes + (hasThinThings ? ThinThings.boxes : [])
            + (hasWalker ? Walker.boxes(atSeconds: 0) : [])
        self.boxes = boxes
        spheres = building.spheres
        sideMaterials = RoomFurniture.sideMaterials
        tags = hasTags ? HangingTag.all : []
        let boxCount = boxes.count
        tagPaint = TagPaint(tags, surfaces: 6 + boxCount + building.spheres.count) { surface in
            Room.indices(of: surface, boxCount: boxCount)
        }
    }

    /// Which of the boxes are the walker's.
    package var movingBoxes: Range<Int> { (hasWalker ? boxes.count - Walker.partCount : boxes.count)..<boxes.count }
}
