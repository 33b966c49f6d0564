/// Where the files that a list names are found: as it says, or by the ends of their paths.
///
/// Lists are made on other machines: their paths are absolute, have the separator of another system, or the files have been
/// moved beside the list or into one folder. One place holds for all paths of a list.
enum NamedPlace: Hashable, Sendable {
    case asNamed
    /// The last so many parts of the path.
    case end(Int)
    /// The last part, in this folder.
    case folder(String)

    /// The path below the list's folder, by one as ``PathColumn/normalized(_:)`` gives it.
    func path(_ named: String) -> String {
        let parts = named.split(separator: "/")
        switch self {
        case .asNamed: return parts.joined(separator: "/")
        case .end(let count): return parts.suffix(count).joined(separator: "/")
        case .folder(let folder): return "\(folder)/\(parts.last ?? "")"
        }
    }

    /// All places that are looked at, those that say most of a path first.
    static func candidates(_ folder: String) -> [NamedPlace] {
        [.asNamed, .end(4), .end(3), .end(2), .end(1), .folder(folder)]
    }
}

extension PathColumn {
    /// The place where most of the files are.
    ///
    /// - Parameters:
    ///   - folder: where files of this kind usually are.
    ///   - names: the names that the file of a path may have.
    func place(
        usually folder: String,
        in listing: inout FolderListing,
        names: (String) -> [String] = { [$0] }
    ) -> NamedPlace {
        var best = (place: NamedPlace.asNamed, count: 0)
        for place in NamedPlace.candidates(folder) {
            let found = count(at: place, in: &listing, names: names)
            if found.count > best.count { best = (place, found.count) }
            if found.count == found.all { break }
        }
        return best.place
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
            guard let path = self[index] else { continue }
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

    /// What is worth saying of where the files are; `nil` where they are where the list says.
    func remark(_ place: NamedPlace, file: String, field: String) -> Problem? {
        guard place != .asNamed, let first = (0..<count).lazy.compactMap({ self[$0] }).first else { return nil }
        return Problem(.foundElsewhere, file: file, field: field, expected: first, found: place.path(first))
    }
}
