import NIOCore
import NIOSSL

/// TLS for the connections that a server takes.
package struct TLSServer: Sendable {
    private let context: NIOSSLContext

    /// Prepares TLS; throws a ``TLSFileError`` if the authorities of clients cannot be read.
    ///
    /// - Parameter clientAuthorities: a PEM file; a client needs a certificate of one of them.
    package init(_ identity: TLSIdentity, clientAuthorities path: String? = nil) throws(TLSFileError) {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [],
            privateKey: .privateKey(identity.key)
        )
        identity.apply(to: &configuration)
        configuration.minimumTLSVersion = .tlsv12
        if let path {
            configuration.trustRoots = .certificates(try PEMFile.certificates(path))
            // Whose certificate it is matters, not the name of the machine that it is used on.
            configuration.certificateVerification = .noHostnameVerification
            configuration.sendCANameList = true
        }
        // A client that does not end TLS in order is not waited for.
        configuration.shutdownTimeout = .milliseconds(500)
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw TLSFileError(path: path ?? "TLS", expected: "certificates that can be used", found: "\(error)")
        }
    }

    func addHandler(to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }
}
