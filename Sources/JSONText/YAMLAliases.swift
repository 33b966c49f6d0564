/// What the aliases (`*name`) of a YAML text stand for (YAML 1.2.2, 7.1).
///
/// A few hundred bytes of aliases to nodes of aliases stand for gigabytes. A parser shares such nodes and is done at
/// once; whoever compares them, as a parser does with keys, or writes them out, is never done.
package enum YAMLAliases {
    /// Refuses a text whose aliases stand for far more than the text holds.
    ///
    /// No YAML is parsed: what counts as an anchor or an alias may be part of a string, and a node is taken to reach
    /// from its anchor to the first alias to it, which cannot be inside of it. It is that long at most.
    package static func check(_ text: String) throws(YAMLAliasError) {
        var text = text
        let isExcessive = text.withUTF8 { bytes in
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
        if isExcessive { throw YAMLAliasError() }
    }

    private struct Anchor {
        /// In bytes of the text before it with all aliases written out.
        var start: Int
        /// The same, as far as the first alias; nil before that.
        var byteCount: Int?
    }

    private static let leastLimit = 1 << 20
    private static let limitPerByte = 8
    private static let anchorMark = UInt8(ascii: "&")
    private static let aliasMark = UInt8(ascii: "*")

    /// What libyaml takes for part of a name.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// A YAML text that stands for far more than it holds.
package struct YAMLAliasError: Error, Equatable, Sendable {
    package let expected = "aliases that stand for little"
    package let found = "aliases of aliases for more than eight times the text"
}
