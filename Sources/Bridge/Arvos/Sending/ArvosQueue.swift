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

    /// - Parameter waits: whether a producer waits for room.
    package init(byteLimit: Int, waits: Bool) {
        self.byteLimit = byteLimit
        self.waits = waits
    }

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
