import Platform
import Recording

/// Where the files that a list names are found: as it says, or by the ends of their paths.
///
/// Lists are made on other machines: their paths are absolute, have the separator of another system, or the files have been
/// moved beside the list or into one folder, or coded anew with another ending. One place holds for all paths of a list.
struct NamedPlace: Hashable, Sendable {
    enum Folder: Hashable, Sendable {
        case asNamed
        /// The last so many parts of the path.
        case end(Int)
        /// The last part, in this folder.
        case folder(String)
    }

    var folder = Folder.asNamed
    /// What the names end with instead of their own ending.
    var ending: String?

    static let asNamed = NamedPlace()

    /// The path below the list's folder, by one as ``PathColumn/normalized(_:)`` gives it.
    func path(_ named: String) -> String {
        var parts = named.split(separator: "/")
        if let ending, let name = parts.last, let dot = name.lastIndex(of: ".") {
            parts[parts.count - 1] = name[..<dot] + ending
        }
        switch folder {
        case .asNamed: return parts.joined(separator: "/")
        case .end(let count): return parts.suffix(count).joined(separator: "/")
        case .folder(let folder): return "\(folder)/\(parts.last ?? "")"
        }
    }

    /// The places that are looked at, those that say most of a path first.
    static func candidates(_ folder: String, endings: [String]) -> [NamedPlace] {
        let folders: [Folder] = [.asNamed, .end(4), .end(3), .end(2), .end(1), .folder(folder)]
        return ([nil] + endings).flatMap { ending in folders.map { NamedPlace(folder: $0, ending: ending) } }
    }
}

/// The files of one kind that the frames of a list name, and where they are.
struct NamedFiles: Sendable {
    /// The list's field that has their paths.
    let field: String
    /// The folder where files of this kind usually are.
    let usualFolder: String
    /// Each frame's path as the list has it.
    private var paths = PathColumn()
    private var place = NamedPlace.asNamed

    init(_ field: String, usually folder: String) {
        self.field = field
        usualFolder = folder
    }

    var count: Int { paths.count }

    /// The number in the path of each frame, where all paths are alike but for that.
    func number(_ frame: Int) -> Int? { paths.number(frame) }

    /// The path of a frame's file, by the frame's place in the list.
    func file(_ frame: Int) -> String? { paths[frame].map(place.path) }

    /// Adds the path of the next frame; `nil` where it has none.
    ///
    /// - Returns: A problem with the path.
    mutating func append(_ path: String?) -> Problem? {
        let normalized = path.flatMap(PathColumn.normalized)
        paths.append(normalized)
        guard let path, normalized == nil else { return nil }
        return Problem(.badOptionalField, expected: "a path of at most 1024 bytes", found: String(path.prefix(60)))
    }

    /// Finds the place where most of the files are.
    ///
    /// - Parameters:
    ///   - names: the names that the file of a path may have.
    ///   - endings: those that files of this kind have. Where no file is found names with these are looked for, and then one
    ///     other folder that has them all.
    /// - Returns: A remark where they are not where the list says.
    mutating func find(
        in listing: inout FolderListing,
        list: String,
        names: (String) -> [String] = { [$0] },
        endings: [String] = []
    ) -> Problem? {
        var most = 0
        for candidate in NamedPlace.candidates(usualFolder, endings: endings) {
            if candidate.ending != nil, most > 0 { break }
            let found = count(at: candidate, in: &listing, names: names)
            if found.count > most { (place, most) = (candidate, found.count) }
            if found.count == found.all { break }
        }
        if most == 0, !endings.isEmpty, let only = onlyFolder(in: &listing, names: names) { place = only }
        let first = (0..<count).lazy.compactMap { [paths] in paths[$0] }.first
        guard place != .asNamed, let first else { return nil }
        return Problem(.foundElsewhere, file: list, field: field, expected: first, found: place.path(first))
    }

