import NIOSSL

extension RosbridgeError {
    /// The error for a failure in BoringSSL or NIOSSL.
    init(_ server: String, tls error: any Error) {
        let text = "\(error)"
        self.init(server, .tls, text)
        guard let known = RosbridgeError.known.first(where: { text.contains($0.part) }) else { return }
        problem = known.problem
        advice = known.advice
    }

    /// Parts of BoringSSL's error texts, with their meaning and our advice.
    private static let known: [(part: String, problem: String, advice: String?)] = [
        (
            "CERTIFICATE_VERIFY_FAILED", "expected a certificate that can be verified, found another",
            "--ca FILE names a private authority; --insecure trusts anyone"
        ),
        (
            "WRONG_VERSION_NUMBER", "expected TLS, found something else",
            "is this a ws server rather than a wss server?"
        ),
        ("HTTP_REQUEST", "expected TLS, found an HTTP request", "is the other end told ws rather than wss?"),
        (
            "ALERT_CERTIFICATE_REQUIRED", "the server asks for a client certificate, and was given none",
            "--cert FILE and --key FILE name one"
        ),
        ("PEER_DID_NOT_RETURN_A_CERTIFICATE", "expected a client certificate, found none", nil),
        (
            "ALERT_UNKNOWN_CA", "the other end does not trust the certificate that it was shown",
            "the certificate has to be one of an authority that the other end trusts"
        ),
        (
            "ALERT_BAD_CERTIFICATE", "the other end does not take the certificate that it was shown",
            "the certificate has to be one of an authority that the other end trusts"
        ),
        (
            "ALERT_CERTIFICATE_EXPIRED", "the other end finds the certificate that it was shown expired",
            "renew it, and look at the clocks of both machines"
        ),
        ("ALERT_CERTIFICATE_UNKNOWN", "the other end does not take the certificate that it was shown", nil),
        ("ALERT_DECRYPT_ERROR", "the other end cannot verify the certificate that it was shown", nil),
        (
            "ALERT_HANDSHAKE_FAILURE", "the server refuses the handshake",
            "it may ask for a client certificate: --cert FILE and --key FILE name one"
        ),
        ("ALERT_PROTOCOL_VERSION", "expected TLS 1.2 or 1.3, found another version", nil),
        ("UNSUPPORTED_PROTOCOL", "expected TLS 1.2 or 1.3, found another version", nil),
        ("EOF during handshake", "expected a TLS handshake, found the end of the stream", nil),
    ]
}
