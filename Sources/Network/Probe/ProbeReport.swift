package import Rosbridge

/// What a probe is to measure.
package struct ProbeOptions: Sendable {
    package var transport: TransportOptions
    /// Connections that are made for the figures about connecting.
    package var connections: Int
    /// Round trips of each kind.
    package var roundTrips: Int
    /// Bytes of data of the messages.
    package var payloads: [Int]
    /// How long each payload is sent without a pause.
    package var duration: Duration
    /// How long an answer is awaited.
    package var answerTimeout: Duration
    /// The largest frame; a larger message goes out in fragments.
    package var maximumMessageSize: Int
    package var topic: String

    package init(
        transport: TransportOptions = TransportOptions(),
        connections: Int = 10,
        roundTrips: Int = 20,
        payloads: [Int] = [16_384, 1_048_576],
        duration: Duration = .seconds(5),
        answerTimeout: Duration = .seconds(10),
        maximumMessageSize: Int = 10_000_000,
        topic: String = "/mapping/probe/throughput"
    ) {
        self.transport = transport
        self.connections = connections
        self.roundTrips = roundTrips
        self.payloads = payloads
        self.duration = duration
        self.answerTimeout = answerTimeout
        self.maximumMessageSize = maximumMessageSize
        self.topic = topic
    }
}

/// What a probe has measured, as far as it came.
package struct ProbeReport: Sendable {
    /// The server without credentials.
    package var server: String
    /// The address and port that took the connection.
    package var address: String?
    /// Whether the server has agreed to compression.
    package var isCompressed = false
    /// Empty where the host is an address.
    package var resolution = RoundTrips()
    package var connect = RoundTrips()
    /// Empty for ws.
    package var tls = RoundTrips()
    package var handshake = RoundTrips()
    package var ping = RoundTrips()
    package var barrier = RoundTrips()
    /// Pings and barriers that were not answered in time.
    package var unansweredPings = 0
    package var unansweredBarriers = 0
    package var payloads: [PayloadReport] = []
    /// Status messages of the server, and what was odd.
    package var warnings: [String] = []
    package var isInterrupted = false
    /// What ended the probe early.
    package var failure: RosbridgeError?

    init(server: String) {
        self.server = server
    }
}

/// What a probe has measured with messages of one size.
package struct PayloadReport: Sendable {
    /// Bytes of data in a message.
    package var payloadBytes: Int
    /// Bytes of its JSON.
    package var jsonBytes = 0
    /// From before the first byte of a message to the answer of the barrier behind it, on an idle server.
    package var barrierBehind = RoundTrips()
    /// What was confirmed under load; `nil` where nothing can be said.
    package var sustained: SustainedRate?
    /// Messages that were sent under load, and those of them that were confirmed.
    package var sentMessages = 0
    package var confirmedMessages = 0
    /// Why there is no more.
    package var problem: String?

    /// Bytes of data that were confirmed a second.
    package var payloadBytesPerSecond: Double? { sustained.map { $0.messagesPerSecond * Double(payloadBytes) } }

    init(payloadBytes: Int) {
        self.payloadBytes = payloadBytes
    }
}
