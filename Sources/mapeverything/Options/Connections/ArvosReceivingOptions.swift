import ArgumentParser
import Arvos
import Rosbridge
import WebSocket

/// Where messages of Arvos are received.
struct ArvosReceivingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Receive Arvos instead of rosbridge: listen here for the phone app.",
            discussion: "Without an address, that of --address; 0.0.0.0:9090 lets phones in.",
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
        let server = try serving.serverOptions(isStrict: false)
        if let arvos {
            guard arvosUrl == nil else {
                throw UsageError("--arvos-url", expected: "no --arvos beside it", found: "one")
            }
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
        guard !modes.isEmpty else {
            guard !arvosTopics else {
                throw UsageError("--arvos-topics", expected: "--arvos, --arvos-url or --arvos-http", found: "none")
            }
            return nil
        }
        return modes
    }
}
