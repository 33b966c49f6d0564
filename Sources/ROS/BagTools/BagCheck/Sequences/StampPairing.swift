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
