package import NIOCore
package import WebSocket

/// Decides who may connect, and limits the number of connections and the memory that they hold together.
///
/// Belongs to the listener's event loop. One of these stands before each server, whatever it speaks.
/// Connections without a finished handshake ("strangers") never block others: when there are too many, the oldest one
/// is closed. When clients hold too much memory together, the one that holds most is closed.
package final class ConnectionLimiter {
    private struct Guest {
        var channel: any Channel
        var address: String
        var isClient = false
        var heldBytes = 0
    }

    /// Origins whose refusal is told.
    private static let toldOrigins = 20

    private let options: ServerOptions
    private var refusedOrigins: Set<String> = []
    private var guests: [ObjectIdentifier: Guest] = [:]
    /// In the order of arrival.
    private var strangers: [ObjectIdentifier] = []
    private var clientCount = 0
    private var heldBytes = 0

    package init(_ options: ServerOptions) { self.options = options }

    package func enter(_ channel: any Channel, address: String) {
        if strangers.count >= options.limits.strangers, let oldest = strangers.first {
            strangers.removeFirst()
            guests[oldest]?.channel.close(promise: nil)
        }
        let id = ObjectIdentifier(channel)
        guests[id] = Guest(channel: channel, address: address)
        strangers.append(id)
    }

    package func leave(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        guard let guest = guests.removeValue(forKey: id) else { return }
        heldBytes -= guest.heldBytes
        if guest.isClient { clientCount -= 1 } else { strangers.removeAll { $0 == id } }
    }

    /// Decides about a handshake request; returns a refusal for a page or token that is wrong, or too many clients.
    func admit(_ channel: any Channel, _ handshake: ServerHandshake) -> HandshakeRefusal? {
        admit(channel, target: handshake.target, fields: handshake.fields) { options.admission?(handshake) }
    }

    /// Decides about a request, of which a connection that stays open may have several.
    ///
    /// - Parameter other: why it is refused besides.
    package func admit(
        _ channel: any Channel,
        target: String,
        fields: [HTTPField],
        other: () -> HandshakeRefusal? = { nil }
    ) -> HandshakeRefusal? {
        if let refusal = options.refusal(target: target, fields: fields) ?? other() {
            options.refusedOrigin(fields).map(tell)
            return refusal
        }
        let id = ObjectIdentifier(channel)
        if guests[id]?.isClient == true { return nil }
        guard clientCount < options.limits.clients else {
            return HandshakeRefusal(status: 503, reason: "Service Unavailable", retryAfter: "10")
        }
        strangers.removeAll { $0 == id }
        guests[id]?.isClient = true
        clientCount += 1
        return nil
    }

    private func tell(refused origin: String) {
        let origin = Refusal.printable(origin, maximumLength: 200)
        guard refusedOrigins.count < Self.toldOrigins, refusedOrigins.insert(origin).inserted else { return }
        options.originRefused(origin)
    }

    /// Notes the number of bytes that a connection holds now.
    package func note(_ channel: any Channel, heldBytes count: Int) {
        let id = ObjectIdentifier(channel)
        guard let guest = guests[id] else { return }
        heldBytes += count - guest.heldBytes
        guests[id]?.heldBytes = count
        guard heldBytes > options.maximumHeldBytes,
            let largest = guests.max(by: { $0.value.heldBytes < $1.value.heldBytes })
        else { return }
        heldBytes -= largest.value.heldBytes
        guests[largest.key]?.heldBytes = 0
        let problem =
            "expected at most \(options.maximumHeldBytes) bytes under way from all clients, found more: most are its own"
        largest.value.channel.pipeline.fireErrorCaught(RosbridgeError(largest.value.address, .lost, problem))
    }

    /// Closes all connections without a finished handshake.
    package func closeStrangers() {
        for id in strangers { guests[id]?.channel.close(promise: nil) }
    }
}
