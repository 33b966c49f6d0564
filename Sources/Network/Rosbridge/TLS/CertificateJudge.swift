import Glibc
import NIOSSL

/// Checks whether a certificate matches a server, and explains why a certificate was not trusted.
struct CertificateJudge: Sendable {
    private let server: String
    private let host: String
    private let isAddress: Bool
    private let authorities: [NIOSSLCertificate]

    init(_ url: RosbridgeURL, authorities: [NIOSSLCertificate]) {
        server = url.description
        host = url.host
        isAddress = url.isAddress
        self.authorities = authorities
    }

    /// Throws unless the certificate contains the host's name, or its address if the URL has an address (RFC 9525, 6).
    ///
    /// Names and addresses never match each other: the server at an address need not be the one with that name.
    func judgeName(of certificate: NIOSSLCertificate) throws(RosbridgeError) {
        let names = CertificateNames(certificate)
        guard isAddress ? names.cover(address: host) : names.cover(name: host) else {
            throw RosbridgeError(
                server,
                .tls,
                "expected a certificate for this host (\(host)), found one for \(names.summary)",
                advice: "use the name or address that the certificate carries; --insecure trusts anyone"
            )
        }
    }

    /// Explains why a certificate is not trusted by the system or the given authorities.
    func explanation(for certificate: NIOSSLCertificate) -> RosbridgeError {
        let now = time(nil)
        if certificate.notValidAfter < now {
            return error(
                "one that expired on \(date(certificate.notValidAfter))",
                expected: "a certificate that is valid now",
                advice: "renew the server's certificate, if this machine's clock is right; --insecure trusts anyone"
            )
        }
        if certificate.notValidBefore > now {
            return error(
                "one that is valid from \(date(certificate.notValidBefore))",
                expected: "a certificate that is valid now",
                advice: "is the clock of this machine right?"
            )
        }
        let names = CertificateNames(certificate)
        guard names.issuer != names.subject else {
            return error(
                "a self-signed one for \(names.summary)",
                expected: "a certificate of an authority that is trusted",
                advice: "--ca FILE with the server's own certificate trusts it; --insecure trusts anyone"
            )
        }
        if let issuer = authorities.first(where: { CertificateNames($0).subject == names.issuer }) {
            return explanation(issuer, names.issuerName, isExpired: issuer.notValidAfter < now)
        }
        return error(
            "one of \(names.issuerName), which is not",
            expected: "a certificate of an authority that is trusted",
            advice: "--ca FILE names a private authority, and those between if the server does not send them; "
                + "--insecure trusts anyone"
        )
    }

    /// Explains what is wrong with a given authority.
    private func explanation(_ issuer: NIOSSLCertificate, _ name: String, isExpired: Bool) -> RosbridgeError {
        let names = CertificateNames(issuer)
        if isExpired {
            return error(
                "one of \(name), which expired on \(date(issuer.notValidAfter))",
                expected: "a certificate of an authority that is valid now",
                advice: "give the authority's new certificate with --ca FILE"
            )
        }
        guard names.issuer == names.subject else {
            return error(
                "one of \(name), whose own authority (\(names.issuerName)) is not",
                expected: "a certificate of an authority that is trusted",
                advice: "the file of --ca has to hold all authorities up to the one that signs for itself"
            )
        }
        return error(
            "one that does not bear the signature of \(name), or is not one of a server",
            expected: "a certificate that can be verified",
            advice: "is the file of --ca the one that signed the server's certificate?"
        )
    }

    private func error(_ found: String, expected: String, advice: String) -> RosbridgeError {
        RosbridgeError(server, .tls, "expected \(expected), found \(found)", advice: advice)
    }

    /// A date in UTC, RFC 3339.
    private func date(_ seconds: time_t) -> String {
        var seconds = seconds
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
