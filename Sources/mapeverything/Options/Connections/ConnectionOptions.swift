import ArgumentParser
import Arvos
import Rosbridge
import WebSocket

/// How the recorder is reached, and how carefully.
struct ConnectionOptions: ParsableArguments {
    enum OnFull: String, ExpressibleByArgument, CaseIterable {
        case drop
        case wait
    }

    @OptionGroup
    var endpoint: EndpointOptions

    @Option(
        help:
            "When the queue is full: wait, or drop the oldest image or cloud. Default: wait with --rate max, else drop."
    )
    var onFull: OnFull?

    @Option(
        help: ArgumentHelp(
            "Size of the send queue: 64MB, 64MiB or a number of MB. Default: 64MB; 8MB with --on-full wait.",
            valueName: "size"
        )
    )
    var queueMb: ByteSize?

    @OptionGroup
    var frames: FrameSizeOptions

    @Flag(inversion: .prefixedNo, help: "Split messages larger than --max-message-size into fragments.")
    var fragments = true

    @Flag(help: "Thin out clouds larger than --max-message-size (every second, third, ... point) until they fit.")
    var fit = false

    @Flag(inversion: .prefixedNo, help: "Ask the server to confirm what it handled, during the replay and at its end.")
    var confirm = true

    @Option(
        help: ArgumentHelp(
            "Ask for a confirmation each time this much was sent: 4MB, 4MiB or a number of MB. Default: 4MB.",
            valueName: "size"
        )
    )
    var windowMb: ByteSize?

    @Option(
        help: ArgumentHelp(
            "After a lost connection, also resend messages confirmed this many seconds before the loss; 0: none. "
                + "Default: 1.",
            discussion:
                "A server confirms messages that it has handled, but may not have passed on yet. A replay waits "
                + "at its end for the same time.",
            valueName: "seconds"
        )
    )
    var resend: Double?

    @Option(help: "Seconds to keep trying to reconnect after the connection is lost, or off.")
    var reconnect = "60"

    @Option(
        help: ArgumentHelp(
            "Seconds to wait for the server and for a subscriber of each topic before the first message. Default: do "
                + "not wait.",
            valueName: "seconds"
        )
    )
    var waitForRecorder: Double?

    /// Where to publish to, from the option or the environment.
    func parsedURL() throws -> RosbridgeURL { try endpoint.parsedURL() }

    /// - Parameter isUnpaced: whether messages are sent as fast as they are taken; then waiting is the default.
    func publisherOptions(isUnpaced: Bool, timing: ConnectionTimingOptions) throws -> PublisherOptions {
        if !confirm { try forConfirming.refuse(found: "--no-confirm") }
        var options = PublisherOptions()
        try endpoint.apply(to: &options.transport)
        try timing.apply(to: &options)
        options.onFull = onFull == .drop || (onFull == nil && !isUnpaced) ? .drop : .wait
        let queue = queueMb ?? ByteSize(options.onFull == .wait ? "8MB" : "64MB")
        options.queueBytes = try queue.bytes("--queue-mb", plain: .megabytes, in: 1...1_000_000_000_000)
        let window = windowMb ?? ByteSize("4MB")
        options.windowBytes = try window.bytes("--window-mb", plain: .megabytes, in: 1...1_000_000_000_000)
        options.maximumMessageSize = try frames.bytes(preset: "1MB")
        options.allowsFragments = fragments
        options.fitsClouds = fit
        options.confirm = confirm
        options.waitForRecorder = try waitForRecorder.map { try UsageError.positiveSeconds("--wait-for-recorder", $0) }
        options.resend = try UsageError.seconds("--resend", resend ?? 1)
        try apply(reconnect, to: &options)
        return options
    }

    /// Options that only rosbridge has: messages of Arvos are neither confirmed nor cut into pieces.
    var forRosbridge: GivenOptions {
        GivenOptions(
            expected: "a rosbridge server (--url)",
            [
                ("--url", endpoint.url != nil), ("--compress", endpoint.compress), ("--no-fragments", !fragments),
                ("--fit", fit), ("--no-confirm", !confirm), ("--wait-for-recorder", waitForRecorder != nil),
                ("--max-message-size", frames.maxMessageSize != nil),
            ]
        ) + forConfirming
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

    private var forConfirming: GivenOptions {
        GivenOptions(expected: "confirmations", [("--window-mb", windowMb != nil), ("--resend", resend != nil)])
    }

    private func apply(_ reconnect: String, to options: inout PublisherOptions) throws {
        if reconnect == "off" {
            options.reconnect = nil
        } else if let value = Double(reconnect) {
            options.reconnectTimeout = try UsageError.seconds("--reconnect", value)
        } else {
            throw UsageError("--reconnect", expected: "seconds or off", found: reconnect)
        }
    }
}

extension UsageError {
    fileprivate static func positiveSeconds(_ option: String, _ value: Double) throws -> Duration {
        let duration = try seconds(option, value)
        guard duration > .zero else { throw UsageError(option, expected: "seconds above 0", found: "\(value)") }
        return duration
    }
}

/// Times of a connection that few need to change.
struct ConnectionTimingOptions: ParsableArguments {
    @Option(help: "With --on-full drop: drop images and clouds that have waited for this many seconds.")
    var liveWindow: Double = 2

    @Option(help: "Seconds to wait between advertising the topics and the first message.")
    var settle: Double = 0.5

    @Option(help: "Seconds before the second attempt to reconnect; doubles with each attempt, up to 30 seconds.")
    var reconnectDelay: Double = 0.5

    @Option(help: "Timeout in seconds of the connection, and of its handshake.")
    var connectTimeout: Double = 10

    @Option(help: "The connection counts as lost when the server reads nothing for this many seconds.")
    var stallTimeout: Double = 30

    @Option(
        help: "Timeout in seconds of a confirmation. Default: 5 for the first one, 30 for later ones."
    )
    var barrierTimeout: Double?

    @Option(help: "Seconds between pings; 0: no pings.")
    var ping: Double = 20

    func apply(to options: inout PublisherOptions) throws {
        let ping = try UsageError.seconds("--ping", ping)
        options.transport.pingInterval = ping > .zero ? ping : nil
        if let barrierTimeout {
            options.barrierTimeout = try UsageError.positiveSeconds("--barrier-timeout", barrierTimeout)
            options.confirmTimeout = options.barrierTimeout
        }
        options.transport.connectTimeout = try UsageError.positiveSeconds("--connect-timeout", connectTimeout)
        options.transport.handshakeTimeout = options.transport.connectTimeout
        options.transport.stallTimeout = try UsageError.positiveSeconds("--stall-timeout", stallTimeout)
        options.liveWindow = try UsageError.seconds("--live-window", liveWindow)
        options.settle = try UsageError.seconds("--settle", settle)
        let delay = try UsageError.positiveSeconds("--reconnect-delay", reconnectDelay) / .seconds(1)
        options.reconnect = ReconnectPolicy(initialDelaySeconds: min(delay, 30))
    }
}

/// How large the frames are that are sent.
struct FrameSizeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Largest WebSocket message: 1MB, 1MiB or a number of bytes. Larger messages are sent in fragments. "
                + "Default: 1MB for replay, 10MB for probe.",
            valueName: "size"
        )
    )
    var maxMessageSize: ByteSize?

    func bytes(preset: String) throws(UsageError) -> Int {
        try (maxMessageSize ?? ByteSize(preset)).bytes("--max-message-size", in: 1_000...1_000_000_000_000)
    }
}
