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
