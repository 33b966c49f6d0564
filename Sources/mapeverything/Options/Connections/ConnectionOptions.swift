import ArgumentParser
import Arvos
import Glibc
import Rosbridge
import WebSocket

/// Which rosbridge server is meant, and how it is spoken to.
struct EndpointOptions: ParsableArguments {
    @Option(
        help: .value(
            "url",
            "rosbridge server: host, host:port (9090) or URL. Default: $MAPEVERYTHING_URL, else 127.0.0.1."
        )
    )
    var url: String?

    @Option(
        help: .rare("Add a header to the WebSocket handshake: 'Name: value'. May be given several times.", "header")
    )
    var header: [String] = []

    @Option(
        help: .rare("Trust the authorities in this PEM file. Default: those of the system.", "file"),
        completion: .file()
    ) var ca: String?

    @Option(help: .rare("Client certificate, a PEM file, for servers that ask for one.", "file"), completion: .file())
    var cert: String?

    @Option(help: .rare("Private key of --cert, a PEM file without a passphrase.", "file"), completion: .file())
    var key: String?

    @Flag(help: .rare("Do not check the server's certificate: others on the network can read and change what is sent."))
    var insecure = false

    @Flag(help: .rare("Compress messages, if the server agrees: helps on slow networks; images hardly shrink."))
    var compress = false

    /// Where to publish to, from the option or the environment.
    func parsedURL() throws -> RosbridgeURL {
        let text = url ?? getenv("MAPEVERYTHING_URL").map { String(cString: $0) }
        let url = try RosbridgeURL(text ?? "127.0.0.1")
        if text == nil { Terminal.printError("server: \(url), as no --url is given") }
        if !url.isSecure { try OptionUse("connect-plain", found: "\(url)").refuseUnused() }
        try UsageError.require(!insecure || ca == nil, "--ca", "no --insecure beside it", "one")
        return url
    }

    func apply(to transport: inout TransportOptions) throws {
        transport.fields = try header.map(parseHeader)
        transport.identity = try TLSIdentity.named(certificate: cert, key: key)
        if let ca { transport.trust = .authorities(path: ca) }
        if insecure { transport.trust = .anyone }
        if compress { transport.compression = .zlib() }
    }

    private func parseHeader(_ text: String) throws -> HTTPField {
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
            throw UsageError("--header", expected: "'Name: value'", found: text)
        }
        let value = text[text.index(after: colon)...].drop { $0 == " " }
        return HTTPField(String(text[..<colon]), String(value))
    }
}

/// How the recorder is reached, and how carefully.
struct ConnectionOptions: ParsableArguments {
    enum OnFull: String, Choice {
        case drop, wait
    }

    @OptionGroup var endpoint: EndpointOptions

    @Option(
        help: ArgumentHelp(
            "On a full queue: wait, or drop the oldest image, cloud or other large message. Default: drop; wait with "
                + "--rate max.",
            valueName: "action",
            visibility: .rare
        )
    )
    var onFull: OnFull?

    @Option(help: .rare("Send queue: 64MB, 64MiB or a number of MB. Default: 64MB; 8MB with --on-full wait.", "size"))
    var queueMb: ByteSize?

    @Option(help: .rare("Largest WebSocket message; larger ones go in fragments.", "size"))
    var maxMessageSize = ByteSize("1MB")

    @Flag(inversion: .prefixedNo, help: .rare("Split messages larger than --max-message-size into fragments."))
    var fragments = true

    @Flag(
        help: .rare("Thin out clouds larger than --max-message-size (every second, third, ... point) until they fit.")
    )
    var fit = false

    @Flag(
        inversion: .prefixedNo,
        help: .rare("Ask the server to confirm what it handled, during the replay and at its end.")
    )
    var confirm = true

    @Option(help: .rare("Amount between confirmations: 4MB, 4MiB or a number of MB. Default: 4MB.", "size"))
    var windowMb: ByteSize?

    @Option(
        help: ArgumentHelp(
            "After a lost connection, also resend messages confirmed this many seconds before the loss; 0: none. "
                + "Default: 1.",
            discussion:
                "A server confirms messages that it has handled, but may not have passed on yet. A replay waits "
                + "at its end for the same time.",
            valueName: "seconds",
            visibility: .rare
        ),
        transform: Seconds.option("--resend")
    )
    var resend: Double?

    @Option(help: .value("seconds", "Try to reconnect so long, or off."))
    var reconnect = "60"

    @Option(
        help: .value("seconds", "Wait for the server and its subscribers. Default: no."),
        transform: Seconds.option("--wait-for-recorder", .aboveZero)
    )
    var waitForRecorder: Double?

    func parsedURL() throws -> RosbridgeURL { try endpoint.parsedURL() }

