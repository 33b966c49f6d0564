import NIOCore
import Rosbridge
package import WebSocket

/// The packets that wait for one receiver, within a bound: what does not fit is dropped, the oldest images and clouds
/// first, or waited for.
package struct ArvosQueue: ClientQueue {
    /// Greetings and answers that may wait: a receiver that asks and does not read is given up.
    private static let controlLimit = 4096

    private let byteLimit: Int
    private let waits: Bool
    private var packets: CircularBuffer<ArvosPacket> = []
    private var byteCount = 0
    private var controlCount = 0
    package private(set) var dropped: [ArvosStream: Int] = [:]

    /// - Parameter waits: True if a producer waits for room.
    package init(byteLimit: Int, waits: Bool) { (self.byteLimit, self.waits) = (byteLimit, waits) }

    package var isOverrun: Bool { controlCount > Self.controlLimit }

    package func isUrgent(_ packet: ArvosPacket) -> Bool { packet.stream == nil }

    package mutating func offer(_ packet: ArvosPacket) -> Bool {
        if !waits { makeRoom(for: packet) }
        guard isUrgent(packet) || packets.isEmpty || byteCount + packet.byteCount <= byteLimit else {
            if waits { return false }
            noteUnsent(packet)
            return true
        }
        packets.append(packet)
        byteCount += packet.byteCount
        if isUrgent(packet) { controlCount += 1 }
        return true
    }

    package mutating func next(nowNanoseconds: Int64) -> ArvosPacket? {
        guard let packet = packets.popFirst() else { return nil }
        byteCount -= packet.byteCount
        if isUrgent(packet) { controlCount -= 1 }
        return packet
    }

    package mutating func messages(of packet: ArvosPacket) -> [OutgoingMessage] {
        [OutgoingMessage(packet.message.kind, packet.message.payload)]
    }

    package mutating func noteSent(_ packet: ArvosPacket) {}

    package mutating func noteUnsent(_ packet: ArvosPacket) {
        if let stream = packet.stream { dropped[stream, default: 0] += 1 }
    }

    package mutating func giveUp() {
        while let packet = next(nowNanoseconds: 0) { noteUnsent(packet) }
    }

    private mutating func makeRoom(for packet: ArvosPacket) {
        while byteCount + packet.byteCount > byteLimit {
            guard let oldest = packets.firstIndex(where: { $0.stream == .camera || $0.stream == .depth }) else {
                return
            }
            byteCount -= packets[oldest].byteCount
            noteUnsent(packets[oldest])
            packets.remove(at: oldest)
        }
    }
}

/// A message as it goes over the wire, encoded once for all who receive it.
package struct ArvosPacket: Sendable {
    /// Nil for greetings and answers, which are never dropped.
    package var stream: ArvosStream?
    package var message: WebSocketMessage

    package init(stream: ArvosStream?, message: WebSocketMessage) {
        self.stream = stream
        self.message = message
    }

    package var byteCount: Int { message.payload.count }
}

/// Counts of messages that were changed so that they could be sent.
package struct ArvosEncodingCounts: Sendable, Hashable {
    /// Images that were encoded again, to fit into a message of 1 MiB.
    package var shrunkImages = 0
    /// Clouds of which points were left out, for the same reason.
    package var thinnedClouds = 0
    package var keptPoints = 0
    package var offeredPoints = 0
    /// Messages that have no form in Arvos, by what is wrong.
    package var unusable: [String: Int] = [:]
    /// Samples of an IMU without attitude: gravity cannot be told from acceleration.
    package var withoutGravity = 0
}
