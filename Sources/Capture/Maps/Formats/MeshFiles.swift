import Glibc
import Recording
import Text

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
            writer.append(triangle)
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
    private static func header(_ mesh: SurfaceMesh, _ comments: [String], hasColours: Bool, isCloud: Bool) -> String {
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

/// Binary glTF 2.0 with one mesh: y up, as the session's world is, metres, linear vertex colours.
package enum GLBFile {
    /// A mesh; an empty one gives a file with an empty scene.
    ///
    /// - Parameter remark: What there is to say of the colours.
    package static func bytes(_ mesh: SurfaceMesh, remark: String? = nil) -> [UInt8] {
        let data = binary(mesh)
        var text = Array(document(mesh, byteCount: data.count, remark).utf8)
        while text.count % 4 != 0 { text.append(0x20) }
        let hasData = !data.isEmpty
        let length = 12 + 8 + text.count + (hasData ? 8 + data.count : 0)
        var writer = ByteWriter(reserving: 28)
        for value in [0x4654_6C67, 2, UInt32(clamping: length), UInt32(clamping: text.count), 0x4E4F_534A] {
            writer.append(value)
        }
        guard hasData else { return writer.bytes + text }
        var chunk = ByteWriter(reserving: 8)
        chunk.append(UInt32(clamping: data.count))
        chunk.append(0x004E_4942 as UInt32)
        return writer.bytes + text + chunk.bytes + data
    }

    /// Positions, normals and colours one kind after the other, then the triangles.
    private static func binary(_ mesh: SurfaceMesh) -> [UInt8] {
        guard !mesh.triangles.isEmpty else { return [] }
        var writer = ByteWriter(reserving: 32 * mesh.points.count + 12 * mesh.triangles.count)
        for point in mesh.points { writer.append(point.position) }
        for point in mesh.points { writer.append(point.normal) }
        if mesh.hasColours {
            for point in mesh.points { appendColour(point, &writer) }
        }
        for triangle in mesh.triangles { writer.append(triangle) }
        return writer.bytes
    }

    private static func appendColour(_ point: SurfacePoint, _ writer: inout ByteWriter) {
        let colour = point.colour.channels
        writer.append(linear[Int(colour.red)])
        writer.append(linear[Int(colour.green)])
        writer.append(linear[Int(colour.blue)])
        writer.append(UInt16.max)
    }

    /// glTF's vertex colours are linear, an image's are sRGB (IEC 61966-2-1).
    private static let linear: [UInt16] = (0..<256).map { value in
        let part = Double(value) / 255
        let light = part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        return UInt16((light * 65_535).rounded())
    }

    private static func document(_ mesh: SurfaceMesh, byteCount: Int, _ remark: String?) -> String {
        let extras = remark.map { #","extras":{"remark":\#(JSONValue.string($0).text())}"# } ?? ""
        let asset = #"{"asset":{"version":"2.0","generator":"mapeverything"\#(extras)},"scene":0"#
        guard let bounds = mesh.bounds, byteCount > 0 else { return asset + #","scenes":[{}]}"# }
        let (points, corners) = (mesh.points.count, 3 * mesh.triangles.count)
        func list(_ vector: SIMD3<Float>) -> String { "[\(vector.x),\(vector.y),\(vector.z)]" }
        func view(_ offset: Int, _ length: Int, _ target: Int) -> String {
            #"{"buffer":0,"byteOffset":\#(offset),"byteLength":\#(length),"target":\#(target)}"#
        }
        // Without colours the third accessor and view are left out, and those behind them move up.
        let hasColours = mesh.hasColours
        let (last, coloursEnd) = hasColours ? (3, 32) : (2, 24)
        var accessors = [
            #"{"bufferView":0,"componentType":5126,"count":\#(points),"type":"VEC3","min":\#(list(bounds.low)),"#
                + #""max":\#(list(bounds.high))}"#,
            #"{"bufferView":1,"componentType":5126,"count":\#(points),"type":"VEC3"}"#,
            #"{"bufferView":2,"componentType":5123,"normalized":true,"count":\#(points),"type":"VEC4"}"#,
            #"{"bufferView":\#(last),"componentType":5125,"count":\#(corners),"type":"SCALAR"}"#,
        ]
        if !hasColours { accessors.remove(at: 2) }
        var views = [
            view(0, 12 * points, 34_962), view(12 * points, 12 * points, 34_962),
            view(24 * points, 8 * points, 34_962), view(coloursEnd * points, 4 * corners, 34_963),
        ]
        if !hasColours { views.remove(at: 2) }
        let place = mesh.origin
        let moved = place == .zero ? "" : #","translation":[\#(place.x),\#(place.y),\#(place.z)]"#
        return asset
            + #","scenes":[{"nodes":[0]}],"nodes":[{"name":"map","mesh":0\#(moved)}],"meshes":[{"primitives":[{"#
            + #""attributes":{"POSITION":0,"NORMAL":1\#(hasColours ? #","COLOR_0":2"# : "")},"indices":\#(last),"material":0}]}],"#
            + #""materials":[{"pbrMetallicRoughness":{"metallicFactor":0,"roughnessFactor":1},"doubleSided":true}],"#
            + #""accessors":[\#(accessors.joined(separator: ","))],"bufferViews":[\#(views.joined(separator: ","))],"#
            + #""buffers":[{"byteLength":\#(byteCount)}]}"#
    }
}
