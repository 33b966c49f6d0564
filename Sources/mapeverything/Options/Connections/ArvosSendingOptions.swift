import ArgumentParser
import Arvos
import Replay
import Rosbridge

/// Where a replay is sent as Arvos, and which part of it.
struct ArvosSendingOptions: ParsableArguments {
    enum Time: String, ExpressibleByArgument, CaseIterable {
        case uptime
        case unix
    }

    @Option(
        help: ArgumentHelp(
            "Send as Arvos to its server instead of rosbridge: host, host:port (default: 9090), ws:// or wss:// URL.",
            valueName: "url"
        )
    )
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
        help:
            "What is sent as Arvos: full, or rgbd, vi, lidar, imu or mapping, as the phone app's presets. Default: full."
    )
    var preset: ArvosStream.Preset?

    @Option(help: "What timestampNs counts: uptime of the phone, or unix. Default: uptime; unix with --epoch.")
    var arvosTime: Time?

    @Flag(help: "Send axes and signs of ROS in Arvos. Default: those of ARKit and CoreMotion, as the phone app.")
    var rosAxes = false

    @Flag(
        help: "Let receivers of Arvos pause, resume and choose presets. Default: they are told that it is not allowed."
    )
    var allowCommands = false

    @OptionGroup
    var admission: AdmissionOptions

    /// True if anything is sent as Arvos.
    var isGiven: Bool { arvos != nil || arvosListen != nil }

    /// Options that mean nothing without it.
    private var forArvos: GivenOptions {
        GivenOptions(
            expected: "--arvos or --arvos-listen beside it",
            [
                ("--preset", preset != nil), ("--arvos-time", arvosTime != nil), ("--ros-axes", rosAxes),
                ("--allow-commands", allowCommands),
            ]
        )
    }

    /// Where to, nil for rosbridge.
    func mode(_ connection: ConnectionOptions) throws -> ArvosSink.Mode? {
        if arvosListen == nil { try admission.given(expected: "--arvos-listen beside it").refuse(found: "none") }
        guard isGiven else {
            try forArvos.refuse(found: "neither")
            return nil
        }
        try connection.forRosbridge.refuse(found: "--arvos")
        if let arvosListen {
            guard arvos == nil else {
                throw UsageError("--arvos-listen", expected: "no --arvos beside it", found: "one")
            }
            try connection.endpoint.forConnecting.refuse(found: "--arvos-listen")
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
    ///   - hasEpoch: whether the user said what the phone's clock stands for.
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

extension ArvosStream.Preset: ExpressibleByArgument {}
