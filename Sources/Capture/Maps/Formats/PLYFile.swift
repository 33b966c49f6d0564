import Recording

/// Stanford PLY 1.0, binary and little-endian.
///
/// Comments are lines of text that say what no property does, such as frame and unit.
package enum PLYFile {
    /// A mesh: corners with normal and colour, and triangles.
    package static func bytes(_ mesh: SurfaceMesh, comments: [String] = []) -> [UInt8] {
        var writer = ByteWriter(reserving: 512 + 27 * mesh.points.count + 13 * mesh.triangles.count)
        let hasColours = mesh.hasColours
        writer.append(text: header(mesh, comments, hasColours: hasColours, isCloud: false))
        for point in mesh.points { append(point, mesh.origin, hasColours, &writer) }
        for triangle in mesh.triangles {
            writer.append(UInt8(3))
            writer.append(triangle.a)
            writer.append(triangle.b)
            writer.append(triangle.c)
        }
        return writer.bytes
    }

    /// The points of a mesh, with normal, colour and weight.
    package static func cloud(_ mesh: SurfaceMesh, comments: [String] = []) -> [UInt8] {
        var writer = ByteWriter(reserving: 512 + 31 * mesh.points.count)
        let hasColours = mesh.hasColours
        writer.append(text: header(mesh, comments, hasColours: hasColours, isCloud: true))
        for point in mesh.points {
            append(point, mesh.origin, hasColours, &writer)
            writer.append(point.weight)
        }
        return writer.bytes
    }

    private static func append(
        _ point: SurfacePoint,
        _ origin: Vector3,
        _ hasColours: Bool,
        _ writer: inout ByteWriter
    ) {
        writer.append(point.position, from: origin)
        writer.append(point.normal)
        guard hasColours else { return }
        let colour = point.colour.channels
        writer.append(colour.red)
        writer.append(colour.green)
        writer.append(colour.blue)
    }

    /// Colours are left out where no picture showed anything; places far from the origin are in double precision.
    private static func header(
        _ mesh: SurfaceMesh,
        _ comments: [String],
        hasColours: Bool,
        isCloud: Bool
    ) -> String {
        var lines = ["ply", "format binary_little_endian 1.0"]
        lines += comments.map { "comment " + PlainLine.text($0) }
        lines.append("element vertex \(mesh.points.count)")
        lines += ["x", "y", "z"].map { "property \(mesh.origin == .zero ? "float" : "double") \($0)" }
        lines += ["nx", "ny", "nz"].map { "property float \($0)" }
        if hasColours { lines += ["red", "green", "blue"].map { "property uchar \($0)" } }
        // CloudCompare takes a further property without a question if its name begins like this.
        if isCloud {
            lines.append("property float scalar_weight")
        } else {
            lines += ["element face \(mesh.triangles.count)", "property list uchar uint vertex_indices"]
        }
        return (lines + ["end_header", ""]).joined(separator: "\n")
    }
}
