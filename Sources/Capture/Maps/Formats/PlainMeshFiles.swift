package import Platform
import Recording

/// Wavefront OBJ: text, with colours from 0 to 1 behind the coordinates, as MeshLab, Open3D and CloudCompare read them.
package enum OBJFile {
    /// A mesh, or its points alone.
    ///
    /// Numbers are the shortest that read back as the same; normals have four decimals, and places far from the origin six.
    package static func content(_ mesh: SurfaceMesh, isCloud: Bool = false, comments: [String] = []) -> FileContent {
        FileContent { take in
            let hasColours = mesh.hasColours
            var text = ByteWriter(reserving: 1 << 18)
            for line in ["Wavefront OBJ"] + comments { text.append(text: "# \(PlainLine.text(line))\n") }
            for point in mesh.points {
                append(point.position, mesh.origin, &text)
                if hasColours { append(colour: point.colour, &text) }
                text.append(text: "\n")
                try text.pass(to: take)
            }
            if !isCloud { try appendFaces(mesh, &text, take) }
            try text.pass(isLast: true, to: take)
        }
    }

    private static func append(_ place: SIMD3<Float>, _ origin: Vector3, _ text: inout ByteWriter) {
        text.append(text: "v")
        for axis in 0..<3 {
            text.append(text: " ")
            if origin == .zero {
                text.append(number: place[axis])
            } else {
                text.append(number: ((Double(place[axis]) + origin[axis]) * 1_000_000).rounded() / 1_000_000)
            }
        }
    }

    private static func append(colour: UInt32, _ text: inout ByteWriter) {
        let (red, green, blue) = colour.channels
        for channel in [red, green, blue] {
            text.append(text: " ")
            // Rounded up: readers that cut off what is behind the point of 255 times this get the same number.
            text.append(number: Float((Int(channel) * 10_000 + 254) / 255) / 10_000)
        }
    }

    /// Normals, and triangles whose corners have the normal of their own number; numbers count from 1.
    private static func appendFaces(
        _ mesh: SurfaceMesh,
        _ text: inout ByteWriter,
        _ take: ([UInt8]) throws -> Void
    ) throws {
        for point in mesh.points {
            let normal = (point.normal * 10_000).rounded(.toNearestOrEven) / 10_000
            text.append(text: "vn")
            for axis in 0..<3 {
                text.append(text: " ")
                text.append(number: normal[axis])
            }
            text.append(text: "\n")
            try text.pass(to: take)
        }
        for triangle in mesh.triangles {
            text.append(text: "f")
            for corner in [triangle.a, triangle.b, triangle.c] {
                text.append(text: " ")
                text.append(number: UInt64(corner) + 1)
                text.append(text: "//")
                text.append(number: UInt64(corner) + 1)
            }
            text.append(text: "\n")
            try text.pass(to: take)
        }
    }
}

/// Binary STL: triangles alone, each with its normal and its corners in single precision.
package enum STLFile {
    /// Nil for more triangles than the format counts.
    package static func content(_ mesh: SurfaceMesh, comments: [String] = []) -> FileContent? {
        guard let header = header(triangleCount: mesh.triangles.count, comments: comments) else { return nil }
        return FileContent { take in
            var writer = ByteWriter(reserving: 1 << 18)
            writer.append(header)
            for triangle in mesh.triangles {
                let corners = [triangle.a, triangle.b, triangle.c].map { mesh.points[Int($0)].position }
                writer.append(normal(corners))
                for corner in corners { writer.append(SIMD3<Float>(Vector3(corner) + mesh.origin)) }
                writer.append(UInt16(0))
                try writer.pass(to: take)
            }
            try writer.pass(isLast: true, to: take)
        }
    }

    /// 80 bytes of text, which must not begin as the text form does (`solid`), and the number of triangles.
    package static func header(triangleCount: Int, comments: [String]) -> [UInt8]? {
        guard let count = UInt32(exactly: triangleCount) else { return nil }
        // The name of the session comes last, as it may be long.
        let text = PlainLine.text((["binary STL"] + comments.reversed()).joined(separator: "; "))
        var writer = ByteWriter(reserving: 84)
        writer.append(Array((text + String(repeating: " ", count: 80)).utf8.prefix(80)))
        writer.append(count)
        return writer.bytes
    }

    /// Of unit length, outward; zero for a triangle without area.
    private static func normal(_ corners: [SIMD3<Float>]) -> SIMD3<Float> {
        let first = Vector3(corners[0])
        let normal = cross(Vector3(corners[1]) - first, Vector3(corners[2]) - first)
        return normal.length > 0 ? SIMD3<Float>(normal / normal.length) : .zero
    }
}
