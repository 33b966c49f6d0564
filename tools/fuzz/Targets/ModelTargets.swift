import Maps
import Platform
import Recording

extension FuzzTarget {
    /// Meshes and clouds of each format.
    static let models: [FuzzTarget] = SurfaceModel.Format.allCases.map { format in
        FuzzTarget(
            name: "model-\(format.rawValue)",
            seeds: { seeds(format) },
            dictionary: [
                "end_header\n", "element face 1\n", "property list uchar int vertex_indices\n", "format ascii 1.0\n",
                "4294967295", "9223372036854775807", "nan", "DATA ascii\n", "COUNT 1000", "f 1 2 3\n", "f -1 -2 -3\n",
                "\"byteStride\":4", "\"indices\":0", "\"children\":[0]", "\u{FF}\u{FF}\u{FF}\u{7F}",
            ],
            run: { input in
                guard let model = try? SurfaceModel(Array(input), format) else { return }
                let mesh = model.mesh
                require(!mesh.points.isEmpty, "a model of nothing")
                require(mesh.points.count <= SurfaceModel.maximumPoints, "more points than are kept")
                require(mesh.triangles.count <= SurfaceModel.maximumTriangles, "more triangles than are kept")
                let areThere = mesh.triangles.allSatisfy { max($0.a, $0.b, $0.c) < mesh.points.count }
                require(areThere, "a corner that is not there")
            }
        )
    }

    /// A map of nav2: its YAML, and behind a zero byte its image.
    static let floorPlan = FuzzTarget(
        name: "floor-plan",
        seeds: {
            let start = "image: a.pgm\nresolution: 0.05\norigin: [-1, 2, 0.5]\nnegate: 0\n"
            return ["", "mode: raw\n", "mode: scale\noccupied_thresh: 0.65\nfree_thresh: 0.2\n"].map {
                Array((start + $0).utf8) + [0] + Array("P5\n# a\n3 2\n255\n".utf8) + [0, 100, 205, 254, 255, 30]
            }
        },
        dictionary: ["P5\n", "65535 65535\n255\n", "9999999", "origin: [1e308, nan, inf]", "mode: raw"],
        run: { input in
            let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let image = parts.last,
                let description = try? FloorPlan.Description(parsing: String(decoding: parts[0], as: UTF8.self)),
                let plan = try? FloorPlan(description, image: Array(image))
            else { return }
            require(plan.cells.count == plan.width * plan.height, "a plan with other cells")
            require(plan.cells.allSatisfy { (-1...100).contains($0) }, "a cell out of range")
        }
    )

    private static func content(_ file: FileContent) -> [UInt8] {
        var bytes: [UInt8] = []
        try? file.write { bytes += $0 }
        return bytes
    }

    private static func seeds(_ format: SurfaceModel.Format) -> [[UInt8]] {
        func point(_ x: Float, _ colour: UInt32?) -> SurfacePoint {
            SurfacePoint(position: SIMD3(x, 1, x * x), normal: SIMD3(0, 1, 0), colour: colour, weight: 1, count: 1)
        }
        return ([nil, 0x20_40FF] as [UInt32?]).flatMap { colour -> [[UInt8]] in
            let mesh = SurfaceMesh(
                points: [1, 2, 3, 5].map { point($0, colour) },
                triangles: [.init(0, 1, 2), .init(1, 3, 2)]
            )
            switch format {
            case .ply:
                let text =
                    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
                    + "element face 1\nproperty list uchar int vertex_index\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
                return [PLYFile.bytes(mesh), PLYFile.cloud(mesh), Array(text.utf8)]
            case .glb: return [GLBFile.bytes(mesh)]
            case .las:
                return [LASFile.bytes(mesh.points, LASFile.Description(software: "")) { Vector3($0) }].compactMap(
                    \.self
                )
            case .obj:
                return [content(OBJFile.content(mesh)), Array("v 1 2 3\nv 2 3 4 1 0 0\nv 0 0 0\nf -1 -2 -3\n".utf8)]
            case .stl: return [STLFile.content(mesh).map(content) ?? []]
            case .pcd:
                let text =
                    "FIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F U\nCOUNT 1 1 1 1\nPOINTS 2\nDATA ascii\n1 2 3 255\n2 3 4 0\n"
                return [PCDFile.bytes(mesh), Array(text.utf8)]
            }
        }
    }
}
