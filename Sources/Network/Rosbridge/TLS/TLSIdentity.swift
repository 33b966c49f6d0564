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
