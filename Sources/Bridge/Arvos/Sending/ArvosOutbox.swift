import NIOCore
import Rosbridge
import WebSocket

/// The packets that wait for one client, within a bound: what does not fit is dropped, the oldest images and clouds
/// first, or waited for.
actor ArvosOutbox {
    private let loop: any EventLoop
    private let byteLimit: Int
    private let waits: Bool
    private var packets: CircularBuffer<ArvosPacket> = []
    private var byteCount = 0
    private var consumer: CheckedContinuation<Void, Never>?
    private var producer: CheckedContinuation<Void, Never>?
    private var isFinished = false
    private(set) var dropped: [ArvosStream: Int] = [:]

    /// - Parameter waits: whether a producer waits for room.
    init(on loop: any EventLoop, byteLimit: Int, waits: Bool) {
        self.loop = loop
        self.byteLimit = byteLimit
        self.waits = waits
    }

    /// Runs where the connection is: a packet costs no change of threads.
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// Sends what comes until the end, and returns what ended it; nil when all was sent.
    func drain(to transport: WebSocketTransport) async -> (any Error)? {
        do {
            while let packet = await take() { try await transport.send(packet.message) }
            await transport.close(.normal)
            return nil
        } catch {
            return error
        }
    }

    func offer(_ packet: ArvosPacket) async {
        while waits, !isFinished, !packets.isEmpty, byteCount + packet.byteCount > byteLimit {
            await withCheckedContinuation { producer = $0 }
        }
        guard !isFinished else { return }
        if !waits { makeRoom(for: packet) }
        guard waits || packets.isEmpty || byteCount + packet.byteCount <= byteLimit || packet.stream == nil else {
            return noteDropped(packet)
        }
        packets.append(packet)
        byteCount += packet.byteCount
        consumer?.resume()
        consumer = nil
    }

    /// The next packet; nil at the end, when nothing waits any more.
    private func take() async -> ArvosPacket? {
        while packets.isEmpty {
            guard !isFinished else { return nil }
            await withCheckedContinuation { consumer = $0 }
        }
        let packet = packets.removeFirst()
        byteCount -= packet.byteCount
        producer?.resume()
        producer = nil
        return packet
    }

    /// Nothing more comes; what waits is still sent, unless it is dropped.
    func finish(droppingRest: Bool = false) {
        isFinished = true
        if droppingRest {
            for packet in packets { noteDropped(packet) }
            packets.removeAll()
            byteCount = 0
        }
        consumer?.resume()
        consumer = nil
        producer?.resume()
        producer = nil
    }

    private func makeRoom(for packet: ArvosPacket) {
        while byteCount + packet.byteCount > byteLimit {
            guard let oldest = packets.firstIndex(where: { $0.stream == .camera || $0.stream == .depth }) else {
                return
            }
            byteCount -= packets[oldest].byteCount
            noteDropped(packets[oldest])
            packets.remove(at: oldest)
        }
    }

    private func noteDropped(_ packet: ArvosPacket) {
        if let stream = packet.stream { dropped[stream, default: 0] += 1 }
    }
}
