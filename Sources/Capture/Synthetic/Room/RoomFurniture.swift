import Recording

/// What stands in the room, and what it is made of.
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
