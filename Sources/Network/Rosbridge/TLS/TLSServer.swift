package import NIOCore
import NIOSSL

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
