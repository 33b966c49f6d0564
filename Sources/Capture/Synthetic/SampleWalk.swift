import Recording

/// Where a sample is walked, and how.
package enum SampleWalk: String, CaseIterable, Sendable {
    /// To and fro in the middle of the room, looking around.
    case room
    /// Round after round through the room, 12 m and 17 s each.
    case loop
    /// Along a corridor of 21 m, and back after half a minute.
    case corridor
    /// Along a corridor of 60 m in a minute and back in another one, looking the same way.
    case thereAndBack = "there-and-back"
    /// A figure of eight through two rooms and the door between them, a round in 37 s.
    case twoRooms = "two-rooms"
    /// The rounds of `loop` in a room of bare walls.
    case emptyRoom = "empty-room"
    /// To and fro along a wall that is all that is seen.
    case wall

    /// From one end of a corridor to the other.
    private var corridor: (metres: Double, seconds: Double) { self == .corridor ? (20, 30) : (60, 60) }

    /// The place in metres, and the yaw and the mean pitch in radians, at a time of the way.
    func way(atSeconds s: Double) -> (place: Vector3, yawRadians: Double, pitchRadians: Double) {
        switch self {
        case .room:
            let place = Vector3(0.85 * sine(0.31 * s), 0, 0.55 * sine(0.47 * s))
            return (place, 0.7 + 0.75 * sine(0.42 * s) + 0.11 * s, -0.24)
        case .loop, .emptyRoom:
            let angle = 0.37 * s
            // Ahead, and a little to either side.
            let yaw = angle + 0.45 * sine(0.29 * s)
            return (Vector3(2.05 * cosine(angle), 0, -1.65 * sine(angle)), yaw, -0.2)
        case .corridor, .thereAndBack:
            // 0 at one end, 1 at the other.
            let share = (1 - cosine(.pi * s / corridor.seconds)) / 2
            let place = Vector3(0.15 * sine(0.8 * s), 0, -corridor.metres * share)
            let turned = self == .corridor ? .pi * turns(before: s) : 0
            return (place, turned + 0.12 * sine(0.5 * s), -0.12)
        case .twoRooms:
            let angle = 0.17 * s + .pi / 2
            let place = Vector3(-3.4 * cosine(angle), 0, -1.5 * sine(2 * angle))
            // Ahead: within 135 degrees of -z, so that the angle does not leap.
            let ahead = arcTangent(-3.4 * sine(angle), 3 * cosine(2 * angle))
            return (place, ahead + 0.4 * sine(0.31 * s), -0.2)
        case .wall:
            return (Vector3(2 * sine(0.3 * s), 0, 0.1 * sine(0.7 * s)), 0.06 * sine(0.43 * s), 0)
        }
    }

    /// How many times the walk has turned round: within two seconds at each end.
    private func turns(before s: Double) -> Double {
        let end = (s / corridor.seconds).rounded()
        guard end > 0 else { return 0 }
        let x = max(0, min(1, (s - end * corridor.seconds) / 4 + 0.5))
        // Quintic, so that the turn has an acceleration everywhere.
        return end - 1 + x * x * x * (x * (x * 6 - 15) + 10)
    }
}

/// The walls of a walk, and what stands between them.
struct Building {
    private(set) var low = Vector3(-3.2, -1.42, -2.7)
    private(set) var high = Vector3(3.2, 1.18, 2.7)
    private(set) var boxes: [Room.Box] = []
    private(set) var spheres: [Room.Sphere] = []

    init(_ walk: SampleWalk) {
        switch walk {
        case .room, .loop: (boxes, spheres) = (RoomFurniture.boxes, RoomFurniture.spheres)
        case .emptyRoom: break
        case .corridor:
            (low, high) = (Vector3(-1, -1.42, -22), Vector3(1, 1.18, 1.5))
            boxes = Self.corridorThings
        case .thereAndBack:
            (low, high) = (Vector3(-1, -1.42, -62), Vector3(1, 1.18, 1.5))
            boxes = Self.corridorThings + Self.farThings
        case .twoRooms:
            (low, high) = (Vector3(-5.6, -1.42, -2.9), Vector3(5.6, 1.18, 2.9))
            boxes = Self.twoRoomsThings
        case .wall: (low, high) = (Vector3(-20, -21.42, -1.6), Vector3(20, 21.18, 40))
        }
    }

    private static let floor = -1.42
    private static let white = Material.plaster(SIMD3(226, 222, 214))

