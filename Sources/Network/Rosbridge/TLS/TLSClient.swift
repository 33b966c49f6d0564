package import NIOCore
import NIOSSL

/// The TLS configuration for connections to one server.
package struct TLSClient: Sendable {
    private let context: NIOSSLContext
    private let url: RosbridgeURL
    /// True if the certificate has to match this server.
    private let judgesName: Bool
    /// The given trusted certificates, if any.
    private let authorities: [NIOSSLCertificate]

    /// Prepares TLS; throws a ``RosbridgeError`` if a file of certificates cannot be read.
    package init(
        _ url: RosbridgeURL,
        trust: TransportOptions.Trust,
        identity: TLSIdentity?
    ) throws(RosbridgeError) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // `CertificateJudge` checks names, because NIOSSL's own check also accepts the peer's address.
        configuration.certificateVerification = .noHostnameVerification
        var authorities: [NIOSSLCertificate] = []
        switch trust {
        case .system: break
        case .authorities(let path):
            do {
                authorities = try PEMFile.certificates(path)
            } catch {
                throw RosbridgeError(url.description, .tls, "\(error)", advice: error.advice)
            }
            configuration.trustRoots = .certificates(authorities)
        case .anyone: configuration.certificateVerification = .none
        }
        identity?.apply(to: &configuration)
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw RosbridgeError(url.description, .tls, "\(error)")
        }
        self.url = url
        self.authorities = authorities
        judgesName = trust != .anyone
    }

    /// Adds TLS to the channel, followed by a handler that explains its failures.
    package func addHandlers(to channel: any Channel) throws {
        let judge = CertificateJudge(url, authorities: authorities)
        // RFC 6066, 3: an address is not a server name.
        let name = url.isAddress ? nil : url.host
        // Nothing, above all no password, is sent before the callback has accepted the certificate.
        let handler =
            judgesName
            ? try NIOSSLClientHandler._makeSSLClientHandler(context: context, serverHostname: name) {
                certificate,
                channel in
                channel.eventLoop.makeCompletedFuture { try judge.judgeName(of: certificate) }
            }
            : try NIOSSLClientHandler(context: context, serverHostname: name)
        try channel.pipeline.syncOperations.addHandlers(handler, VerificationFailureHandler(judge))
    }
}

/// Explains why a certificate was refused, before the reason is lost with the connection.
private final class VerificationFailureHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let judge: CertificateJudge

    init(_ judge: CertificateJudge) { self.judge = judge }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard "\(error)".contains("CERTIFICATE_VERIFY_FAILED"),
            let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
        else {
            context.fireErrorCaught(error)
            return
        }
        context.fireErrorCaught(judge.explanation(for: certificate))
    }
}
