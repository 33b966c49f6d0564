import Messages

/// Checks that each image has the camera_info of its very time, and the same size.
///
/// One message alone at either end of a bag is worth a note only: recording began or ended between the two.
final class PairingCheck: MessageCheck {
    private struct Pair {
        let image: String
        let info: String
        var pairing = StampPairing()
        /// True if either side has come at all.
        var hasImages = false
        var hasInfos = false
        /// The earliest and the latest stamp of either side.
        var stamps: (first: Int64, last: Int64)?

        mutating func note(_ stamp: Int64) {
            stamps = (min(stamps?.first ?? stamp, stamp), max(stamps?.last ?? stamp, stamp))
        }
    }

    /// The endings that image_transport appends to the name of an image topic.
    private static let transports = ["compressed", "compressedDepth", "theora", "zstd", "ffmpeg", "draco"]

    /// The pairs by image topic.
    private var pairs: [String: Pair] = [:]
    /// Entries of info topics that came before any image topic of theirs was known, and after.
    private var imagesByInfo: [String: [String]] = [:]
    private var earlyInfos: [String: [StampPairing.Entry]] = [:]
    private static let keptEarly = 256

    func examine(_ message: ExaminedMessage, _ context: CheckContext) {
        guard message.topic.isOfCamera, let stamp = message.stampNanoseconds else { return }
        var entry = StampPairing.Entry(stampNanoseconds: stamp, spot: message.spot)
        switch message.content {
        case let image as Image:
            entry.size = ImageFileHeader.Size(width: Int(image.width), height: Int(image.height))
            take(image: entry, of: message.topic.name, context)
        case let image as CompressedImage:
            entry.size = CompressedImageRules.imageFile(in: image).flatMap { ImageFileHeader.size(of: $0) }
            take(image: entry, of: message.topic.name, context)
        case let info as CameraInfo:
            entry.size = ImageFileHeader.Size(width: Int(info.width), height: Int(info.height))
            take(info: entry, of: message.topic.name, context)
        default: break
        }
    }

    func finish(_ context: CheckContext) {
        for image in pairs.keys.sorted() {
            guard let pair = pairs[image], pair.hasImages, pair.hasInfos else { continue }
            for (side, entry) in pair.pairing.unpaired { report(entry, of: side, pair, context) }
        }
    }

    private func take(image entry: StampPairing.Entry, of topic: String, _ context: CheckContext) {
        let info = Self.infoTopic(of: topic)
        if pairs[topic] == nil {
            pairs[topic] = Pair(image: topic, info: info)
            imagesByInfo[info, default: []].append(topic)
            for early in earlyInfos[info] ?? [] { pair(early, .info, in: topic, context) }
        }
        pair(entry, .image, in: topic, context)
    }

    private func take(info entry: StampPairing.Entry, of topic: String, _ context: CheckContext) {
        var early = earlyInfos[topic] ?? []
        if early.count < Self.keptEarly {
            early.append(entry)
            earlyInfos[topic] = early
        }
        for image in imagesByInfo[topic] ?? [] { pair(entry, .info, in: image, context) }
    }

    private func pair(
        _ entry: StampPairing.Entry,
        _ side: StampPairing.Side,
        in image: String,
        _ context: CheckContext
    ) {
        guard var pair = pairs[image] else { return }
        if side == .image { pair.hasImages = true } else { pair.hasInfos = true }
        pair.note(entry.stampNanoseconds)
        let (partner, unpaired) = pair.pairing.take(entry, of: side)
        pairs[image] = pair
        if let unpaired, pair.hasImages, pair.hasInfos { report(unpaired, of: side, pair, context) }
        guard let partner, let size = entry.size, let other = partner.size, size != other else { return }
        let (imageSize, infoSize) = side == .image ? (size, other) : (other, size)
        let expected = "\(imageSize.width) x \(imageSize.height), as \(image)"
        let found = "\(infoSize.width) x \(infoSize.height)"
        context.at(entry.spot, topic: pair.info).add(foreign: .warning, .cameraSize, expected, found)
    }

    private func report(
        _ entry: StampPairing.Entry,
        of side: StampPairing.Side,
        _ pair: Pair,
        _ context: CheckContext
    ) {
        // One calibration may serve several image topics, of which some come less often.
        if side == .info, imagesByInfo[pair.info]?.count ?? 0 > 1 { return }
        let (topic, other) = side == .image ? (pair.image, pair.info) : (pair.info, pair.image)
        let isAtEnd = pair.stamps.map { [$0.first, $0.last].contains(entry.stampNanoseconds) } ?? false
        let severity = isAtEnd ? .note : context.findings.severity(foreign: .warning)
        let expected = "a message of \(other) with the same stamp"
        context.at(entry.spot, topic: topic)
            .add(severity, .cameraUnpaired, expected, "none of \(entry.stampNanoseconds) ns")
    }

    /// `camera_info` beside the image topic, whatever transport it has.
    private static func infoTopic(of image: String) -> String {
        var parts = image.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count > 1, let last = parts.last, transports.contains(String(last)) { parts.removeLast() }
        parts.removeLast()
        return (parts + ["camera_info"]).joined(separator: "/")
    }
}

/// Pairs the stamps of two topics, whichever comes first, with few of them waiting.
struct StampPairing {
    struct Entry {
        var stampNanoseconds: Int64
        var spot: Spot
        var size: ImageFileHeader.Size?
    }

    enum Side { case image, info }

    /// So many later ones of the same topic may come before the partner does.
    private static let patience = 256

    private var waitingImages: [Entry] = []
    private var waitingInfos: [Entry] = []

    /// Takes an entry of one side; returns its partner, or the entry of the same side that has waited too long.
    mutating func take(_ entry: Entry, of side: Side) -> (partner: Entry?, unpaired: Entry?) {
        switch side {
        case .image: Self.take(entry, own: &waitingImages, other: &waitingInfos)
        case .info: Self.take(entry, own: &waitingInfos, other: &waitingImages)
        }
    }

    /// The entries without a partner when all is read.
    var unpaired: [(side: Side, entry: Entry)] {
        waitingImages.map { (.image, $0) } + waitingInfos.map { (.info, $0) }
    }

    private static func take(
        _ entry: Entry,
        own: inout [Entry],
        other: inout [Entry]
    ) -> (partner: Entry?, unpaired: Entry?) {
        if let index = other.firstIndex(where: { $0.stampNanoseconds == entry.stampNanoseconds }) {
            return (other.remove(at: index), nil)
        }
        own.append(entry)
        return (nil, own.count > patience ? own.removeFirst() : nil)
    }
}
