package import WebSocket

// Who may speak to a server, by what the request says: one rule for all servers.
extension ServerOptions {
    /// Why a request is refused; `nil` where it is not.
    func refusal(target: String, fields: [HTTPField]) -> HandshakeRefusal? {
        if refusedOrigin(fields) != nil { return HandshakeRefusal(status: 403, reason: "Forbidden origin") }
        guard let token, !token.isShown(target: target, fields: fields) else { return nil }
        return HandshakeRefusal(status: 401, reason: "Unauthorized", challenge: AccessToken.challenge)
    }

    /// The page that may not connect: any that a browser has open could use a server on the same machine.
    ///
    /// Programs that are no browsers name no origin.
    package func refusedOrigin(_ fields: [HTTPField]) -> String? {
        let hosts = fields.filter { $0.name.lowercased() == "host" }.map(\.value)
        return fields.filter { $0.name.lowercased() == "origin" }.map(\.value).first { origin in
            !OriginRule.isOfApplication(origin) && !OriginRule.isOfThisMachine(origin) && !origins.contains(origin)
                && !(hosts.count == 1 && OriginRule.isOfServer(origin, host: hosts[0], isSecure: tls != nil))
        }
    }
}
