import Bags

/// The storage files of a directory by the name that they have or shall have.
struct ChunkNames {
    /// A chunk, with what its writer left of it.
    struct Chunk {
        /// What it is called when it is closed.
        var name: String
        /// The name of the closed chunk, if it is there.
        var closed: String?
        /// Names of twins that were being written.
        var unfinished: [String] = []
    }

    /// In the order of their numbers.
    private(set) var chunks: [Chunk] = []
    /// What is neither a chunk, nor metadata.yaml, nor beside one of them.
    private(set) var others: [String] = []
    /// Leftovers beside other files: logs, journals, metadata.yaml that was not in its place yet.
    private(set) var leftovers: [String] = []

    init(_ names: [String]) {
        var byName: [String: Chunk] = [:]
        for name in names {
            if FileKind.isStorageName(name) {
                byName[name, default: Chunk(name: name)].closed = name
            } else if FileKind.isUnfinishedName(name) {
                let closed = Self.closedName(name)
                byName[closed, default: Chunk(name: closed)].unfinished.append(name)
            } else if Self.isLeftover(name) {
                leftovers.append(name)
            } else if name != BagMetadataFile.name {
                others.append(name)
            }
        }
        // A chunk that was being compressed when its writer stopped is whole without compression.
        for name in byName.keys.sorted() where name.hasSuffix(".zstd") {
            guard let packed = byName[name], packed.closed == nil,
                let plain = byName[String(name.dropLast(".zstd".count))]
            else { continue }
            byName[plain.name]?.unfinished += packed.unfinished
            byName[name] = nil
        }
        chunks = FileKind.inOrderOfNumbers(Array(byName.keys)).compactMap { byName[$0] }
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
