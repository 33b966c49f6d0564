import Glibc

/// Binary glTF 2.0 with one mesh: y up, as the session's world is, metres, linear vertex colours.
package enum GLBFile {
    /// A mesh; an empty one gives a file with an empty scene.
    package static func bytes(_ mesh: SurfaceMesh) -> [UInt8] {
        let data = binary(mesh)
        var text = Array(document(mesh, byteCount: data.count).utf8)
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
        for triangle in mesh.triangles {
            writer.append(triangle.a)
            writer.append(triangle.b)
            writer.append(triangle.c)
        }
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

    private static func document(_ mesh: SurfaceMesh, byteCount: Int) -> String {
        let asset = #"{"asset":{"version":"2.0","generator":"mapeverything"},"scene":0"#
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
