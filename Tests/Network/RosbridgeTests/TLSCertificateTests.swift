import Rosbridge
import TestSupport
import Testing

/// Every kind of certificate, at a server of ours.
@Suite("Certificates", .enabled(if: TestCertificates.isAvailable, "openssl is missing"), .timeLimit(.minutes(2)))
struct TLSCertificateTests {
    /// Made once for all cases.
    static let certificates = Result {
        let made = try TestCertificates()
        for name in ["root", "other"] { try made.makeAuthority(name) }
        try made.makeAuthority("middle", by: "root")
        try made.makeAuthority("old", days: -1)
        let host = ["DNS:localhost"]
        try made.make("right", by: "root", for: host)
        try made.make("address", by: "root", for: ["IP:127.0.0.1"])
        try made.make("both", by: "root", for: ["DNS:elsewhere.example", "IP:127.0.0.1"])
        try made.make("elsewhere", by: "root", for: ["DNS:elsewhere.example", "DNS:*.localhost", "DNS:*"])
        try made.make("expired", by: "root", for: host, days: -1)
        try made.make("below", by: "middle", for: host)
        try made.make("ofOld", by: "old", for: host)
        try made.make("localhost", by: "root", for: [])
        try made.makeSelfSigned("self", for: host)
        try made.join("below", "middle", as: "chain")
        try made.join("root", "middle", as: "both authorities")
        return made
    }

    struct Case: Sendable, CustomTestStringConvertible {
        /// The server's certificate, and the key if it has the name of another.
        var certificate: String
        var key: String?
        var host = "localhost"
        /// The client's authorities; none for those of the system.
        var authorities: String?
        /// What the error says, and the advice; none if it works.
        var problem: String?
        var advice: String?

        var testDescription: String { "\(certificate) at \(host), trusting \(authorities ?? "the system")" }
    }

    static let unknown = "a certificate of an authority that is trusted, found "
    static let cases = [
        Case(certificate: "right", authorities: "root"),
        Case(certificate: "address", host: "127.0.0.1", authorities: "root"),
        Case(certificate: "both", host: "127.0.0.1", authorities: "root"),
        Case(certificate: "chain", key: "below", authorities: "root"),
        Case(certificate: "below", authorities: "both authorities"),
        Case(certificate: "self", authorities: "self"),
        Case(certificate: "localhost", authorities: "root"),
        Case(certificate: "right", problem: unknown + "one of root, which is not", advice: "--ca FILE"),
        Case(certificate: "right", authorities: "other", problem: unknown + "one of root", advice: "--ca FILE"),
        Case(certificate: "self", problem: unknown + "a self-signed one for localhost", advice: "--ca FILE"),
        Case(certificate: "below", authorities: "root", problem: unknown + "one of middle", advice: "between"),
        Case(certificate: "below", authorities: "middle", problem: "whose own authority (root) is not", advice: "all"),
        Case(certificate: "expired", authorities: "root", problem: "found one that expired on 20", advice: "renew"),
        Case(certificate: "expired", problem: "found one that expired on 20", advice: "clock"),
        Case(certificate: "ofOld", authorities: "old", problem: "one of old, which expired on 20", advice: "--ca"),
        Case(
            certificate: "right",
            host: "127.0.0.1",
            authorities: "root",
            problem: "for this host (127.0.0.1), found one for localhost",
            advice: "use the name or address"
        ),
        // The server at the address need not be the one that the name stands for.
        Case(
            certificate: "address",
            authorities: "root",
            problem: "for this host (localhost), found one for 127.0.0.1",
            advice: "use the name or address"
        ),
        Case(
            certificate: "both",
            authorities: "root",
            problem: "found one for elsewhere.example, 127.0.0.1",
            advice: "use the name or address"
        ),
        Case(
            certificate: "elsewhere",
            authorities: "root",
            problem: "found one for elsewhere.example, *.localhost, *",
            advice: "use the name or address"
        ),
        Case(certificate: "localhost", host: "127.0.0.1", authorities: "root", problem: "found one for localhost"),
    ]