    /// The one folder beside the list that has a file for each path; `nil` where there is none, or more than one.
    private func onlyFolder(in listing: inout FolderListing, names: (String) -> [String]) -> NamedPlace? {
        var only: NamedPlace?
        for folder in listing.pictureFolders {
            let place = NamedPlace(folder: .folder(folder))
            let found = count(at: place, in: &listing, names: names)
            guard found.all > 0, found.count == found.all else { continue }
            guard only == nil else { return nil }
            only = place
        }
        return only
    }

    /// How many of the files are at a place, and how many paths there are.
    ///
    /// None counts where several paths lead to one file: it is another's for all but one of them.
    private func count(
        at place: NamedPlace,
        in listing: inout FolderListing,
        names: (String) -> [String]
    ) -> (count: Int, all: Int) {
        var all = 0
        var (named, found): (hashes: [UInt64], [UInt64]) = ([], [])
        for index in 0..<count {
            guard let path = paths[index] else { continue }
            all += 1
            let file = place.path(path)
            guard listing.contains(anyOf: names(file)) else { continue }
            named.append(FolderListing.hash(path[...]))
            found.append(FolderListing.hash(file[...]))
        }
        let isOneToOne = place == .asNamed || Self.distinct(named) == Self.distinct(found)
        return (isOneToOne ? found.count : 0, all)
    }

    private static func distinct(_ hashes: [UInt64]) -> Int {
        let sorted = hashes.sorted()
        return zip(sorted, sorted.dropFirst()).reduce(min(1, sorted.count)) { $0 + ($1.0 == $1.1 ? 0 : 1) }
    }
}

/// The paths of the files of all frames, for lists that name them: of paths that differ in a number only that number is kept.
///
/// A list of a hundred thousand frames then costs 4 bytes a frame; paths of another form are kept as they are.
struct PathColumn: Sendable {
    private var prefix = ""
    private var suffix = ""
    /// The digits of the number, with leading zeros.
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
    static func parts(_ path: String) -> (prefix: String, number: Int32?, digits: Int, suffix: String) {
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

/// Which files there are, by the names in their folders: each folder is listed once, and no file is looked at.
///
/// A name takes eight bytes, as long as the listing lives.
struct FolderListing {
    private let files: any SessionFiles
    /// The hashes of the names in each folder, sorted.
    private var folders: [Substring: [UInt64]] = [:]

    /// Where each frame has a folder of its own, the others are looked at file by file.
    private static let maximumFolders = 64

    init(_ files: any SessionFiles) { self.files = files }

    /// The folders beside the list that may hold pictures, and not what belongs to pictures of the same names.
    var pictureFolders: [String] {
        let others = ["depth", "conf", "mask", "normal", "label", "segment"]
        let found = files.folderNames().filter { name in !others.contains { name.lowercased().contains($0) } }
        return Array(found.prefix(Self.maximumFolders / 2))
    }

    /// True if a file, or whatever else, has one of the names.
    mutating func contains(anyOf paths: [String]) -> Bool { paths.contains { contains($0) } }

    mutating func contains(_ path: String) -> Bool {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { path[..<$0] } ?? "."
        let name = slash.map { path[path.utf8.index(after: $0)...] } ?? path[...]
        guard let hashes = hashes(of: folder) else { return files.entry(path) != .nothing }
        return hashes.containsSorted(Self.hash(name))
    }

    /// `nil` where too many folders have been listed already.
    private mutating func hashes(of folder: Substring) -> [UInt64]? {
        if let known = folders[folder] { return known }
        guard folders.count < Self.maximumFolders else { return nil }
        let hashes = files.names(inFolder: String(folder)) { Self.hash($0[...]) }.sorted()
        folders[folder] = hashes
        return hashes
    }

    static func hash(_ name: Substring) -> UInt64 {
        var hash = FNV1a()
        hash.add(name.utf8)
        return hash.value
    }
}
