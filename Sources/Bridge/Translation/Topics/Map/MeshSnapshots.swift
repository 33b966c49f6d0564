import Maps
import Messages
import Sessions
import Text

/// `/mapping/mesh_snapshot`: the whole mesh as packed bytes, in the phone app's schema 2.
///
/// A mesh too large for a message is cut down to the blocks seen last, and says so; the counts and the size before that
/// are those of the whole.
struct MeshSnapshots: MapView {
    static let kind = TopicKind.meshSnapshot
    static let isWhole = true
    private let sessionName: String
    private let markerTopic: String?
    private var number = 0

    /// The most that the packed bytes take as JSON: rosbridge servers take 10 MB, and a room at 4 cm has 2.
    static let maximumBytes = 4_000_000

    init(_ context: SourceContext) {
        sessionName = context.summary.name
        markerTopic = context.enabled.contains(.meshMarkers) ? context.naming.name(.meshMarkers) : nil
    }

    static func set(_ header: Header, of content: inout MeshSnapshot) { content.header = header }

    mutating func contents(of map: LiveMap, isLast: Bool) async -> [MeshSnapshot] {
        guard let extractor = await map.extractor() else { return [] }
        let whole = await extractor.mesh().fromOrigin
        number += 1
        var message = message(whole, map)
        message.originalVertexCount = message.vertexCount
        message.originalTriangleCount = message.triangleCount
        message.originalPayloadBytes = UInt32(clamping: Self.payloadBytes(message))
        // Equal times are in the order of keys.
        let latest = map.history.enumerated()
            .sorted { ($1.element.use.latestFrame, $0.offset) < ($0.element.use.latestFrame, $1.offset) }
            .map(\.element.key)
        var count = latest.count
        while Self.payloadBytes(message) > Self.maximumBytes, count > 0 {
            count = min(count - 1, count * Self.maximumBytes / Self.payloadBytes(message))
            message.pack(await extractor.mesh(of: Array(latest.prefix(count))))
            message.isTruncated = true
        }
        message.publishedPayloadBytes = UInt32(clamping: Self.payloadBytes(message))
        return [message]
    }

    private func message(_ mesh: SurfaceMesh, _ map: LiveMap) -> MeshSnapshot {
        var message = MeshSnapshot()
        message.schemaVersion = 2
        message.snapshotID = "\(sessionName)-\(number)"
        message.source = "tsdf_fusion"
        message.frameID = FrameName.map
        message.anchorCount = 1
        message.compression = "mesh_snapshot_binary_base64"
        message.vertexEncoding = "float32_xyz_le_base64"
        message.vertexStrideBytes = 12
        message.indexEncoding = "uint32_le_base64"
        message.indexStrideBytes = 4
        message.pack(mesh)
        let metadata: JSONValue = [
            "fallback_marker_topic": markerTopic.map { .string($0) } ?? .null,
            "key_frames": .integer(Int64(map.frameCount)),
            "max_payload_bytes": .integer(Int64(Self.maximumBytes)),
            "voxel_size_m": .number(map.parameters.voxelSizeMetres),
        ]
        message.metadataJSON = metadata.text()
        return message
    }

    /// Returns the size of the packed bytes as base64 text, the form in which rosbridge carries them.
    private static func payloadBytes(_ message: MeshSnapshot) -> Int {
        (message.vertexData.count + 2) / 3 * 4 + (message.indexData.count + 2) / 3 * 4
    }
}

extension MeshSnapshot {
    fileprivate mutating func pack(_ mesh: SurfaceMesh) {
        vertexCount = UInt32(clamping: mesh.points.count)
        triangleCount = UInt32(clamping: mesh.triangles.count)
        (vertexData, indexData) = mesh.packed
    }
}
