import ArgumentParser
import Arvos
import Rosbridge
import WebSocket

/// Where messages of Arvos are received.
struct ArvosReceivingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Receive Arvos instead of rosbridge: listen here for the phone app.",
            discussion: "Without an address, on all interfaces of this machine.",
            valueName: "[address:]port"
        )
    )
    var arvos: String?

    @Option(
        help: ArgumentHelp("Receive Arvos from a phone that serves: host, host:port or ws:// URL.", valueName: "url")
    )
    var arvosUrl: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Also receive Arvos by HTTP POST (/api/telemetry, /api/binary, /api/mcap/...) on these ports.",
            valueName: "[address:]port"
        )
    )
    var arvosHttp: [String] = []

    @Flag(help: "Record under the names of Arvos's ROS 2 bridge (/arvos/...). Default: /mapping/...")
    var arvosTopics = false

    /// Nil where rosbridge is received.
    func modes(_ serving: ServingOptions) throws -> [ArvosReceiver.Mode]? {
        var modes: [ArvosReceiver.Mode] = []
        let size = try serving.maxMessageSize.bytes("--max-message-size", in: 1_000...1_000_000_000)
        if let arvos {
            guard arvosUrl == nil else {
                throw UsageError("--arvos-url", expected: "no --arvos beside it", found: "one")
            }
            var options = try serving.serverOptions(isStrict: false)
            (options.address, options.port) = try ListeningPlace.parse("--arvos", arvos)
            modes.append(.listen(options))
        }
        if let arvosUrl {
            let limits = ConnectionLimits(maximumFrameLength: size, maximumMessageLength: size)
            modes.append(.connect(try RosbridgeURL(arvosUrl), TransportOptions(limits: limits)))
        }
        // Nothing that was meant to keep others out is ignored.
        if !arvosHttp.isEmpty { try serving.forWebSockets.refuse(found: "--arvos-http") }
        for place in arvosHttp {
            let (address, port) = try ListeningPlace.parse("--arvos-http", place)
            modes.append(.post(address: address, port: port, connectionLimit: serving.maxClients, bodyLimit: size))
        }
        guard !modes.isEmpty else {
            guard !arvosTopics else {
                throw UsageError("--arvos-topics", expected: "--arvos, --arvos-url or --arvos-http", found: "none")
            }
            return nil
        }
        return modes
    }
}
