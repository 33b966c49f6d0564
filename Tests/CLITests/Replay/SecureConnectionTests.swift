import Foundation
import TestSupport
import Testing

/// The command over TLS, as server and as client, against itself and against Python.
@Suite(
    .serialized,
    .enabled(if: Peer.isAvailable && TestCertificates.isAvailable, "needs openssl and the Python peers")
)
struct SecureConnectionTests {
    private let folder: Scratch
    private let certificates: TestCertificates

    init() throws {
        folder = try Scratch()
        certificates = try TestCertificates()
        for name in ["root", "other"] { try certificates.makeAuthority(name) }
        try certificates.make("server", by: "root", for: ["DNS:localhost"])
        try certificates.make("expired", by: "root", for: ["DNS:localhost"], days: -1)
        try certificates.make("phone", by: "root", for: [])
        try certificates.make("stranger", by: "other", for: [])
    }

    private func identity(_ name: String) -> [String] {
        ["--cert", certificates.path(name), "--key", certificates.key(name)]
    }

    private func replay(_ port: Int, host: String = "localhost", _ options: [String]) async throws -> Outcome {
        let session = try await Samples.plain.value
        let url = ["--url", "wss://\(host):\(port)", "--rate", "max", "--settle", "0", "--topics", "/mapping/pose"]
        return try await Binary.run(["replay", session] + url + options)
    }

