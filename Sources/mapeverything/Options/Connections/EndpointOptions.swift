import ArgumentParser
import Glibc
import Rosbridge
import WebSocket
import WebSocketDeflate

/// Which rosbridge server is meant, and how it is spoken to.
struct EndpointOptions: ParsableArguments {
    @Option(
        help:
            "rosbridge server: host, host:port (default: 9090), ws:// or wss:// URL. Default: $MAPEVERYTHING_URL."
    )
    var url: String?

    @Option(help: "Add a header to the WebSocket handshake: 'Name: value'. May be given several times.")
    var header: [String] = []

    @Option(help: "Trust the authorities in this PEM file. Default: those of the system.")
    var ca: String?

    @Option(help: "Client certificate, a PEM file, for servers that ask for one.")
    var cert: String?

    @Option(help: "Private key of --cert, a PEM file without a passphrase.")
    var key: String?

    @Flag(help: "Do not check the server's certificate: others on the network can read and change what is sent.")
    var insecure = false

    @Flag(
        help: "Compress messages, if the server agrees: helps on slow networks; images hardly shrink."
    )
    var compress = false

    /// Where to publish to, from the option or the environment.
    func parsedURL() throws -> RosbridgeURL {
        let text = url ?? getenv("MAPEVERYTHING_URL").map { String(cString: $0) }
        guard let text, !text.isEmpty else {
            throw UsageError("--url", expected: "a rosbridge server such as ws://127.0.0.1:9090", found: "nothing")
        }
        let url = try RosbridgeURL(text)
        if !url.isSecure { try forTLS.refuse(found: "\(url)") }
        if insecure, ca != nil { throw UsageError("--ca", expected: "no --insecure beside it", found: "one") }
        return url
    }

    private var forTLS: GivenOptions {
        GivenOptions(
            expected: "a wss:// URL",
            [("--ca", ca != nil), ("--cert", cert != nil), ("--key", key != nil), ("--insecure", insecure)]
        )
    }

    /// How a server is reached, which one that listens has no use for.
    var forConnecting: GivenOptions {
        GivenOptions(
            expected: "--arvos",
            [
                ("--header", !header.isEmpty), ("--ca", ca != nil), ("--cert", cert != nil), ("--key", key != nil),
                ("--insecure", insecure),
            ]
        )
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
