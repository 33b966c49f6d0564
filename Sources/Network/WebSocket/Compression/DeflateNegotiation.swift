/// The negotiated parameters of permessage-deflate, from the view of one end (RFC 7692, 7.1).
struct DeflateAgreement: Equatable, Sendable {
    /// The parameters in the server's answer.
    var parameters: DeflateParameters
    /// The size of our compression window.
    var windowBits: Int
    var keepsContext: Bool
    var peerKeepsContext: Bool
}

extension DeflateOptions {
    /// The offer of a client.
    ///
    /// It always contains `client_max_window_bits`, which only allows the server to ask for a smaller window.
    var offer: DeflateParameters {
        DeflateParameters(
            serverNoContextTakeover: !peerKeepsContext,
            clientNoContextTakeover: !keepsContext,
            serverMaxWindowBits: peerWindowBits < 15 ? peerWindowBits : nil,
            clientMaxWindowBits: windowBits < 15 ? .bits(windowBits) : .anyBits
        )
    }

    /// Checks a server's answer against our offer; `nil` if the two contradict each other (RFC 7692, 7.1.1 and 7.1.2).
    func agreement(answer: DeflateParameters) -> DeflateAgreement? {
        let offer = offer
        guard !offer.serverNoContextTakeover || answer.serverNoContextTakeover else { return nil }
        if let offered = offer.serverMaxWindowBits {
            guard let answered = answer.serverMaxWindowBits, answered <= offered else { return nil }
        }
        var windowBits = windowBits
        switch answer.clientMaxWindowBits {
        case .anyBits: return nil
        case .bits(let bits):
            guard bits <= windowBits else { return nil }
            windowBits = bits
        case nil: break
        }
        return DeflateAgreement(
            parameters: answer,
            windowBits: windowBits,
            keepsContext: keepsContext && !answer.clientNoContextTakeover,
            peerKeepsContext: !answer.serverNoContextTakeover
        )
    }

    /// Accepts the first acceptable offer, in the client's order of preference (RFC 7692, 5.1).
    func agreement(offers: [ExtensionElement]) -> DeflateAgreement? {
        offers.lazy
            .filter { $0.name == DeflateParameters.extensionName }
            .compactMap { DeflateParameters($0.parameters) }
            .first
            .map { agreement(offer: $0) }
    }

    private func agreement(offer: DeflateParameters) -> DeflateAgreement {
        var answer = DeflateParameters()
        answer.serverNoContextTakeover = offer.serverNoContextTakeover || !keepsContext
        answer.clientNoContextTakeover = offer.clientNoContextTakeover || !peerKeepsContext
        let windowBits = min(offer.serverMaxWindowBits ?? 15, windowBits)
        // An offer with a window must be answered with one; otherwise the answer tells the client our window.
        if offer.serverMaxWindowBits != nil || windowBits < 15 { answer.serverMaxWindowBits = windowBits }
        switch offer.clientMaxWindowBits {
        case .anyBits where peerWindowBits < 15: answer.clientMaxWindowBits = .bits(peerWindowBits)
        case .bits(let bits): answer.clientMaxWindowBits = .bits(min(bits, peerWindowBits))
        // The server may not send this parameter unless the client offered it; we can decompress any window.
        default: break
        }
        return DeflateAgreement(
            parameters: answer,
            windowBits: windowBits,
            keepsContext: !answer.serverNoContextTakeover,
            peerKeepsContext: !answer.clientNoContextTakeover
        )
    }
}
