/// The texts of a ros2msg concatenation: the root's, then those of its dependencies after lines of 80 `=`.
struct DefinitionSections {
    /// The text of the type asked for.
    private(set) var root: ArraySlice<UInt8> = []
    /// The texts of other types by their full names.
    private(set) var others: [String: ArraySlice<UInt8>] = [:]
    /// True if some section is IDL, which is not read.
    private(set) var hasIDL = false

    /// Takes a concatenation apart without reading the texts.
    init(_ bytes: [UInt8], typeName: String) throws(SchemaError) {
        guard bytes.count <= SchemaLimits.textBytes else {
            let found = "\(bytes.count)"
            throw SchemaError(
                source: typeName,
                expected: "a text of at most \(SchemaLimits.textBytes) bytes",
                found: found
            )
        }
        /// Where the section that is being passed over began, and whose it is.
        var sectionStart = 0
        var sectionName: String?
        var isAfterSeparator = false
        var lineStart = 0
        while lineStart < bytes.count {
            let end = bytes[lineStart...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let line = trimmed(bytes[lineStart..<end])
            if isAfterSeparator {
                if !line.isEmpty {
                    sectionName = try header(line, typeName: typeName)
                    sectionStart = min(end + 1, bytes.count)
                    isAfterSeparator = false
                }
            } else if line.count >= 80, line.allSatisfy({ $0 == UInt8(ascii: "=") }) {
                try add(bytes[sectionStart..<lineStart], named: sectionName, typeName: typeName)
                isAfterSeparator = true
            }
            lineStart = end + 1
        }
        guard !isAfterSeparator else {
            throw SchemaError(source: typeName, expected: "\"MSG: \" after a separator", found: "the end of the text")
        }
        try add(bytes[sectionStart...], named: sectionName, typeName: typeName)
        // Some writers give the root a header, too.
        if trimmed(root).isEmpty, let named = others[typeName] { root = named }
    }

    /// Reads the line after a separator and gives the full name in it.
    private mutating func header(_ line: ArraySlice<UInt8>, typeName: String) throws(SchemaError) -> String {
        let isIDL = line.starts(with: "IDL:".utf8)
        let name = TypeName(String(decoding: trimmed(line.dropFirst(4)), as: UTF8.self))
        guard isIDL || line.starts(with: "MSG:".utf8), let name else {
            throw SchemaError(
                source: typeName,
                expected: "\"MSG: package/Name\" after a separator",
                found: quoted(line)
            )
        }
        hasIDL = hasIDL || isIDL
        return name.full
    }

    private mutating func add(_ text: ArraySlice<UInt8>, named name: String?, typeName: String) throws(SchemaError) {
        guard let name else {
            root = text
            return
        }
        if let other = others[name], !trimmed(other).elementsEqual(trimmed(text)) {
            throw SchemaError(source: name, expected: "one definition", found: "two that differ")
        }
        others[name] = text
        guard others.count <= SchemaLimits.types else {
            throw SchemaError(source: typeName, expected: "at most \(SchemaLimits.types) types", found: "more")
        }
    }
}
