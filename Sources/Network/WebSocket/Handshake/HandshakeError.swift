/// Why an opening handshake did not lead to a connection (RFC 6455, 4).
package enum HandshakeError: Error, Equatable, Sendable {
    /// A field of the request that cannot be sent: its name or value is not allowed, or it is ours to set.
    case invalidField(String)
    /// The first bytes that came are not those of an HTTP message.
    case notHTTP(String)
    case headTooLong(limit: Int)
    case malformedHead(String)
    /// An answer other than 101.
    case refused(HandshakeRefusal)
    case wrongUpgrade(String?)
    case wrongConnection(String?)
    case wrongAccept(expected: String, found: String?)
    /// A Sec-WebSocket-Extensions that does not read.
    case malformedExtensions(String)
    case unrequestedExtension(String)
    /// An answer to an offer of compression that does not agree with it.
    case wrongExtensionParameters(offered: String, found: String)
    case unrequestedSubprotocol(String)
    /// A request that a server cannot take: the status to answer with, and what is wrong.
    case badRequest(status: Int, String)
    /// A request that is right, and that the server does not want to take.
    case denied(HandshakeRefusal)
    /// The stream ended before the handshake did.
    case ended
}

extension HandshakeError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .invalidField(let name): "header \"\(name)\": expected a name and value that may be set, found others"
        case .notHTTP(let start): "answer: expected HTTP/1.1, found \(start.debugDescription)"
        case .headTooLong(let limit): "header: expected at most \(limit) bytes, found more"
        case .malformedHead(let line): "header: expected \"name: value\", found \(line.debugDescription)"
        case .refused(let refusal): "\(refusal)"
        case .wrongUpgrade(let found): "Upgrade: expected websocket, found \(found ?? "nothing")"
        case .wrongConnection(let found): "Connection: expected Upgrade, found \(found ?? "nothing")"
        case .wrongAccept(let expected, let found):
            "Sec-WebSocket-Accept: expected \(expected), found \(found ?? "nothing")"
        case .malformedExtensions(let value):
            "Sec-WebSocket-Extensions: expected names and parameters, found \(value.debugDescription)"
        case .unrequestedExtension(let name):
            "Sec-WebSocket-Extensions: expected nothing but what was offered, found \(name)"
        case .wrongExtensionParameters(let offered, let found):
            "Sec-WebSocket-Extensions: expected an answer to \"\(offered)\", found \"\(found)\""
        case .unrequestedSubprotocol(let name): "Sec-WebSocket-Protocol: expected one that was asked for, found \(name)"
        case .badRequest(_, let problem): "request: \(problem)"
        case .denied(let refusal):
            "request: expected one that is admitted, refused with \(refusal.status) \(refusal.reason)"
        case .ended: "answer: expected 101 Switching Protocols, found the end of the stream"
        }
    }
}
