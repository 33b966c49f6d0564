import Bags

/// The storage files of a directory by the name that they have or shall have.
struct ChunkNames {
    /// A chunk, with what its writer left of it.
    struct Chunk {
        /// The name of the chunk when it is closed.
        var name: String
        /// The name of the closed chunk, if it is there.
        var closed: String?
        /// Names of twins that were being written.
        var unfinished: [String] = []
    }

    /// In playing order.
    private(set) var chunks: [Chunk] = []
    /// Other forms of closed chunks, packed or plain, which are no part of the bag.
    private(set) var twins: [String]
    /// The files that are neither a chunk, nor metadata.yaml, nor beside one of them.
    private(set) var others: [String] = []
    /// Leftovers beside other files: logs, journals, metadata.yaml that was not in its place yet.
    private(set) var leftovers: [String] = []

    /// - Parameters:
    ///   - lone: The one file that is asked for; it may have any name.
    ///   - listed: The names that metadata.yaml lists; nil without one.
    init(_ names: [String], lone: String?, listed: [String]?) {
        let selection = BagFileSelection(names: names, listed: listed).takingUnlisted()
        twins = selection.twins
        var closed = selection.files
        if let lone, !closed.contains(lone), !FileKind.isUnfinishedName(lone) { closed = [lone] }
        chunks = closed.map { Chunk(name: $0, closed: $0) }
        let stored = Set(closed + twins)
        for name in names where !stored.contains(name) {
            if FileKind.isUnfinishedName(name) {
                take(unfinished: name)
            } else if Self.isLeftover(name) {
                leftovers.append(name)
            } else if name != BagMetadataFile.name {
                others.append(name)
            }
        }
        let order = FileKind.inOrderOfNumbers(chunks.map(\.name))
        // A list in metadata.yaml may have an order of its own; what it does not list has that of the numbers.
        guard chunks.contains(where: { $0.closed == nil }) || selection.isListed == false else { return }
        let byName = Dictionary(chunks.map { ($0.name, $0) }) { first, _ in first }
        chunks = order.compactMap { byName[$0] }
    }

    /// A chunk that was being compressed when its writer stopped is whole without compression.
    private mutating func take(unfinished name: String) {
        let closed = Self.closedName(name)
        let plain = closed.hasSuffix(".zstd") ? String(closed.dropLast(".zstd".count)) : closed
        let index =
            chunks.firstIndex { $0.name == closed }
            ?? chunks.firstIndex { $0.name == plain || $0.name == plain + ".zstd" }
        if let index {
            chunks[index].unfinished.append(name)
        } else {
            chunks.append(Chunk(name: closed, unfinished: [name]))
        }
    }

    /// True if two names are those of one file, packed and plain.
    static func isTwin(_ name: String, of other: String) -> Bool {
        name == other + ".zstd" || name + ".zstd" == other
    }

    private static func closedName(_ name: String) -> String {
        let part = name.hasSuffix(".old") ? String(name.dropLast(4)) : name
        return String(part.dropLast(".part".count))
    }

    private static func isLeftover(_ name: String) -> Bool {
        if name == BagMetadataFile.name + ".tmp" { return true }
        return ["-wal", "-shm", "-journal"].contains { suffix in
            guard name.hasSuffix(suffix) else { return false }
            let file = String(name.dropLast(suffix.count))
            return FileKind.isStorageName(file) || FileKind.isUnfinishedName(file)
        }
    }
}
