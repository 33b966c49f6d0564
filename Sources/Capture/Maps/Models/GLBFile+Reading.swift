import Platform
import Recording
import Text

// Binary glTF 2.0 with its data in the file (Khronos 2.0.1): triangles and points, with colours of corners or one for all.
extension GLBFile {
    /// More corners are not placed: many nodes may show one mesh.
    private static let maximumPlaced = 30_000_000

    static func read(_ bytes: UnsafeRawBufferPointer, into model: inout SurfaceModel) throws(ModelProblem) {
        var reader = ByteReader(bytes)
        guard reader.next(UInt32.self) == 0x4654_6C67 else {
            throw ModelProblem("a binary glTF file", found: "other bytes")
        }
        let version = reader.next(UInt32.self)
        guard version == 2, let length = reader.next(UInt32.self) else {
            throw ModelProblem("glTF 2", found: "version \(version.map { "\($0)" } ?? "cut off")")
        }
        guard length <= bytes.count else { throw ModelProblem("\(length) bytes", found: "\(bytes.count)") }
        let text = try chunk(&reader, kind: 0x4E4F_534A, "JSON")
        let data =
            reader.remaining >= 8
            ? try chunk(&reader, kind: 0x004E_4942, "BIN") : UnsafeRawBufferPointer(rebasing: bytes[..<0])
        let document: JSONValue
        do throws(JSONError) { document = try JSONValue.parse(text) } catch {
            throw ModelProblem("JSON", found: "\(error)")
        }
        model.isYUp = true
        try GLBScene(document, ByteReader(data)).place(into: &model, atMost: maximumPlaced)
    }

    private static func chunk(
        _ reader: inout ByteReader,
        kind: UInt32,
        _ name: String
    ) throws(ModelProblem) -> UnsafeRawBufferPointer {
        guard let length = reader.next(UInt32.self), reader.next(UInt32.self) == kind else {
            throw ModelProblem("a chunk of \(name)", found: "none")
        }
        guard let chunk = reader.take(Int(length)) else {
            throw ModelProblem("\(length) bytes of \(name)", found: "\(reader.remaining)")
        }
        return chunk
    }
}
