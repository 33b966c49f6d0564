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
