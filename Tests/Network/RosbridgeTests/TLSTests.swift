import Foundation
import Messages
import Rosbridge
import TestSupport
import Testing

/// What the tests of TLS need beside the Python peers.
enum TLSPeers {
    static let openssl = "/usr/bin/openssl"
    static let areAvailable =
        PeerPython.isRequired || (PeerPython.isAvailable && FileManager.default.isExecutableFile(atPath: openssl))
}

@Suite("TLS", .enabled(if: TLSPeers.areAvailable, "openssl or the Python peers are missing"), .timeLimit(.minutes(2)))
struct TLSTests {
    /// A self-signed certificate for localhost alone, and its key.
    static func makeCertificate(in directory: TemporaryDirectory) throws -> [String] {
        let files = ["certificate.pem", "key.pem"].map { "\(directory.appending($0))" }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TLSPeers.openssl)
        process.arguments =
            ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=robot"]
            + ["-addext", "subjectAltName=DNS:localhost", "-out", files[0], "-keyout", files[1]]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return files
    }

    private func publish(_ url: String, trust: TransportOptions.Trust) async throws {
        var options = quickOptions()
        options.transport.trust = trust
        let publisher = RosbridgePublisher(try RosbridgeURL(url), options: options)
        try await publisher.open([.chatter, .cloud])
        for number in 0..<5 {
            try await publisher.write(text("\(number)"))
            try await publisher.write(bytes(600_000))
        }
        let report = try await publisher.finish()
        #expect(report.topics.allSatisfy { $0.written == 5 && $0.unconfirmed == 0 })
    }

    @Test("a certificate that was named is trusted for its host, one that was not is refused, insecure trusts anyone")
    func trust() async throws {
        let directory = try TemporaryDirectory()
        let files = try Self.makeCertificate(in: directory)
        let authorities = TransportOptions.Trust.authorities(path: files[0])
        let seen = try await PeerTests.withServer(certificate: files) { port in
            let unknown = await #expect(throws: RosbridgeError.self) {
                try await publish("wss://localhost:\(port)", trust: .system)
            }
            #expect(unknown?.stage == .tls && unknown?.advice?.contains("--ca") == true)
            let otherName = await #expect(throws: RosbridgeError.self) {
                try await publish("wss://127.0.0.1:\(port)", trust: authorities)
            }
            #expect(otherName?.stage == .tls && otherName?.problem.contains("for this host") == true)
            try await publish("wss://localhost:\(port)", trust: authorities)
        }
        #expect(seen.texts == (0..<5).map(String.init) && seen.sizes == [Int](repeating: 600_000, count: 5))
        let again = try await PeerTests.withServer(certificate: files) { port in
            try await publish("wss://127.0.0.1:\(port)", trust: .anyone)
        }
        #expect(again.texts.count == 5)
    }

    @Test("a server without TLS is told apart")
    func plainServer() async throws {
        let server = try await ScriptedServer(.answers("HTTP/1.1 400 Bad Request\r\n\r\n"))
        let url = try RosbridgeURL("wss://127.0.0.1:\(server.port)")
        let publisher = RosbridgePublisher(url, options: quickOptions())
        let error = await #expect(throws: RosbridgeError.self) { try await publisher.open([.chatter]) }
        #expect(error?.stage == .tls && error?.problem.contains("expected TLS") == true)
        _ = try await server.stop()
    }

    @Test("a file of authorities that is none is an error that names it")
    func noAuthorities() async throws {
        var options = quickOptions()
        options.transport.trust = .authorities(path: "/no/such/file.pem")
        let publisher = RosbridgePublisher(try RosbridgeURL("wss://127.0.0.1:1"), options: options)
        let error = await #expect(throws: RosbridgeError.self) { try await publisher.open([.chatter]) }
        #expect(error?.stage == .tls && error?.problem.contains("/no/such/file.pem") == true)
    }
}
