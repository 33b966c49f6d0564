/// The paths of the files of all frames, for lists that name them: of paths that differ in a number only that number is kept.
///
/// A list of a hundred thousand frames then costs 4 bytes a frame; paths of another form are kept as they are.
struct PathColumn: Sendable {
    private var prefix = ""
    private var suffix = ""
    /// Of the number, with leading zeros.
    private var digits = 0
    private var numbers: [Int32] = []
    private var others: [Int: String] = [:]
    private var isFirst = true

    private static let absent: Int32 = -1
    private static let other: Int32 = -2

    var count: Int { numbers.count }

    /// Adds the path of the next frame; `nil` where it has none.
    mutating func append(_ path: String?) {
        guard let path else {
            numbers.append(Self.absent)
            return
        }
        let parts = Self.parts(path)
        if isFirst { (prefix, suffix, digits, isFirst) = (parts.prefix, parts.suffix, parts.digits, false) }
        if let number = parts.number, parts.prefix == prefix, parts.suffix == suffix, padded(number) == path {
            numbers.append(number)
        } else {
            others[numbers.count] = path
            numbers.append(Self.other)
        }
    }

    /// The path of a frame by its place, from 0.
    subscript(place: Int) -> String? {
        guard numbers.indices.contains(place) else { return nil }
        switch numbers[place] {
        case Self.absent: return nil
        case Self.other: return others[place]
        default: return padded(numbers[place])
        }
    }

    /// The number in a frame's path; `nil` where paths differ in more than that.
    func number(_ place: Int) -> Int? {
        others.isEmpty && numbers.indices.contains(place) && numbers[place] >= 0 ? Int(numbers[place]) : nil
    }

    private func padded(_ number: Int32) -> String { prefix + NumberedFile.padded(Int(number), digits) + suffix }

    /// Around the last number of at most nine digits in the name.
    private static func parts(_ path: String) -> (prefix: String, number: Int32?, digits: Int, suffix: String) {
        let bytes = Array(path.utf8)
        func isDigit(_ place: Int) -> Bool { (0x30...0x39).contains(bytes[place]) }
        guard let last = bytes.indices.last(where: isDigit) else { return (path, nil, 0, "") }
        var first = last
        while first > 0, isDigit(first - 1), last - first < 8 { first -= 1 }
        let text = String(decoding: bytes[first...last], as: UTF8.self)
        return (
            String(decoding: bytes[..<first], as: UTF8.self), Int32(text),
            text.hasPrefix("0") ? text.utf8.count : 0, String(decoding: bytes[(last + 1)...], as: UTF8.self)
        )
    }

    /// A path that a list names, with `/` between its parts, whatever system wrote it.
    ///
    /// One that leads out of the list's folder begins with `/`: nothing but its end tells where the file may be.
    ///
    /// - Returns: `nil` for what cannot be a path.
    static func normalized(_ path: String) -> String? {
        guard !path.utf8.contains(0), path.utf8.count <= 1024 else { return nil }
        let separators: Set<Character> = ["/", "\\"]
        var parts = path.split { separators.contains($0) }.filter { $0 != "." }
        var isOutside = path.first.map(separators.contains) ?? false
        if let drive = parts.first, drive.utf8.count == 2, drive.hasSuffix(":") {
            parts.removeFirst()
            isOutside = true
        }
        if let last = parts.lastIndex(of: "..") {
            parts.removeFirst(last + 1)
            isOutside = true
        }
        return parts.isEmpty ? nil : (isOutside ? "/" : "") + parts.joined(separator: "/")
    }
}
