import ArgumentParser
import Rosbridge
import WebSocketDeflate

/// How a recorder is reached, by whom, and how much it takes.
struct ServingOptions: ParsableArguments {
    @Option(help: "TCP port to listen on; 0: any free one. Default: 9090 for record, 8765 for serve.")
    var port: Int?

    @Option(help: "IP address to listen on; 0.0.0.0: all interfaces of this machine.")
    var address = "127.0.0.1"

    @Option(help: "Serve wss with the certificate in this PEM file, followed by any intermediate ones. Default: ws.")
    var cert: String?

    @Option(help: "Private key of --cert, a PEM file without a passphrase.")
    var key: String?

    @Option(help: "Accept only clients with a certificate of an authority in this PEM file. Default: any client.")
    var clientCa: String?

    @OptionGroup
    var admission: AdmissionOptions

    @Option(help: "Number of clients at a time; more are refused.")
    var maxClients = 64

    @Option(
        help: ArgumentHelp(
            "Largest message, whole or in fragments, after decompression: 16MiB, 10MB or a number of bytes.",
            valueName: "size"
        )
    )
    var maxMessageSize = ByteSize("16MiB")

    @Option(help: "Seconds between pings, 0: no pings; a client that is silent for twice as long is disconnected.")
    var ping: Double = 30

    /// The scheme of the server's URLs.
    var scheme: String { cert == nil ? "ws" : "wss" }

    var asksForToken: Bool { admission.asksForToken }

    /// The address as it stands in URLs.
    var bracketedAddress: String { address.contains(":") ? "[\(address)]" : address }

    func serverOptions(isStrict: Bool, standardPort: Int = RosbridgeURL.defaultPort) throws -> ServerOptions {
        let port = port ?? standardPort
        guard (0...65_535).contains(port) else { throw UsageError("--port", expected: "0 to 65535", found: "\(port)") }
        guard (1...10_000).contains(maxClients) else {
            throw UsageError("--max-clients", expected: "1 to 10000", found: "\(maxClients)")
        }
        let maximumMessageSize = try maxMessageSize.bytes("--max-message-size", in: 1_000...1_000_000_000)
        let ping = try UsageError.seconds("--ping", ping)
        var options = ServerOptions {
            $0.address = address
            $0.port = port
            $0.maximumMessageSize = maximumMessageSize
            $0.isStrict = isStrict
            $0.pingInterval = ping > .zero ? ping : nil
            $0.compression = .zlib()
            $0.limits = ServerLimits(clients: maxClients)
        }
        options.tls = try tls()
        try admission.apply(to: &options)
        return options
    }

    private func tls() throws -> TLSServer? {
        guard let identity = try TLSIdentity.named(certificate: cert, key: key) else {
            guard clientCa == nil else {
                throw UsageError("--client-ca", expected: "--cert and --key beside it", found: "neither")
            }
            return nil
        }
        return try TLSServer(identity, clientAuthorities: clientCa)
    }
}

extension TLSIdentity {
    /// The identity of `--cert` and `--key`, which belong together; `nil` without them.
    static func named(certificate: String?, key: String?) throws -> TLSIdentity? {
        switch (certificate, key) {
        case (nil, nil): return nil
        case (let certificate?, let key?): return try TLSIdentity(certificatePath: certificate, keyPath: key)
        case (_?, nil): throw UsageError("--cert", expected: "--key beside it", found: "none")
        case (nil, _?): throw UsageError("--key", expected: "--cert beside it", found: "none")
        }
    }
}
