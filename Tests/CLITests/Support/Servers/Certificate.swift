import Foundation
import TestSupport

/// A self-signed certificate for localhost, made on the spot.
struct Certificate {
    let path: String
    let key: String

    private static let openssl = "/usr/bin/openssl"
    static let isAvailable = PeerPython.isRequired || FileManager.default.isExecutableFile(atPath: openssl)
    static let absence = "needs openssl"

    static func make(in folder: Scratch) async throws -> Certificate {
        let certificate = Certificate(path: folder("certificate.pem"), key: folder("key.pem"))
        let outcome = try await ChildProcess(
            openssl,
            ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=robot"]
                + ["-addext", "subjectAltName=DNS:localhost", "-out", certificate.path, "-keyout", certificate.key]
        ).finish()
        guard outcome.status == 0 else { throw Peer.Unsuccessful(script: "openssl", outcome: outcome) }
        return certificate
    }
}
