package import NIOCore
import NIOSSL

/// TLS for the connections to one server.
package struct TLSClient: Sendable {
    private let context: NIOSSLContext
    private let url: RosbridgeURL
    /// Whether the certificate has to be one for this server.
    private let judgesName: Bool
    /// The certificates that were named as trusted, if any were.
    private let authorities: [NIOSSLCertificate]

    /// Prepares TLS; throws a ``RosbridgeError`` if a file of certificates cannot be read.
    package init(
        _ url: RosbridgeURL,
        trust: TransportOptions.Trust,
        identity: TLSIdentity?
    ) throws(RosbridgeError) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // Names are judged by `CertificateJudge`: NIOSSL's own check takes the address of a peer for its name.
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

    /// Puts TLS into the channel, and behind it what explains its failures.
    package func addHandlers(to channel: any Channel) throws {
        let judge = CertificateJudge(url, authorities: authorities)
        // RFC 6066, 3: an address is not a server name.
        let name = url.isAddress ? nil : url.host
        // Nothing is sent, no password above all, before the callback has taken the certificate.
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

/// Tells what is wrong with a certificate that was refused, before the reason is lost with the connection.
private final class VerificationFailureHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let judge: CertificateJudge

    init(_ judge: CertificateJudge) {
        self.judge = judge
    }

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
