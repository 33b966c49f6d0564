package import Recording
package import Tags

/// An AprilTag on a surface of the room.
package struct HangingTag: Sendable {
    package static let family = TagFamily.tag36h11

    package var id: Int
    /// Between two corners, without the white margin.
    package var edgeMetres: Double
    /// Tag axes: x right, y up, z out of the surface.
    package var worldFromTag: Transform
    package var surface: Room.Surface

    /// Bottom left, bottom right, top right, top left, in the world.
    package var corners: [Vector3] {
        SquarePose.corners(edgeMetres: edgeMetres).map { worldFromTag * $0 }
    }

    /// What hangs in the room: on all walls, on furniture and on the floor; two sizes; two of them turned.
    package static let all: [HangingTag] = {
        let floor = -1.42
        let (left, right, front, back) = (
            Room.Surface.side(axis: 0, isHigh: false), Room.Surface.side(axis: 0, isHigh: true),
            Room.Surface.side(axis: 2, isHigh: false), Room.Surface.side(axis: 2, isHigh: true)
        )
        return [
            tag(0, (-1.6, 0.10, -2.7), (0, 0, 1), front), tag(1, (-0.6, 0.20, -2.7), (0, 0, 1), front),
            tag(2, (0.4, 0.05, -2.7), (0, 0, 1), front, turnedDegrees: 90), tag(3, (1.5, 0.15, -2.7), (0, 0, 1), front),
            tag(4, (0.68, floor + 0.88, -1.8), (0, 0, 1), .box(9, axis: 2)),
            tag(5, (-0.9, floor, -2.2), (0, 1, 0), .side(axis: 1, isHigh: false)),
            tag(6, (-3.2, 0.05, -1.8), (1, 0, 0), left), tag(7, (-3.2, 0.0, -0.7), (1, 0, 0), left, turnedDegrees: 30),
            tag(8, (-3.2, 0.15, 0.6), (1, 0, 0), left), tag(9, (-3.2, -0.1, 1.7), (1, 0, 0), left),
            tag(10, (-2.2, 0.0, 2.7), (0, 0, -1), back), tag(11, (0.9, 0.1, 2.7), (0, 0, -1), back),
            tag(12, (2.1, -0.1, 2.7), (0, 0, -1), back), tag(13, (3.2, 0.05, 1.8), (-1, 0, 0), right),
            tag(14, (3.2, 0.0, -1.6), (-1, 0, 0), right), tag(15, (2.55, -0.2, 0.25), (-1, 0, 0), .box(11, axis: 0)),
        ]
    }()

    private static func tag(
        _ id: Int,
        _ centre: (Double, Double, Double),
        _ normal: (Double, Double, Double),
        _ surface: Room.Surface,
        turnedDegrees: Double = 0
    ) -> HangingTag {
        let normal = Vector3(normal.0, normal.1, normal.2)
        let up = normal.y == 0 ? Vector3(0, 1, 0) : Vector3(0, 0, -1)
        let upright = Quaternion(columns: cross(up, normal), up, normal)
        let turn = Quaternion(angleRadians: turnedDegrees * .pi / 180, axis: Vector3(0, 0, 1))
        return HangingTag(
            id: id,
            edgeMetres: (1...3).contains(id) ? 0.173 : 0.152,
            worldFromTag: Transform(
                rotation: (upright * turn).normalized,
                translation: Vector3(centre.0, centre.1, centre.2)
            ),
            surface: surface
        )
    }
}