    @Test func replaysToARecorderThatItTrusts() async throws {
        let recording = try await Recording.start(folder, identity("server"))
        let authorities = ["--ca", certificates.path("root")]
        let good = try await replay(recording.port, authorities)
        #expect(good.status == 0, "\(good)")
        let insecure = try await replay(recording.port, host: "127.0.0.1", ["--insecure"])
        #expect(insecure.status == 0, "\(insecure)")
        let unknown = try await replay(recording.port, [])
        unknown.expectError(69, naming: "TLS", "an authority that is trusted", "one of root")
        #expect(unknown.errors.contains("--ca FILE"))
        try await replay(recording.port, host: "127.0.0.1", authorities)
            .expectError(69, naming: "TLS", "for this host (127.0.0.1), found one for localhost")
        let plain = try await Binary.run([
            "replay", try await Samples.plain.value, "--url", "ws://127.0.0.1:\(recording.port)",
        ])
        plain.expectError(69, naming: "handshake")
        #expect(plain.errors.contains("is it ws or wss?"))
        let outcome = try await recording.stop()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try await BagListing.of(recording.bag).count("/mapping/pose") == 80)
    }

    @Test func refusesAnExpiredCertificate() async throws {
        let recording = try await Recording.start(folder, identity("expired"))
        let outcome = try await replay(recording.port, ["--ca", certificates.path("root")])
        outcome.expectError(69, naming: "TLS", "valid now, found one that expired on 20")
        #expect(outcome.errors.contains("renew"))
        _ = try await recording.stop()
    }

    @Test func showsACertificateToARecorderThatAsks() async throws {
        let options = identity("server") + ["--client-ca", certificates.path("root")]
        let recording = try await Recording.start(folder, options)
        let authorities = ["--ca", certificates.path("root")]
        let good = try await replay(recording.port, authorities + identity("phone"))
        #expect(good.status == 0, "\(good)")
        let refusals: [(options: [String], words: String)] = [
            ([], "TLS: the server asks for a client certificate, and was given none"),
            (identity("stranger"), "TLS: the other end does not trust the certificate that it was shown"),
        ]
        for (options, words) in refusals {
            let bad = try await replay(recording.port, authorities + options)
            bad.expectError(69, isShaped: false)
            // What the server has to say can be overtaken by the end of the connection.
            let isOvertaken = bad.errors.contains("does the server ask for a client certificate")
            #expect(isOvertaken || bad.errors.contains(words), "\(bad)")
        }
        let python = try await wssClient(
            recording.port,
            ["--cert", certificates.path("phone"), certificates.key("phone")]
        )
        #expect(python == "confirmed 1000\n")
        #expect(try await wssClient(recording.port, []).hasPrefix("refused "))
        let outcome = try await recording.stop()
        // The recorder's own words are not: two had no certificate, one is a stranger.
        let refused = outcome.errors.split(separator: "\n").filter { $0.contains(" was not let in: ") }
        #expect(refused.count == 3, "\(outcome)")
        #expect(refused.count { $0.hasSuffix(": expected a client certificate, found none") } == 2, "\(outcome)")
        #expect(refused.count { $0.contains("expected a certificate that can be verified") } == 1, "\(outcome)")
        let listing = try await BagListing.of(recording.bag)
        #expect(listing.count("/mapping/pose") == 40 && listing.count("/text") == 5)
    }

    @Test func takesTokensFromThoseWhoHaveThem() async throws {
        let file = folder("token")
        try "s3cr:et\nmore\n".write(toFile: file, atomically: true, encoding: .utf8)
        let recording = try await Recording.start(folder, identity("server") + ["--token-file", file])
        let authorities = ["--ca", certificates.path("root")]
        let good = try await replay(recording.port, authorities + ["--header", "Authorization: Bearer s3cr:et"])
        #expect(good.status == 0, "\(good)")
        let user = try await replay(recording.port, host: "phone:s3cr%3Aet@localhost", authorities)
        #expect(user.status == 0, "\(user)")
        let bad = try await replay(recording.port, authorities + ["--header", "Authorization: Bearer other"])
        bad.expectError(69, naming: "401 Unauthorized", "Bearer realm=")
        #expect(try await wssClient(recording.port, ["--token", "s3cr:et"]) == "confirmed 1000\n")
        #expect(try await wssClient(recording.port, []).contains("HTTP 401"))
        let outcome = try await recording.stop()
        #expect(outcome.errors.contains("was not let in: ") && !outcome.everything.contains("s3cr"))
        let listing = try await BagListing.of(recording.bag)
        #expect(listing.count("/mapping/pose") == 80 && listing.count("/text") == 5)
    }

    @Test func replaysToPython() async throws {
        let tls = [certificates.path("server"), certificates.key("server")]
        let options = ["--ca", certificates.path("root")] + identity("phone")
        for more in [[], [certificates.path("root")]] {
            let server = try Peer.start("wss_server.py", tls + more)
            let outcome = try await replay(try await server.waitForPort(), options)
            #expect(outcome.status == 0, "\(outcome)")
            let seen = try await server.finish()
            #expect(seen.output.hasSuffix("\n{'/mapping/pose': 40} 1000\n"), "\(seen)")
        }
    }

    @Test func saysWhichFileIsWrong() async throws {
        try certificates.encryptKey("server", as: "encrypted", isTraditional: false)
        let (path, key) = (certificates.path("server"), certificates.key("server"))
        let bad: [([String], Int32, String)] = [
            (["--cert", path], 2, "--cert: expected --key beside it, found none"),
            (["--key", key], 2, "--key: expected --cert beside it, found none"),
            (["--cert", certificates.path("none"), "--key", key], 66, "none.pem: expected certificates"),
            (["--cert", path, "--key", certificates.key("none")], 66, "none.key: expected a private key"),
            (["--cert", key, "--key", key], 65, "server.key: expected certificates in PEM form, found none"),
            (["--cert", path, "--key", certificates.key("phone")], 65, "phone.key: expected the key of"),
            (
                ["--cert", path, "--key", certificates.key("encrypted")], 65,
                "expected a private key without a passphrase"
            ),
        ]
        let session = try await Samples.plain.value
        for (options, status, problem) in bad {
            for command in [["record", "-o", folder("bag")], ["replay", session, "--url", "wss://127.0.0.1:1"]] {
                try await Binary.run(command + options).expectError(status, naming: problem)
            }
        }
        for (options, problem) in [
            (["--client-ca", path], "--client-ca: expected --cert and --key"),
            (["--token", "a b"], "--token: expected"),
            (["--token", "a", "--token-file", path], "--token: expected a token or a file"),
            (["--token-file", folder("none")], "--token-file: expected"), (["--max-clients", "0"], "--max-clients"),
            (["--max-message-size", "1"], "--max-message-size"), (["--ping=-1"], "--ping"),
        ] {
            try await Binary.run(["record", "-o", folder("bag")] + options).expectError(2, naming: problem)
        }
        #expect(!FileManager.default.fileExists(atPath: folder("bag")))
    }

    /// What Python's client says.
    private func wssClient(_ port: Int, _ options: [String]) async throws -> String {
        try await Peer.run("wss_client.py", ["wss://localhost:\(port)", certificates.path("root")] + options)
    }
}
