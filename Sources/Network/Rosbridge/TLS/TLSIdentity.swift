import Glibc
package import NIOCore
import NIOSSL

/// A certificate chain and its private key: the identity of one end of TLS.
package struct TLSIdentity: Sendable {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    /// Reads PEM files; throws a ``TLSFileError`` if one cannot be read, or the key does not match the first
    /// certificate.
    package init(certificatePath: String, keyPath: String) throws(TLSFileError) {
        chain = try PEMFile.certificates(certificatePath)
        key = try PEMFile.key(keyPath)
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        apply(to: &configuration)
        do {
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            // NIOSSL throws the same error for every key that BoringSSL refuses for the certificate.
            let isOfAnother = error as? NIOSSLError == .failedToLoadPrivateKey
            throw TLSFileError(
                path: keyPath,
                expected: "the key of \(certificatePath)",
                found: isOfAnother ? "that of another certificate" : "\(error)",
                advice:
                    "the certificate that the key belongs to stands first in its file, those of authorities after it"
            )
        }
    }

    func apply(to configuration: inout TLSConfiguration) {
        configuration.certificateChain = chain.map { .certificate($0) }
        configuration.privateKey = .privateKey(key)
    }
}

/// The TLS configuration for the connections that a server accepts.
package struct TLSServer: Sendable {
    private let context: NIOSSLContext

    /// Prepares TLS; throws a ``TLSFileError`` if the client authorities cannot be read.
    ///
    /// - Parameter clientAuthorities: a PEM file; if given, a client needs a certificate of one of them.
    package init(_ identity: TLSIdentity, clientAuthorities path: String? = nil) throws(TLSFileError) {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [],
            privateKey: .privateKey(identity.key)
        )
        identity.apply(to: &configuration)
        configuration.minimumTLSVersion = .tlsv12
        if let path {
            configuration.trustRoots = .certificates(try PEMFile.certificates(path))
            // A client certificate identifies its owner, so the host name is not checked.
            configuration.certificateVerification = .noHostnameVerification
            configuration.sendCANameList = true
        }
        // Does not wait for clients that close without ending TLS.
        configuration.shutdownTimeout = .milliseconds(500)
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw TLSFileError(path: path ?? "TLS", expected: "certificates that can be used", found: "\(error)")
        }
    }

    package func addHandler(to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }
}

/// An unusable file of certificates or keys.
package struct TLSFileError: Error, Equatable, Sendable, CustomStringConvertible {
    package var path: String
    package var expected: String
    package var found: String
    package var advice: String?
    /// True if the file is missing, rather than invalid.
    package var isMissing = false

    package var description: String { "\(path): expected \(expected), found \(found)" }
}

/// Reads certificates and keys from PEM files (RFC 7468).
enum PEMFile {
    /// The maximum file size; the authorities of a whole system take a quarter of it.
    private static let maximumBytes = 1 << 20

    static func certificates(_ path: String) throws(TLSFileError) -> [NIOSSLCertificate] {
        let bytes = try read(path, expected: "certificates in PEM form")
        let certificates = (try? NIOSSLCertificate.fromPEMBytes(bytes)) ?? []
        guard !certificates.isEmpty else {
            throw TLSFileError(path: path, expected: "certificates in PEM form", found: "none")
        }
        return certificates
    }

    static func key(_ path: String) throws(TLSFileError) -> NIOSSLPrivateKey {
        let bytes = try read(path, expected: "a private key in PEM form")
        // RFC 7468, 11, and the older form of RFC 1421, 4.6.1.1.
        let text = String(decoding: bytes, as: UTF8.self)
        if text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED") {
            throw TLSFileError(
                path: path,
                expected: "a private key without a passphrase",
                found: "an encrypted one",
                advice:
                    "`openssl pkey -in \(path) -out plain.pem` takes the passphrase off; keep the result to yourself"
            )
        }
        do {
            return try NIOSSLPrivateKey(bytes: bytes, format: .pem)
        } catch {
            throw TLSFileError(path: path, expected: "a private key in PEM form", found: "none")
        }
    }

    private static func read(_ path: String, expected: String) throws(TLSFileError) -> [UInt8] {
        func failure() -> TLSFileError {
            let isMissing = errno == ENOENT || errno == ENOTDIR
            let reason = String(cString: strerror(errno)).lowercased()
            return TLSFileError(path: path, expected: expected, found: reason, isMissing: isMissing)
        }
        guard let file = fopen(path, "rb") else { throw failure() }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= maximumBytes {
            let count = fread(&block, 1, block.count, file)
            if count == 0 { break }
            bytes += block[..<count]
        }
        guard ferror(file) == 0 else { throw failure() }
        guard bytes.count <= maximumBytes else {
            throw TLSFileError(path: path, expected: expected, found: "more than \(maximumBytes) bytes")
        }
        guard !bytes.isEmpty else { throw TLSFileError(path: path, expected: expected, found: "an empty file") }
        return bytes
    }
}
