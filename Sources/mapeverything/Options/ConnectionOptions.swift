import ArgumentParser
import Rosbridge

/// How the recorder is reached, and how carefully.
struct ConnectionOptions: ParsableArguments {
    enum OnFull: String, ExpressibleByArgument, CaseIterable {
        case drop
        case wait
    }

    @OptionGroup
    var endpoint: EndpointOptions

    @Option(help: "When the queue is full: wait, or drop the oldest image or cloud.")
    var onFull: OnFull?

    @Option(
        help: ArgumentHelp(
            "How much may wait to be sent: 64MB, 64MiB or a number of MB. Default: 64MB, or 8MB where nothing is dropped, "
                + "as waiting needs no more.",
            valueName: "size"
        )
    )
    var queueMb: ByteSize?

    @OptionGroup
    var frames: FrameSizeOptions

    @Flag(inversion: .prefixedNo, help: "Split messages that are too large.")
    var fragments = true

    @Flag(help: "Send a cloud that is too large with every second, third, ... point only, so that it fits.")
    var fit = false

    @Flag(inversion: .prefixedNo, help: "Have the server confirm what was sent, at the end and on the way.")
    var confirm = true

    @Option(
        help: ArgumentHelp(
            "How much may be under way before another confirmation is asked for: 4MB, 4MiB or a number of MB. "
                + "Default: 4MB.",
            valueName: "size"
        )
    )
    var windowMb: ByteSize?

    @Option(help: "In live mode (--on-full drop), give images and clouds up after this many seconds.")
    var liveWindow: Double = 2

    @Option(
        help: ArgumentHelp(
            "After a lost connection, send again what was confirmed in the last seconds before, 0 for none. "
                + "Default: 1.",
            discussion: "A server confirms what it has handled, not what it has passed on. The end waits as long, too.",
            valueName: "seconds"
        )
    )
    var resend: Double?

    @Option(help: "Seconds between advertising and the first message.")
    var settle: Double = 0.5

    @Option(help: "Seconds to go on trying after the connection is lost, or off.")
    var reconnect = "60"

    @Option(help: "Seconds before the second attempt to connect again; twice as long each time, up to 30.")
    var reconnectDelay: Double = 0.5

    @Option(
        help: ArgumentHelp(
            "Seconds to wait for the server, and for somebody to subscribe to each topic, before the first message.",
            valueName: "seconds"
        )
    )
    var waitForRecorder: Double?

    @Option(help: "Seconds that a connection and its handshake may take, each.")
    var connectTimeout: Double = 10

    @Option(help: "Seconds without the server reading anything after which the connection counts as lost.")
    var stallTimeout: Double = 30

    @Option(
        help: "Seconds the server has to confirm what it was sent. Default: 5 for the first answer, 30 for later ones."
    )
    var barrierTimeout: Double?

    @Option(help: "Seconds between pings, 0 for none.")
    var ping: Double = 20

    /// Where to publish to, from the option or the environment.
    func parsedURL() throws -> RosbridgeURL { try endpoint.parsedURL() }

    /// - Parameter isUnpaced: whether messages are sent as fast as they are taken; then waiting is the default.
    func publisherOptions(isUnpaced: Bool) throws -> PublisherOptions {
        if !confirm { try forConfirming.refuse(found: "--no-confirm") }
        var options = PublisherOptions()
        try endpoint.apply(to: &options.transport)
        let ping = try seconds("--ping", ping)
        options.transport.pingInterval = ping > .zero ? ping : nil
        options.onFull = onFull == .drop || (onFull == nil && !isUnpaced) ? .drop : .wait
        let queue = queueMb ?? ByteSize(options.onFull == .wait ? "8MB" : "64MB")
        options.queueBytes = try queue.bytes("--queue-mb", plain: .megabytes, in: 1...1_000_000_000_000)
        let window = windowMb ?? ByteSize("4MB")
        options.windowBytes = try window.bytes("--window-mb", plain: .megabytes, in: 1...1_000_000_000_000)
        options.maximumMessageSize = try frames.bytes(preset: "1MB")
        options.allowsFragments = fragments
        options.fitsClouds = fit
        options.confirm = confirm
        if let barrierTimeout {
            options.barrierTimeout = try positiveSeconds("--barrier-timeout", barrierTimeout)
            options.confirmTimeout = options.barrierTimeout
        }
        options.transport.connectTimeout = try positiveSeconds("--connect-timeout", connectTimeout)
        options.transport.handshakeTimeout = options.transport.connectTimeout
        options.transport.stallTimeout = try positiveSeconds("--stall-timeout", stallTimeout)
        options.waitForRecorder = try waitForRecorder.map { try positiveSeconds("--wait-for-recorder", $0) }
        options.liveWindow = try seconds("--live-window", liveWindow)
        options.resend = try seconds("--resend", resend ?? 1)
        options.settle = try seconds("--settle", settle)
        try apply(reconnect, to: &options)
        return options
    }

    private var forConfirming: GivenOptions {
        GivenOptions(expected: "confirmations", [("--window-mb", windowMb != nil), ("--resend", resend != nil)])
    }

    private func apply(_ reconnect: String, to options: inout PublisherOptions) throws {
        let delay = try positiveSeconds("--reconnect-delay", reconnectDelay) / .seconds(1)
        options.reconnect = ReconnectPolicy(initialDelaySeconds: min(delay, 30))
        if reconnect == "off" {
            options.reconnect = nil
        } else if let value = Double(reconnect) {
            options.reconnectTimeout = try seconds("--reconnect", value)
        } else {
            throw UsageError("--reconnect", expected: "seconds or off", found: reconnect)
        }
    }

    private func seconds(_ option: String, _ value: Double) throws -> Duration {
        try UsageError.seconds(option, value)
    }

    private func positiveSeconds(_ option: String, _ value: Double) throws -> Duration {
        let duration = try UsageError.seconds(option, value)
        guard duration > .zero else { throw UsageError(option, expected: "seconds above 0", found: "\(value)") }
        return duration
    }
}

/// How large the frames are that are sent.
struct FrameSizeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Largest frame: 1MB, 1MiB or a number of bytes. A larger message goes out as fragments. Default: 1MB for "
                + "replay, 10MB for probe.",
            valueName: "size"
        )
    )
    var maxMessageSize: ByteSize?

    func bytes(preset: String) throws(UsageError) -> Int {
        try (maxMessageSize ?? ByteSize(preset)).bytes("--max-message-size", in: 1_000...1_000_000_000_000)
    }
}
