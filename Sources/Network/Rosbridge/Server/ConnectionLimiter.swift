import NIOCore
import WebSocket

/// Limits the number of connections and the memory that they hold together; belongs to the listener's event loop.
///
/// Connections without a finished handshake ("strangers") never block others: when there are too many, the oldest one
/// is closed. When clients hold too much memory together, the one that holds most is closed.
final class ConnectionLimiter {
    private struct Guest {
        var channel: any Channel
        var address: String
        var isClient = false
        var heldBytes = 0
    }

    private let limits: ServerLimits
    private let token: AccessToken?
    private let maximumHeldBytes: Int
    private var guests: [ObjectIdentifier: Guest] = [:]
    /// In the order of arrival.
    private var strangers: [ObjectIdentifier] = []
    private var clientCount = 0
    private var heldBytes = 0

    init(_ options: ServerOptions) {
        limits = options.limits
        token = options.token
        maximumHeldBytes = options.maximumHeldBytes
    }

    func enter(_ channel: any Channel, address: String) {
        if strangers.count >= limits.strangers, let oldest = strangers.first {
            strangers.removeFirst()
            guests[oldest]?.channel.close(promise: nil)
        }
        let id = ObjectIdentifier(channel)
        guests[id] = Guest(channel: channel, address: address)
        strangers.append(id)
    }

    func leave(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        guard let guest = guests.removeValue(forKey: id) else { return }
        heldBytes -= guest.heldBytes
        if guest.isClient { clientCount -= 1 } else { strangers.removeAll { $0 == id } }
    }

    /// Decides about a handshake request; returns a refusal for a wrong token or too many clients.
    func admit(_ channel: any Channel, _ handshake: ServerHandshake) -> HandshakeRefusal? {
        if let token, !token.isShown(in: handshake) {
            return HandshakeRefusal(status: 401, reason: "Unauthorized", challenge: AccessToken.challenge)
        }
        guard clientCount < limits.clients else {
            return HandshakeRefusal(status: 503, reason: "Service Unavailable", retryAfter: "10")
        }
        let id = ObjectIdentifier(channel)
        strangers.removeAll { $0 == id }
        guests[id]?.isClient = true
        clientCount += 1
        return nil
    }

    /// Notes the number of bytes that a connection holds now.
    func note(_ channel: any Channel, heldBytes count: Int) {
        let id = ObjectIdentifier(channel)
        guard let guest = guests[id] else { return }
        heldBytes += count - guest.heldBytes
        guests[id]?.heldBytes = count
        guard heldBytes > maximumHeldBytes, let largest = guests.max(by: { $0.value.heldBytes < $1.value.heldBytes })
        else { return }
        heldBytes -= largest.value.heldBytes
        guests[largest.key]?.heldBytes = 0
        let problem =
            "expected at most \(maximumHeldBytes) bytes under way from all clients, found more: most are its own"
        largest.value.channel.pipeline.fireErrorCaught(RosbridgeError(largest.value.address, .lost, problem))
    }

    /// Closes all connections without a finished handshake.
    func closeStrangers() {
        for id in strangers { guests[id]?.channel.close(promise: nil) }
    }
}