    @Test("a certificate is taken where it is right, and refused with what is wrong", arguments: cases)
    func certificate(_ test: Case) async throws {
        let made = try Self.certificates.get()
        let (server, delegate, port) = try await Self.serve(test.certificate, key: test.key)
        var options = TransportOptions { $0.pingInterval = nil }
        if let authorities = test.authorities { options.trust = .authorities(path: made.path(authorities)) }
        let url = try RosbridgeURL("wss://user:secret@\(test.host):\(port)")
        if let problem = test.problem {
            let error = await #expect(throws: RosbridgeError.self) {
                try await WebSocketTransport.connect(to: url, options: options)
            }
            #expect(error?.stage == .tls && error?.problem.contains(problem) == true, "\(error as Any)")
            #expect(error?.advice?.contains(test.advice ?? "") != false, "\(error as Any)")
            #expect(error?.isTransient == false)
        } else {
            await (try WebSocketTransport.connect(to: url, options: options)).close()
        }
        options.trust = .anyone
        await (try WebSocketTransport.connect(to: url, options: options)).close()
        await server.stop()
        // Whom the client turned its back on was no client.
        #expect(await delegate.events.count == (test.problem == nil ? 4 : 2))
    }

    struct ClientCase: Sendable, CustomTestStringConvertible {
        var certificate: String?
        /// What the client, and what the server says; none if it works.
        var problem: String?
        var seen: String?

        var testDescription: String { certificate ?? "no certificate" }
    }

    static let clientCases = [
        ClientCase(certificate: "right"),
        ClientCase(certificate: "below", problem: "does not trust", seen: "verified"),
        ClientCase(certificate: "self", problem: "does not trust", seen: "verified"),
        ClientCase(certificate: "expired", problem: "expired", seen: "verified"),
        ClientCase(certificate: nil, problem: "asks for a client certificate", seen: "found none"),
    ]

    @Test("a server that asks for certificates takes those of its authorities", arguments: clientCases)
    func clientCertificate(_ test: ClientCase) async throws {
        let made = try Self.certificates.get()
        let (server, delegate, port) = try await Self.serve("right", clientAuthorities: "root")
        var options = TransportOptions {
            $0.trust = .authorities(path: made.path("root"))
            $0.pingInterval = nil
        }
        if let name = test.certificate {
            options.identity = try TLSIdentity(certificatePath: made.path(name), keyPath: made.key(name))
        }
        let url = try RosbridgeURL("wss://localhost:\(port)")
        if let problem = test.problem {
            let error = await #expect(throws: RosbridgeError.self) {
                try await WebSocketTransport.connect(to: url, options: options)
            }
            // What the server has to say can be overtaken by the end of the connection.
            let isOvertaken = error?.stage == .handshake && error?.advice?.contains("client certificate") == true
            let isSaid = error?.stage == .tls && error?.problem.contains(problem) == true
            #expect(isSaid || isOvertaken, "\(error as Any)")
            try await until { await !delegate.refusedConnections.isEmpty }
        } else {
            await (try WebSocketTransport.connect(to: url, options: options)).close()
        }
        await server.stop()
        let refused = await delegate.refusedConnections
        #expect(refused.count == (test.problem == nil ? 0 : 1))
        #expect(refused.allSatisfy { $0.contains(test.seen ?? "") }, "\(refused)")
    }

    @Test("files that cannot be used are errors that name them")
    func files() throws {
        let made = try Self.certificates.get()
        try made.encryptKey("right", as: "encrypted", isTraditional: false)
        try made.encryptKey("right", as: "traditional", isTraditional: true)
        try made.write("", to: made.path("empty"))
        try made.write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", to: made.path("broken"))
        let right = (made.path("right"), made.key("right"))
        let bad = [
            (made.path("none"), right.1, made.path("none"), "no such file"),
            (right.0, made.key("none"), made.key("none"), "no such file"),
            (made.path("empty"), right.1, made.path("empty"), "an empty file"),
            (made.path("broken"), right.1, made.path("broken"), "certificates in PEM form, found none"),
            (right.1, right.1, right.1, "certificates in PEM form, found none"),
            (right.0, right.0, right.0, "a private key in PEM form, found none"),
            (right.0, made.key("self"), made.key("self"), "found that of another certificate"),
            (right.0, made.key("encrypted"), made.key("encrypted"), "without a passphrase, found an encrypted one"),
            (right.0, made.key("traditional"), made.key("traditional"), "without a passphrase, found an encrypted one"),
            ("/", right.1, "/", "is a directory"),
        ]
        for (certificate, key, named, problem) in bad {
            let error = #expect(throws: TLSFileError.self) {
                try TLSIdentity(certificatePath: certificate, keyPath: key)
            }
            #expect(error?.path == named && error?.description.contains(problem) == true, "\(error as Any)")
            #expect(error?.isMissing == problem.contains("no such file"))
        }
        #expect(throws: TLSFileError.self) {
            let identity = try TLSIdentity(certificatePath: right.0, keyPath: right.1)
            _ = try TLSServer(identity, clientAuthorities: made.path("none"))
        }
    }

    private static func serve(
        _ certificate: String,
        key: String? = nil,
        clientAuthorities: String? = nil
    ) async throws -> (server: RosbridgeServer, delegate: RecordingDelegate, port: Int) {
        let made = try certificates.get()
        let identity = try TLSIdentity(certificatePath: made.path(certificate), keyPath: made.key(key ?? certificate))
        let tls = try TLSServer(identity, clientAuthorities: clientAuthorities.map(made.path))
        let delegate = RecordingDelegate()
        let server = RosbridgeServer(
            ServerOptions {
                $0.port = 0
                $0.tls = tls
            },
            delegate: delegate
        )
        return (server, delegate, try await server.start())
    }
}
