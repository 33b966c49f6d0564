import Glibc
import NIOSSL

/// The subject and the issuer of a certificate.
struct CertificateNames {
    /// The encoded distinguished names, and a readable form of them.
    let subject: [UInt8]
    let issuer: [UInt8]
    private let commonName: String?
    let issuerName: String
    private var hostNames: [String] = []
    private var addresses: [[UInt8]] = []

    init(_ certificate: NIOSSLCertificate) {
        let names = (try? certificate.toDERBytes()).flatMap { DistinguishedNames(certificate: $0) }
        subject = names?.subject ?? []
        issuer = names?.issuer ?? []
        commonName = names?.commonName(in: subject)
        issuerName = names?.commonName(in: issuer) ?? names?.organization(in: issuer) ?? "an authority without a name"
        for name in certificate._subjectAlternativeNames() {
            let bytes = Array(name.contents)
            if name.nameType == .dnsName { hostNames.append(String(decoding: bytes, as: UTF8.self)) }
            if name.nameType == .ipAddress { addresses.append(bytes) }
        }
        // Fallback for old certificates that carry the host in the common name only.
        if hostNames.isEmpty, addresses.isEmpty, let commonName { hostNames = [commonName] }
    }

    /// A text with the hosts of the certificate, at most five.
    var summary: String {
        let all = hostNames + addresses.map(Self.text)
        guard !all.isEmpty else { return "none" }
        return all.prefix(5).map { $0.debugDescription.dropFirst().dropLast() }.joined(separator: ", ")
            + (all.count > 5 ? " and \(all.count - 5) others" : "")
    }

    func cover(name: String) -> Bool {
        let labels = Self.labels(name)
        return hostNames.contains { pattern in
            let pattern = Self.labels(pattern)
            guard pattern.count == labels.count, pattern.first == "*" else { return pattern == labels }
            // RFC 9525, 6.3: a wildcard matches exactly the first label, and never a whole domain.
            return pattern.count > 2 && pattern.dropFirst() == labels.dropFirst()
        }
    }

    func cover(address: String) -> Bool {
        Self.bytes(of: address).map { addresses.contains($0) } ?? false
    }

    private static func labels(_ name: String) -> [String] {
        var labels = name.lowercased().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        // A trailing dot only marks the name as absolute.
        if labels.last == "" { labels.removeLast() }
        return labels
    }

    /// Four or sixteen bytes; the zone of an IPv6 address is no part of it.
    private static func bytes(of address: String) -> [UInt8]? {
        let address = String(address.prefix { $0 != "%" })
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET6, address, &bytes) == 1 { return bytes }
        // Accepts the short forms that connecting accepts, too; network byte order.
        let number = inet_addr(address)
        guard number != .max else { return nil }
        return withUnsafeBytes(of: number) { Array($0) }
    }

    private static func text(of address: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: 64)
        let family = address.count == 4 ? AF_INET : AF_INET6
        guard address.count == 4 || address.count == 16,
            inet_ntop(family, address, &text, socklen_t(text.count)) != nil
        else { return "an address of \(address.count) bytes" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The names in a certificate's DER (X.690; RFC 5280, 4.1), which NIOSSL does not show.
package struct DistinguishedNames {
    package let issuer: [UInt8]
    package let subject: [UInt8]

    /// Returns `nil` if the bytes are not a certificate.
    package init?(certificate: [UInt8]) {
        // Certificate ::= SEQUENCE { tbsCertificate SEQUENCE { [0] version, serialNumber, signature, issuer, validity,
        // subject, ... } ... }
        var outer = DERReader(certificate[...])
        guard let all = outer.next(), var whole = Optional(DERReader(all.content)), let first = whole.next()
        else { return nil }
        var reader = DERReader(first.content)
        var elements: [DERReader.Element] = []
        while elements.count < 6, let element = reader.next() {
            // The version is optional.
            if elements.isEmpty, element.tag == 0xA0 { continue }
            elements.append(element)
        }
        guard elements.count >= 5 else { return nil }
        issuer = Array(elements[2].content)
        subject = Array(elements[4].content)
    }

    package func commonName(in name: [UInt8]) -> String? { value(of: [0x55, 0x04, 0x03], in: name) }
    package func organization(in name: [UInt8]) -> String? { value(of: [0x55, 0x04, 0x0A], in: name) }

    /// The last value of an attribute; a name is a sequence of sets of type and value pairs.
    private func value(of type: [UInt8], in name: [UInt8]) -> String? {
        var found: String?
        var sets = DERReader(name[...])
        while let set = sets.next() {
            var pairs = DERReader(set.content)
            while let pair = pairs.next() {
                var parts = DERReader(pair.content)
                guard let key = parts.next(), let value = parts.next(), Array(key.content) == type else { continue }
                found = String(decoding: value.content, as: UTF8.self)
            }
        }
        return found
    }
}

/// Iterates over the elements of one level of DER; malformed bytes end the iteration.
private struct DERReader {
    struct Element {
        var tag: UInt8
        var content: ArraySlice<UInt8>
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func next() -> Element? {
        guard let tag = rest.popFirst(), let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            // The long form; no length in a certificate needs more than four bytes.
            guard first > 0x80, first <= 0x84, rest.count >= Int(first & 0x7F) else { return nil }
            length = rest.prefix(Int(first & 0x7F)).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(Int(first & 0x7F))
        }
        guard rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return Element(tag: tag, content: rest.prefix(length))
    }
}
