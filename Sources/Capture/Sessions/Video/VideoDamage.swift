/// A picture of a video as it is stored.
struct VideoPacket: Hashable, Sendable {
    /// When it is shown.
    var time: Int64
    /// Whether it needs no picture before it.
    var isKey: Bool
}

/// The times of the pictures that damage of a video reaches: those that do not decode, and those that are made from them.
///
/// ffmpeg conceals what does not decode, and makes all that follows from it, up to the next key picture.
enum VideoDamage {
    /// - Parameters:
    ///   - packets: in the order of the file, in which they are decoded.
    ///   - decoded: the times of those that decode without any damage.
    ///   - isFoundAtOnce: whether the decoder finds damage in the picture in which it begins; where not, the one before may
    ///     be damaged too.
    static func times(_ packets: [VideoPacket], decoded: Set<Int64>, isFoundAtOnce: Bool) -> Set<Int64> {
        var times: Set<Int64> = []
        var isReached = false
        for (place, packet) in packets.enumerated() {
            if packet.isKey { isReached = false }
            if !decoded.contains(packet.time) { isReached = true }
            if !isFoundAtOnce, place + 1 < packets.count, !decoded.contains(packets[place + 1].time) {
                isReached = true
            }
            if isReached { times.insert(packet.time) }
        }
        return times
    }
}
