import Messages
import Recording
import Sessions

/// The satellite tile under the device, as an image and as what is known of it, both with one stamp.
struct SatelliteTopics: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.samples(.location)
    let rateHertz: Double?
    private let image: Topic?
    private let info: Topic?
    private let context: SourceContext
    private var diagnostics = Diagnostics()

    init?(_ context: SourceContext) {
        image = context.topic(.satelliteImage)
        info = context.topic(.satelliteTileInfo)
        topics = [image, info].compactMap { $0 }
        guard !topics.isEmpty else { return nil }
        rateHertz = context.rateHertz(image == nil ? .satelliteTileInfo : .satelliteImage)
        self.context = context
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard case .location(let fix) = item.record,
            let tile = context.tiles.tile(.satelliteImagery, under: fix, &diagnostics)
        else { return }
        let header = Header(stampNanoseconds: stamp, frameID: FrameName.earth)
        if let image {
            var message = CompressedImage()
            message.header = header
            // Colours stay as stored; image_transport expects the original and the packed encoding in `format`.
            message.format = context.conventions.imageFormat.text(tile.layer.format.rawValue)
            message.data = tile.bytes
            batch.append(StampedMessage(topic: image, timeNanoseconds: stamp, message: message))
        }
        if let info {
            var message = GeoTileInfo()
            message.describe(tile, under: fix, header: header, stamp: stamp)
            batch.append(StampedMessage(topic: info, timeNanoseconds: stamp, message: message))
        }
    }

    mutating func takeDiagnostics() -> Diagnostics {
        defer { diagnostics = Diagnostics() }
        return diagnostics
    }
}

/// The elevation tile under the device, with its bytes.
struct ElevationTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.samples(.location)
    let rateHertz: Double?
    private let context: SourceContext
    private var diagnostics = Diagnostics()

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.elevationTile) else { return nil }
        topics = [topic]
        rateHertz = context.rateHertz(.elevationTile)
        self.context = context
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard case .location(let fix) = item.record,
            let tile = context.tiles.tile(.elevation, under: fix, &diagnostics)
        else { return }
        var message = GeoRasterTile()
        let header = Header(stampNanoseconds: stamp, frameID: FrameName.earth)
        message.info.describe(tile, under: fix, header: header, stamp: stamp)
        message.encoding = tile.layer.encoding
        message.data = String(decoding: Base64.encode(tile.bytes), as: UTF8.self)
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }

    mutating func takeDiagnostics() -> Diagnostics {
        defer { diagnostics = Diagnostics() }
        return diagnostics
    }
}

extension TileStore {
    fileprivate func tile(_ kind: TileKind, under fix: LocationSample, _ diagnostics: inout Diagnostics) -> StoredTile?
    {
        tile(kind, latitudeDegrees: fix.latitudeDegrees, longitudeDegrees: fix.longitudeDegrees, &diagnostics)
    }
}