    /// Frames of doors of a corridor.
    ///
    /// - Parameter places: Where they begin along it, and -1 for the left side, 1 for the right one; no two at the same distance.
    private static func doors(_ places: [(metres: Double, side: Double)], from first: Int = 0) -> [Room.Box] {
        places.enumerated().map { index, door in
            let x = door.side < 0 ? (-1.0, -0.93) : (0.93, 1.0)
            return RoomFurniture.box(
                "door \(first + index)",
                (x.0, floor, door.metres - 0.95),
                (x.1, floor + 2.05, door.metres),
                .wood(SIMD3(150, 110, 74))
            )
        }
    }

    /// What stands in the longer corridor beyond the shorter one.
    private static var farThings: [Room.Box] {
        let places = [
            (-21.6, -1.0), (-25.3, 1), (-27.1, -1), (-31.8, 1), (-34.2, -1), (-39.5, 1), (-42.7, -1), (-45.1, 1),
            (-50.6, -1), (-53, 1), (-57.9, -1),
        ]
        return doors(places, from: 6) + [
            RoomFurniture.box("far bench", (-1, floor, -24.6), (-0.6, floor + 0.45, -23.1), .wood(SIMD3(110, 90, 60))),
            RoomFurniture.box("far radiator", (0.86, floor + 0.1, -30.2), (1, floor + 0.7, -28.8), white),
            RoomFurniture.box(
                "cupboard",
                (-1, floor, -37.8),
                (-0.5, floor + 1.9, -36.5),
                .cabinet(SIMD3(206, 204, 196))
            ),
            RoomFurniture.box("copier", (0.4, floor, -48.2), (1, floor + 1.1, -47.4), .paint(SIMD3(226, 226, 230))),
            RoomFurniture.box("bin", (-0.98, floor, -55.3), (-0.7, floor + 0.6, -55), .paint(SIMD3(44, 110, 88))),
        ]
    }

    private static var corridorThings: [Room.Box] {
        let places = [(-2.4, -1.0), (-5.1, 1), (-8.7, -1), (-10.6, 1), (-14.9, -1), (-18.2, 1)]
        return doors(places) + [
            RoomFurniture.box("radiator", (0.86, floor + 0.1, -3.6), (1, floor + 0.7, -2.4), white),
            RoomFurniture.box("bench", (-1, floor, -7.4), (-0.62, floor + 0.45, -6.2), .wood(SIMD3(120, 84, 54))),
            RoomFurniture.box("locker", (0.55, floor, -13.2), (1, floor + 1.8, -12.3), .cabinet(SIMD3(150, 160, 170))),
            RoomFurniture.box(
                "carton",
                (-0.95, floor, -17.3),
                (-0.6, floor + 0.4, -16.8),
                .carton(SIMD3(178, 138, 94))
            ),
        ]
    }

    /// A wall with a door of 1.2 m between the rooms, and other furniture in each.
    private static var twoRoomsThings: [Room.Box] {
        [
            RoomFurniture.box("wall 1", (-0.06, floor, -2.9), (0.06, 1.18, -0.6), white),
            RoomFurniture.box("wall 2", (-0.06, floor, 0.6), (0.06, 1.18, 2.9), white),
            RoomFurniture.box("lintel", (-0.06, floor + 2.05, -0.6), (0.06, 1.18, 0.6), white),
            RoomFurniture.box("bed", (-5.5, floor, -0.9), (-4.3, floor + 0.5, 1.1), .fabric(SIMD3(96, 110, 150))),
            RoomFurniture.box(
                "wardrobe",
                (-2.6, floor, -2.85),
                (-1.1, floor + 2, -2.3),
                .cabinet(SIMD3(206, 204, 196))
            ),
            RoomFurniture.box("desk", (-3.4, floor + 0.7, 2.2), (-2, floor + 0.74, 2.85), .wood(SIMD3(158, 112, 70))),
            RoomFurniture.box("chest", (-1.5, floor, 2.4), (-0.7, floor + 0.9, 2.85), .paint(SIMD3(44, 110, 88))),
            RoomFurniture.box("table", (2.9, floor + 0.72, -0.5), (4, floor + 0.76, 0.5), .wood(SIMD3(158, 112, 70))),
            RoomFurniture.box("table foot", (3.4, floor, -0.1), (3.5, floor + 0.72, 0.1), .wood(SIMD3(120, 84, 54))),
            RoomFurniture.box("kitchen", (1.2, floor, 2.3), (4.4, floor + 0.9, 2.9), .cabinet(SIMD3(190, 190, 196))),
            RoomFurniture.box("fridge", (4.9, floor, 2.2), (5.55, floor + 1.75, 2.85), .paint(SIMD3(226, 226, 230))),
            RoomFurniture.box("shelf", (5.2, floor, -2), (5.58, floor + 1.9, -0.7), .shelf(SIMD3(134, 96, 60))),
            RoomFurniture.box("stool", (1.1, floor, -2.4), (1.5, floor + 0.46, -2), .paint(SIMD3(138, 46, 48))),
        ]
    }
}
