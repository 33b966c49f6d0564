/// The kind of entry that a name stands for.
enum ArchiveName: Hashable {
    /// A regular file's relative name, in the one form that look-ups use.
    case file(String)
    case directory
    /// An entry that macOS adds and no session needs: `__MACOSX`, `.DS_Store`, `._name`.
    case ignored

    /// Reads a name from an archive; a name that could lead out of the archive is refused.
    static func parse(
        _ bytes: some Sequence<UInt8>,
        codec: CodecError.Codec,
        at byteOffset: Int
    ) throws(CodecError) -> ArchiveName {
        let text = String(decoding: Array(bytes), as: UTF8.self)
        func refusal(_ why: String) -> CodecError {
            CodecError(codec, at: byteOffset, "entry \(quoted(text)): \(why)")
        }
        if text.isEmpty { throw refusal("an empty name") }
        if text.utf8.contains(0) { throw refusal("a name with a NUL") }
        if text.utf8.contains(UInt8(ascii: "\\")) { throw refusal("a name with a backslash") }
        if text.utf8.first == UInt8(ascii: "/") { throw refusal("an absolute name") }
        if hasDriveLetter(text) { throw refusal("a name with a drive") }
        var components: [Substring] = []
        for component in text.split(separator: "/") where component != "." {
            guard component != ".." else { throw refusal("a name with \"..\"") }
            components.append(component)
        }
        guard text.utf8.last != UInt8(ascii: "/"), let last = components.last else { return .directory }
        if components[0] == "__MACOSX" || last == ".DS_Store" || last.hasPrefix("._") { return .ignored }
        return .file(components.joined(separator: "/"))
    }

    private static func hasDriveLetter(_ text: String) -> Bool {
        let start = Array(text.utf8.prefix(3))
        guard start.count == 3, start[1] == UInt8(ascii: ":"), start[2] == UInt8(ascii: "/") else { return false }
        return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(start[0] & 0xDF)
    }
}