    /// - Parameter isUnpaced: true to send messages as fast as they are taken; then waiting is the default.
    func publisherOptions(isUnpaced: Bool, timing: ConnectionTimingOptions) throws -> PublisherOptions {
        var options = PublisherOptions()
        try endpoint.apply(to: &options.transport)
        timing.apply(to: &options)
        options.onFull = onFull == .drop || (onFull == nil && !isUnpaced) ? .drop : .wait
        let queue = queueMb ?? ByteSize(options.onFull == .wait ? "8MB" : "64MB")
        options.queueBytes = try queue.bytes("--queue-mb", plain: .megabytes, in: 1...1_000_000_000_000)
        let window = windowMb ?? ByteSize("4MB")
        options.windowBytes = try window.bytes("--window-mb", plain: .megabytes, in: 1...1_000_000_000_000)
        options.maximumMessageSize = try maxMessageSize.bytes(
            "--max-message-size",
            in: 1_000...1_000_000_000_000
        )
        options.allowsFragments = fragments
        options.fitsClouds = fit
        options.confirm = confirm
        options.waitForRecorder = waitForRecorder.map { .seconds($0) }
        options.resend = .seconds(resend ?? 1)
        try apply(reconnect, to: &options)
        return options
    }

    /// How Arvos is sent, which drops as rosbridge does.
    func arvosDelivery(isUnpaced: Bool, timing: ConnectionTimingOptions) throws -> ArvosSink.Delivery {
        let options = try publisherOptions(isUnpaced: isUnpaced, timing: timing)
        var delivery = ArvosSink.Delivery()
        if queueMb != nil { delivery.queueBytes = options.queueBytes }
        delivery.waits = options.onFull == .wait
        delivery.reconnectSeconds =
            options.reconnect == nil ? 0 : options.reconnectTimeout.map { $0 / .seconds(1) } ?? 60
        delivery.transport = options.transport
        delivery.transport.limits = ConnectionLimits(bytes: 1 << 20)
        return delivery
    }

    private func apply(_ reconnect: String, to options: inout PublisherOptions) throws {
        if reconnect.lowercased() == "off" {
            options.reconnect = nil
        } else {
            options.reconnectTimeout = .seconds(try Seconds.read(reconnect, "--reconnect", or: "or off"))
        }
    }
}

/// Times of a connection that few need to change.
struct ConnectionTimingOptions: ParsableArguments {
    @Option(
        help: .rare(
            "With --on-full drop: drop images and clouds that have waited so many seconds. Default: 2.",
            "seconds"
        ),
        transform: Seconds.option("--live-window")
    )
    var liveWindow: Double = 2

    @Option(
        help: .rare("Seconds to wait between advertising the topics and the first message. Default: 0.5.", "seconds"),
        transform: Seconds.option("--settle")
    )
    var settle: Double = 0.5

    @Option(
        help: .rare(
            "Seconds before the second attempt to reconnect; doubles with each attempt, up to 30 seconds. Default: 0.5.",
            "seconds"
        ),
        transform: Seconds.option("--reconnect-delay", .aboveZero)
    )
    var reconnectDelay: Double = 0.5

    @Option(
        help: .rare("Timeout in seconds of the connection, and of its handshake. Default: 10.", "seconds"),
        transform: Seconds.option("--connect-timeout", .aboveZero)
    )
    var connectTimeout: Double = 10

    @Option(
        help: .rare(
            "The connection counts as lost when the server reads nothing for so many seconds. Default: 30.",
            "seconds"
        ),
        transform: Seconds.option("--stall-timeout", .aboveZero)
    )
    var stallTimeout: Double = 30

    @Option(
        help: .rare(
            "Timeout in seconds of a confirmation. Default: 5 for the first one, 30 for later ones.",
            "seconds"
        ),
        transform: Seconds.option("--barrier-timeout", .aboveZero)
    )
    var barrierTimeout: Double?

    @Option(
        help: .rare("Seconds between pings; 0: no pings. Default: 20.", "seconds"),
        transform: Seconds.option("--ping")
    )
    var ping: Double = 20

    func apply(to options: inout PublisherOptions) {
        options.transport.pingInterval = ping > 0 ? .seconds(ping) : nil
        if let barrierTimeout {
            options.barrierTimeout = .seconds(barrierTimeout)
            options.confirmTimeout = options.barrierTimeout
        }
        options.transport.connectTimeout = .seconds(connectTimeout)
        options.transport.handshakeTimeout = options.transport.connectTimeout
        options.transport.stallTimeout = .seconds(stallTimeout)
        options.liveWindow = .seconds(liveWindow)
        options.settle = .seconds(settle)
        options.reconnect = ReconnectPolicy(initialDelaySeconds: min(reconnectDelay, 30))
    }
}
