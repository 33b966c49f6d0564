import Recording

/// The Point Cloud Library's PCD 0.7, binary.
package enum PCDFile {
    /// Points with colour (0x00RRGGBB in the bits of a float, as PCL has it), normal and weight.
    ///
    /// Colours are left out where no picture showed anything; places far from the origin are in double precision.
    package static func bytes(_ mesh: SurfaceMesh, comments: [String] = []) -> [UInt8] {
        let count = mesh.points.count
        let hasColours = mesh.hasColours
        let place = mesh.origin == .zero ? "4 4 4" : "8 8 8"
        var writer = ByteWriter(reserving: 512 + 32 * count)
        var lines = ["# .PCD v0.7 - Point Cloud Data file format"]
        lines += comments.map { "# " + PlainLine.text($0) }
        lines += [
            "VERSION 0.7",
            "FIELDS x y z\(hasColours ? " rgb" : "") normal_x normal_y normal_z weight",
            "SIZE \(place)\(hasColours ? " 4" : "") 4 4 4 4", "TYPE F F F\(hasColours ? " F" : "") F F F F",
            "COUNT 1 1 1\(hasColours ? " 1" : "") 1 1 1 1", "WIDTH \(count)", "HEIGHT 1", "VIEWPOINT 0 0 0 1 0 0 0",
            "POINTS \(count)",
            "DATA binary", "",
        ]
        writer.append(text: lines.joined(separator: "\n"))
        for point in mesh.points {
            writer.append(point.position, from: mesh.origin)
            if hasColours { writer.append(point.colour) }
            writer.append(point.normal)
            writer.append(point.weight)
        }
        return writer.bytes
    }
}
