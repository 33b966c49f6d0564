/// The cost of reading a YAML text, found without parsing it.
///
/// A parser shares the nodes that aliases (`*name`) stand for (YAML 1.2.2, 7.1) and is done with them at once, but it
/// compares the keys of a mapping with each other, all that is in them, and so does on each level of keys in keys. A few
/// hundred bytes of aliases to nodes of aliases stand for gigabytes: comparing them, or writing them out, never ends. Nor
/// does, with a few hundred kilobytes, comparing a thousand levels of keys (`? `).
package enum YAMLCost {
    /// Refuses a text that costs far more than its length.
    ///
    /// An apparent anchor, alias or key may be part of a string, and a node is taken to reach from its anchor to the
    /// first alias to it, which cannot be inside of it: it costs this much at most.
    package static func check(_ text: String) throws(YAMLError) {
        var text = text
        let error = text.withUTF8 { bytes -> YAMLError? in
            if hasExcessiveAliases(bytes) {
                return YAMLError(
                    expected: "aliases that stand for little",
                    found: "aliases for far more than the text"
                )
            }
            let levels = min(bytes.indices.count { isKeyMark($0, in: bytes) }, YAMLParser.deepestLevel)
            guard levels * bytes.count > largestKeys else { return nil }
            return YAMLError(expected: "names as keys", found: "\(levels) keys that may hold the whole text")
        }
        if let error { throw error }
    }

    private struct Anchor {
        /// In bytes of the text before it with all aliases written out.
        var start: Int
        /// The same, as far as the first alias; nil before that.
        var byteCount: Int?
    }

    private static let leastLimit = 1 << 20
    private static let limitPerByte = 8
    private static let largestKeys = 1 << 24
    private static let anchorMark = UInt8(ascii: "&")
    private static let aliasMark = UInt8(ascii: "*")

    private static func hasExcessiveAliases(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var anchors: [Substring: Anchor] = [:]
        let limit = leastLimit + limitPerByte * bytes.count
        var expanded = 0
        var offset = 0
        while let place = bytes[offset...].firstIndex(where: { $0 == anchorMark || $0 == aliasMark }) {
            let name = bytes[(place + 1)...].prefix(while: isNameByte)
            offset = name.endIndex
            guard !name.isEmpty else { continue }
            let key = Substring(decoding: name, as: UTF8.self)
            if bytes[place] == anchorMark {
                // Where a name is given again, inside of the new node it still stands for the old one.
                anchors[key] = Anchor(start: anchors[key]?.start ?? place + expanded)
            } else if let anchor = anchors[key] {
                let count = anchor.byteCount ?? place + expanded - anchor.start
                anchors[key]?.byteCount = count
                expanded += count
                if expanded > limit { return true }
            }
        }
        return false
    }

    /// True if libyaml takes the byte for part of a name.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// True if a key may begin at the place that is no plain word of one line: those have a thousand bytes at most.
    private static func isKeyMark(_ place: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes[place] == UInt8(ascii: "?") else { return false }
        // After a word it belongs to that, as in a question.
        return place == 0 || " \t\r\n{[,:?-".utf8.contains(bytes[place - 1])
    }
}
