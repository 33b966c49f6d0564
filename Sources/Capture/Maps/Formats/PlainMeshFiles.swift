import Recording
import Text

/// Wavefront OBJ: text, with normals, and colours behind the coordinates as MeshLab, CloudCompare and Open3D read them.
package enum OBJFile {
    /// Metres to 10 micrometres; colours are left out where no picture showed anything.
    ///
    /// - Parameter isCloud: true if the points are wanted, not the triangles.
    package static func bytes(_ mesh: SurfaceMesh, isCloud: Bool = false, comments: [String] = []) -> [UInt8] {
        var writer = ByteWriter(reserving: 512 + 80 * mesh.points.count + (isCloud ? 0 : 48 * mesh.triangles.count))
        for comment in comments { writer.append(text: "# \(PlainLine.text(comment))\n") }
        let hasColours = mesh.hasColours
        for point in mesh.points {
            let place = (0..<3).map { (Double(point.position[$0]) + mesh.origin[$0]).text(decimals: 5) }
            var line = "v " + place.joined(separator: " ")
            if hasColours {
                let (red, green, blue) = point.colour.channels
                line += [red, green, blue].map { " " + (Double($0) / 255).text(decimals: 4) }.joined()
            }
            writer.append(text: line + "\n")
        }
        for point in mesh.points {
            writer.append(
                text: "vn " + (0..<3).map { Double(point.normal[$0]).text(decimals: 4) }.joined(separator: " ") + "\n"
            )
        }
        guard !isCloud else { return writer.bytes }
        for triangle in mesh.triangles {
            let corners = [triangle.a, triangle.b, triangle.c].map { "\($0 + 1)//\($0 + 1)" }
            writer.append(text: "f " + corners.joined(separator: " ") + "\n")
        }
        return writer.bytes
    }
}

/// Binary STL: triangles alone, in single precision from the mesh's own origin; it has no colours and no frame.
package enum STLFile {
    private static let headerBytes = 80

    /// - Parameter comment: for the header, which must not begin with `solid`.
    package static func bytes(_ mesh: SurfaceMesh, comment: String) -> [UInt8] {
        var writer = ByteWriter(reserving: headerBytes + 4 + 50 * mesh.triangles.count)
        let header = Array(PlainLine.text(comment).utf8.prefix(headerBytes))
        writer.append(header + [UInt8](repeating: 0x20, count: headerBytes - header.count))
        writer.append(UInt32(clamping: mesh.triangles.count))
        let way = SIMD3<Float>(mesh.origin)
        for triangle in mesh.triangles {
            let corners = [triangle.a, triangle.b, triangle.c].map { mesh.points[Int($0)].position + way }
            let across = cross(Vector3(corners[1] - corners[0]), Vector3(corners[2] - corners[0]))
            writer.append(SIMD3<Float>(across.length > 0 ? across / across.length : .zero))
            for corner in corners { writer.append(corner) }
            writer.append(UInt16(0))
        }
        return writer.bytes
    }
}
