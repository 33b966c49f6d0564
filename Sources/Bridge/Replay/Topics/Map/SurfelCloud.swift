import Maps
import Messages

/// `/mapping/surfels`: small discs of the surface, 40 bytes each: position, normal, radius, confidence, colour, and how
/// many frames saw it.
struct SurfelCloud: MapView {
    static let kind = TopicKind.surfels
    static let delivery = Delivery.latest
    static let isWhole = true
    private let colour: CloudColour

    /// More would exceed, as base64 text, the 10 MB that rosbridge servers take.
    static let maximumCount = 180_000
    private static let bytesPerSurfel = 40

    init(_ context: SourceContext) { colour = context.conventions.cloudColour }

    static func set(_ header: Header, of content: inout PointCloud2) { content.header = header }

    func contents(of map: LiveMap, isLast: Bool) async -> [PointCloud2] {
        guard let extractor = await map.extractor() else { return [] }
        let surfels = Surfel.surest(await extractor.surfels(), atMost: Self.maximumCount)
        return surfels.isEmpty ? [] : [cloud(surfels)]
    }

    private func cloud(_ surfels: [Surfel]) -> PointCloud2 {
        var message = PointCloud2()
        message.height = 1
        message.width = UInt32(surfels.count)
        let names = ["x", "y", "z", "normal_x", "normal_y", "normal_z", "radius", "confidence", "rgb"]
        message.fields = (names + ["observation_count"]).enumerated().map { place, name in
            let isInteger = name == "observation_count" || name == "rgb" && colour == .uint32
            var field = PointField()
            field.name = name
            field.offset = UInt32(place) * 4
            field.datatype = isInteger ? PointField.uint32 : PointField.float32
            field.count = 1
            return field
        }
        message.pointStep = UInt32(Self.bytesPerSurfel)
        message.rowStep = message.pointStep * message.width
        message.data = Surfel.packed(surfels)
        message.isDense = true
        return message
    }
}
