import NIOCore
import NIOSSL

/// TLS for the connections to one server.
struct TLSClient: Sendable {
    private let context: NIOSSLContext
    private let serverHostname: String?

    /// Prepares TLS; throws a ``RosbridgeError`` if a file of certificates cannot be read.
    init(_ url: RosbridgeURL, trust: TransportOptions.Trust) throws(RosbridgeError) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        switch trust {
        case .system: break
        case .authorities(let path):
            do {
                configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
            } catch {
                throw RosbridgeError(url.description, .tls, "\(path): expected certificates in PEM form, found none")
            }
        case .anyone: configuration.certificateVerification = .none
        }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw RosbridgeError(url.description, .tls, "\(error)")
        }
        // RFC 6066, 3: an address is not a server name.
        serverHostname = url.isAddress ? nil : url.host
    }

    func addHandler(to channel: any Channel) throws {
        let handler = try NIOSSLClientHandler(context: context, serverHostname: serverHostname)
        try channel.pipeline.syncOperations.addHandler(handler)
    }
}
