package import NIOCore
package import WebSocket

/// Decides who may connect, and limits the number of connections and the memory that they hold together.
///
/// Belongs to the listener's event loop. One of these stands before each server, whatever it speaks.
/// Connections without a finished handshake ("strangers") never block others: when there are too many, the oldest one
/// of the address that has most of them is closed. When there are too many clients, those that say nothing lose their place
/// (``PlaceWanted``). When clients hold too much memory together, the one that holds most is closed.
package final class ConnectionLimiter {
    private struct Guest {
        var channel: any Channel
        var address: String
        var isClient = false
        var heldBytes = 0
    }

    private struct Stranger {
        var id: ObjectIdentifier
        /// The address without its port.
        var host: String
    }

    /// Origins whose refusal is told.
    private static let toldOrigins = 20

    private let options: ServerOptions
    private var refusedOrigins: Set<String> = []
    private var guests: [ObjectIdentifier: Guest] = [:]
    /// In the order of arrival.
    private var strangers: [Stranger] = []
    private var clientCount = 0
    private var crowd: CrowdTally
    private var heldBytes = 0

    package init(_ options: ServerOptions) {
        self.options = options
        crowd = CrowdTally(options.limits, tell: options.crowdNotice)
    }

    package func enter(_ channel: any Channel, from remote: SocketAddress?) {
        if strangers.count >= options.limits.strangers { sendStrangerAway() }
        let id = ObjectIdentifier(channel)
        guests[id] = Guest(channel: channel, address: remote.text)
        strangers.append(Stranger(id: id, host: remote?.ipAddress ?? "unknown"))
    }

    /// Who opens many connections pays for it: others may need some time for their handshake.
    private func sendStrangerAway() {
        let counts = Dictionary(grouping: strangers, by: \.host).mapValues(\.count)
        let most = counts.values.max()
        guard let index = strangers.firstIndex(where: { counts[$0.host] == most }) else { return }
        guests[strangers.remove(at: index).id]?.channel.close(promise: nil)
        crowd.countSentAway()
    }

    package func leave(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        guard let guest = guests.removeValue(forKey: id) else { return }
        heldBytes -= guest.heldBytes
        if guest.isClient { clientCount -= 1 } else { strangers.removeAll { $0.id == id } }
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
        if clientCount >= options.limits.clients { askForPlaces() }
        guard clientCount < options.limits.clients else {
            crowd.countRefused()
            return HandshakeRefusal(status: 503, reason: "Service Unavailable", retryAfter: PlaceWanted.retryAfter)
        }
        strangers.removeAll { $0.id == id }
        guests[id]?.isClient = true
        clientCount += 1
        return nil
    }

    private func askForPlaces() {
        for guest in guests.values where guest.isClient {
            guest.channel.pipeline.fireUserInboundEventTriggered(PlaceWanted())
            // NIO tells a little later.
            if !guest.channel.isActive { leave(guest.channel) }
        }
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

    /// Closes all connections without a finished handshake, and tells how many were not let in.
    package func closeStrangers() {
        for stranger in strangers { guests[stranger.id]?.channel.close(promise: nil) }
        crowd.tellCounts()
    }
}

/// Told to the handlers of all clients when another one asks for a place and there is none.
///
/// Each protocol decides by itself who gives up its place: a client from which nothing comes, and from which nothing has to.
package struct PlaceWanted: Sendable {
    /// How long a client may say nothing.
    package static let patience = TimeAmount.seconds(2)
    /// The seconds after which the places of those that say nothing are free.
    static let retryAfter = "3"

    package init() {}
}

/// Connections that were not let in because there were too many: told at the first one, and counted at the end.
private struct CrowdTally {
    private let limits: ServerLimits
    private let tell: @Sendable (String) -> Void
    private var sentAway = 0
    private var refused = 0

    init(_ limits: ServerLimits, tell: @escaping @Sendable (String) -> Void) {
        self.limits = limits
        self.tell = tell
    }

    mutating func countSentAway() {
        sentAway += 1
        guard sentAway == 1 else { return }
        tell("more than \(limits.strangers) connections have not completed their handshake: the oldest are closed")
    }

    mutating func countRefused() {
        refused += 1
        guard refused == 1 else { return }
        tell("all \(limits.clients) places are taken: more clients are refused, and those that say nothing closed")
    }

    /// Tells what came after the first ones, once.
    mutating func tellCounts() {
        if sentAway > 1 { tell("\(sentAway) connections were closed before their handshake was complete") }
        if refused > 1 { tell("\(refused) connections were refused, as all \(limits.clients) places were taken") }
        (sentAway, refused) = (0, 0)
    }
}
