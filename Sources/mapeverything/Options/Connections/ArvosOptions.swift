import ArgumentParser
import Arvos
import Rosbridge
import Translation

/// Where a replay is sent as Arvos, and which part of it.
struct ArvosSendingOptions: ParsableArguments {
    enum Time: String, Choice {
        case uptime, unix
    }

    @Option(help: .value("url", "Send as Arvos instead of rosbridge: host, host:port (9090), ws:// or wss:// URL."))
    var arvos: String?

    @Option(
        help: ArgumentHelp(
            "Listen for clients of Arvos instead of sending rosbridge, and play when the first one is there.",
            discussion: "Without an address, for this machine only; 0.0.0.0:9090 lets others in (see --token-file).",
            valueName: "[address:]port"
        )
    )
    var arvosListen: String?

    @Option(
        help: .value(
            "preset",
            "Preset of the phone app for Arvos: full, rgbd, vi, lidar, imu or mapping. Default: full."
        )
    )
    var preset: ArvosStream.Preset?

    @Option(
        help: .value(
            "clock",
            "What timestampNs counts: uptime of the phone, or unix. Default: uptime; unix with --epoch."
        )
    )
    var arvosTime: Time?

    @Flag(help: "Send axes and signs of ROS in Arvos. Default: those of ARKit and CoreMotion, as the phone app.")
    var rosAxes = false

    @Flag(help: "Let receivers of Arvos pause, resume and choose presets. Default: such commands are refused.")
    var allowCommands = false

    @OptionGroup var admission: AdmissionOptions

    /// True if anything is sent as Arvos.
    var isGiven: Bool { arvos != nil || arvosListen != nil }

    /// Where to, nil for rosbridge.
    func mode() throws -> ArvosSink.Mode? {
        try OptionUse("connect", found: "").refuseUnused()
        if let arvosListen {
            try UsageError.require(arvos == nil, "--arvos-listen", "no --arvos beside it", "one")
            let (address, port) = try ListeningPlace.parse("--arvos-listen", arvosListen)
            var options = ServerOptions {
                $0.address = address
                $0.port = port
                $0.maximumMessageSize = 1 << 20
            }
            try admission.apply(to: &options)
            return .listen(options)
        }
        return try arvos.map { .connect(try RosbridgeURL($0)) }
    }

    /// Restricts what is made of a session to what is sent.
    func apply(to plan: inout ReplayPlan) {
        guard isGiven else { return }
        let kinds = streams.reduce(into: Set<TopicKind>()) { $0.formUnion($1.kinds) }
        plan.profile.topics = plan.profile.topics.filter { kinds.contains($0.key) }
    }

    var streams: Set<ArvosStream> { (preset ?? .full).streams }

    /// - Parameters:
    ///   - offsetNanoseconds: Unix time minus the phone's clock, where that is known.
    ///   - hasEpoch: true if the user told what the phone's clock stands for.
    func options(_ frames: FramePolicy, offsetNanoseconds: Int64?, hasEpoch: Bool) -> ArvosOptions {
        var options = ArvosOptions()
        options.input = frames
        options.keepsROSAxes = rosAxes
        options.streams = streams
        let time = arvosTime ?? (hasEpoch ? .unix : .uptime)
        options.epochOffsetNanoseconds = time == .uptime ? offsetNanoseconds ?? 0 : 0
        options.appVersion = Tool.version
        return options
    }
}

/// Where a server listens, as `[address:]port`.
enum ListeningPlace {
    /// - Parameter standard: the address where none is given: this machine only, unless the command line says otherwise.
    static func parse(
        _ option: String,
        _ text: String,
        standard: String = "127.0.0.1"
    ) throws(UsageError) -> (address: String, port: Int) {
        let colon = text.lastIndex(of: ":")
        let port = Int(colon.map { text[text.index(after: $0)...] } ?? text[...])
        var address = colon.map { String(text[..<$0]) } ?? standard
        if address.hasPrefix("["), address.hasSuffix("]") { address = String(address.dropFirst().dropLast()) }
        guard let port, (0...65_535).contains(port), !address.isEmpty else {
            throw UsageError(option, expected: "[address:]port, such as 9090 or 127.0.0.1:9090", found: text)
        }
        return (address, port)
    }
}

extension ArvosStream.Preset: Choice {}

/// Where messages of Arvos are received.
struct ArvosReceivingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Receive Arvos instead of rosbridge: listen here for the phone app.",
            discussion: "Without an address, that of --address; --lan lets phones in.",
            valueName: "[address:]port"
        )
    )
    var arvos: String?

    @Option(help: .value("url", "Receive Arvos from a phone that serves: host, host:port or ws:// URL."))
    var arvosUrl: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Also receive Arvos by HTTP POST (/api/telemetry, /api/binary, /api/mcap/...) on these ports.",
            valueName: "[address:]port",
            visibility: .rare
        )
    )
    var arvosHttp: [String] = []

    @Flag(help: .rare("Record under the names of Arvos's ROS 2 bridge (/arvos/...). Default: /mapping/..."))
    var arvosTopics = false

    /// Nil where rosbridge is received.
    func modes(_ serving: ServingOptions) throws -> [ArvosReceiver.Mode]? {
        try OptionUse("record", found: "").refuseUnused()
        var modes: [ArvosReceiver.Mode] = []
        let server = try serving.serverOptions(isStrict: false)
        if let arvos {
            try UsageError.require(arvosUrl == nil, "--arvos-url", "no --arvos beside it", "one")
            var options = server
            (options.address, options.port) = try ListeningPlace.parse("--arvos", arvos, standard: serving.address)
            modes.append(.listen(options))
        }
        if let arvosUrl {
            let limits = server.connectionLimits
            modes.append(.connect(try RosbridgeURL(arvosUrl), TransportOptions { $0.limits = limits }))
        }
        for place in arvosHttp {
            var options = server
            (options.address, options.port) = try ListeningPlace.parse("--arvos-http", place, standard: serving.address)
            modes.append(.post(options))
        }
        return modes.isEmpty ? nil : modes
    }
}
