/// Stanford PLY 1.0, binary and little-endian.
///
/// Comments are lines of text that say what no property does, such as frame and unit.
package enum PLYFile {
    /// A mesh: corners with normal and colour, and triangles.
    package static func bytes(_ mesh: SurfaceMesh, comments: [String] = []) -> [UInt8] {
        var writer = ByteWriter(reserving: 512 + 27 * mesh.points.count + 13 * mesh.triangles.count)
        writer.append(text: header(mesh.points.count, comments, hasWeight: false, triangles: mesh.triangles.count))
        for point in mesh.points { append(point, &writer) }
        for triangle in mesh.triangles {
            writer.append(UInt8(3))
            writer.append(triangle.a)
            writer.append(triangle.b)
            writer.append(triangle.c)
        }
        return writer.bytes
    }

    /// Points with normal, colour and weight.
    package static func bytes(_ points: [SurfacePoint], comments: [String] = []) -> [UInt8] {
        var writer = ByteWriter(reserving: 512 + 31 * points.count)
        writer.append(text: header(points.count, comments, hasWeight: true, triangles: nil))
        for point in points {
            append(point, &writer)
            writer.append(point.weight)
        }
        return writer.bytes
    }

    private static func append(_ point: SurfacePoint, _ writer: inout ByteWriter) {
        writer.append(point.position)
        writer.append(point.normal)
        let colour = point.colour.channels
        writer.append(colour.red)
        writer.append(colour.green)
        writer.append(colour.blue)
    }

    private static func header(_ count: Int, _ comments: [String], hasWeight: Bool, triangles: Int?) -> String {
        var lines = ["ply", "format binary_little_endian 1.0"]
        lines += comments.map { "comment " + PlainLine.text($0) }
        lines.append("element vertex \(count)")
        lines += ["x", "y", "z", "nx", "ny", "nz"].map { "property float \($0)" }
        lines += ["red", "green", "blue"].map { "property uchar \($0)" }
        // CloudCompare takes a further property without a question if its name begins like this.
        if hasWeight { lines.append("property float scalar_weight") }
        if let triangles { lines += ["element face \(triangles)", "property list uchar uint vertex_indices"] }
        return (lines + ["end_header", ""]).joined(separator: "\n")
    }
}
