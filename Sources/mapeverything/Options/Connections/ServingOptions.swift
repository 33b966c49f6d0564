import ArgumentParser
import Rosbridge
import WebSocket

/// Options that decide which clients may use a server; they are the same for all protocols.
struct AdmissionOptions: ParsableArguments {
    @Option(
        help: .rare(
            "Accept only clients with this token (Authorization: Bearer); --token-file hides it from other users.",
            "token"
        )
    )
    var token: String?

    @Option(help: .value("file", "Like --token, with the token in the first line of this file."), completion: .file())
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "Let pages of this origin connect, such as https://example.org. May be given several times. "
                + "Default: pages of this machine, app.foxglove.dev and lichtblick-suite.github.io.",
            valueName: "origin",
            visibility: .rare
        )
    )
    var allowOrigin: [String] = []

    var asksForToken: Bool { token != nil || tokenFile != nil }

    func apply(to options: inout ServerOptions) throws {
        options.token = try accessToken()
        options.origins = allowOrigin
        options.originRefused = { origin in
            Terminal.printError("a page of \(origin) was refused; --allow-origin \(origin) lets it in")
        }
        options.crowdNotice = { Terminal.printError($0) }
    }

    private func accessToken() throws -> AccessToken? {
        try UsageError.require(token == nil || tokenFile == nil, "--token", "a token or a file of one", "both")
        let option = token == nil ? "--token-file" : "--token"
        guard let text = try token ?? tokenFile.map(readToken) else { return nil }
        guard let token = AccessToken(text) else {
            throw UsageError(option, expected: "a token of printable ASCII without spaces", found: "another text")
        }
        return token
    }

    private func readToken(_ path: String) throws -> String {
        guard let text = TextFile.read(path, maximumBytes: 1 << 16) else {
            throw UsageError("--token-file", expected: "a readable text file", found: path)
        }
        return String(text.prefix { !$0.isNewline })
    }
}

/// How a recorder is reached, by whom, and how much it takes.
struct ServingOptions: ParsableArguments {
    @Option(help: .value("port", "TCP port to listen on; 0: any free one. Default: 9090 for record, 8765 for serve."))
    var port: Int?

    @Option(
        name: .customLong("address"),
        help: .rare("IP address to listen on. Default: 127.0.0.1, this machine only.", "address")
    )
    var givenAddress: String?

    @Flag(help: "Let phones and others on the network in: listen on all addresses, and say what to type there.")
    var lan = false

    @Option(
        help: .rare(
            "Serve wss with the certificate in this PEM file, followed by any intermediate ones. Default: ws.",
            "file"
        ),
        completion: .file()
    )
    var cert: String?

    @Option(help: .rare("Private key of --cert, a PEM file without a passphrase.", "file"), completion: .file())
    var key: String?

    @Option(
        help: .rare(
            "Accept only clients with a certificate of an authority in this PEM file. Default: any client.",
            "file"
        ),
        completion: .file()
    )
    var clientCa: String?

    @OptionGroup var admission: AdmissionOptions

    @Option(help: .rare("Number of clients at a time; more are refused.", "count")) var maxClients = 64

    @Option(help: .rare("Largest message, whole and decompressed: 16MiB, 10MB or a number of bytes.", "size"))
    var maxMessageSize = ByteSize("16MiB")

    @Option(
        help: .rare(
            "Seconds between pings, 0: no pings; a client that is silent for twice as long is disconnected. Default: 30.",
            "seconds"
        ),
        transform: Seconds.option("--ping")
    )
    var ping: Double = 30

    /// One rule for all that listens: this machine only, all of its addresses, or the one that was chosen.
    var address: String { givenAddress ?? (lan ? "0.0.0.0" : "127.0.0.1") }

    /// The scheme of the server's URLs, and that of its page.
    var scheme: String { cert == nil ? "ws" : "wss" }
    var pageScheme: String { cert == nil ? "http" : "https" }

    var asksForToken: Bool { admission.asksForToken }

    /// The address as it stands in URLs.
    var bracketedAddress: String { LocalAddresses.bracketed(address) }

    func serverOptions(isStrict: Bool, standardPort: Int = RosbridgeURL.defaultPort) throws -> ServerOptions {
        let port = port ?? standardPort
        _ = try UsageError.count("--port", port, from: 0, to: 65_535)
        try UsageError.require(!lan || givenAddress == nil, "--lan", "no --address beside it", "one")
        _ = try UsageError.count("--max-clients", maxClients, from: 1, to: 10_000)
        let maximumMessageSize = try maxMessageSize.bytes("--max-message-size", in: 1_000...1_000_000_000)
        var options = ServerOptions {
            $0.address = address
            $0.port = port
            $0.maximumMessageSize = maximumMessageSize
            $0.isStrict = isStrict
            $0.pingInterval = ping > 0 ? .seconds(ping) : nil
            $0.compression = .zlib()
            $0.limits = ServerLimits(clients: maxClients)
        }
        options.tls = try tls()
        try admission.apply(to: &options)
        return options
    }

    private func tls() throws -> TLSServer? {
        guard let identity = try TLSIdentity.named(certificate: cert, key: key) else {
            try UsageError.require(clientCa == nil, "--client-ca", "--cert and --key beside it", "neither")
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
