/// Files that begin before the one in front of them ends: players read one after the other.
final class ChunkOverlapCheck: MessageCheck {
    private struct Extent {
        var first: Int64
        var last: Int64
    }

    private var current: Extent?
    private var previous: (name: String, last: Int64)?

    func examine(_ message: ExaminedMessage, _ context: CheckContext) {
        let time = message.timeNanoseconds
        current = Extent(first: min(current?.first ?? time, time), last: max(current?.last ?? time, time))
    }

    func finishFile(_ file: Int, _ name: String, _ context: CheckContext) {
        guard let extent = current else { return }
        if let previous, extent.first < previous.last {
            let expected = "no time before the end of \(previous.name), \(previous.last) ns"
            context.at(Spot(file: name, timeNanoseconds: extent.first))
                .add(foreign: .warning, .bagChunkOverlap, expected, "\(extent.first) ns")
        }
        previous = (name, max(previous?.last ?? extent.last, extent.last))
        current = nil
    }
}
