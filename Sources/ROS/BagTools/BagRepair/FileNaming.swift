import Bags

/// Gives repaired files the names by which readers find their form: those that metadata.yaml lists, with the ending of
/// what is in them.
struct FileNaming {
    /// A file that metadata.yaml lists and that is not there.
    struct Missing {
        var name: String
        /// How many messages metadata.yaml counts in it; nil if it does not say.
        var messageCount: Int?
    }

    let staging: RepairStaging
    /// The names that metadata.yaml lists; empty without a list.
    let listed: [String]
    /// How many messages metadata.yaml says that a file has, by name.
    let statedCounts: [String: Int]
    /// Every name in the bag's directory.
    let present: Set<String>
    let unpackLimit: UnpackLimit

    /// Names all files.
    ///
    /// - Parameter chunks: The names of the chunks that are there, whether or not anything in them can be read.
    /// - Returns: The files that are listed and are not there under any name.
    func name(_ files: inout [RepairedFile], chunks: [String]) throws(BagError) -> [Missing] {
        func isAmong(_ names: [String], _ name: String) -> Bool {
            names.contains { $0 == name || ChunkNames.isTwin($0, of: name) }
        }
        let missing = listed.filter { !isAmong(chunks, $0) }.map { Missing(name: $0, messageCount: statedCounts[$0]) }
        let unlisted = files.indices.filter { !listed.isEmpty && !isAmong(listed, files[$0].name) }
        let gone = try restore(missing, unlisted, in: &files)
        for index in files.indices { try fit(&files[index]) }
        if gone.count < missing.count {
            let order = Dictionary(listed.enumerated().map { ($1, $0) }) { first, _ in first }
            files = files.enumerated().sorted {
                (order[$0.element.name] ?? .max, $0.offset) < (order[$1.element.name] ?? .max, $1.offset)
            }.map(\.element)
        }
        return gone
    }

    /// Finds files that were renamed, by their number of messages, and gives them the names that they are listed under.
    ///
    /// - Parameter unlisted: Places in `files` of those that are not listed.
    /// - Returns: The files that are missing all the same.
    private func restore(
        _ missing: [Missing],
        _ unlisted: [Int],
        in files: inout [RepairedFile]
    ) throws(BagError) -> [Missing] {
        guard !missing.isEmpty, !unlisted.isEmpty else { return missing }
        var (missing, unlisted) = (missing, unlisted)
        let counts = Dictionary(
            uniqueKeysWithValues: unlisted.map { ($0, ChunkContentCount(files[$0].place, unpackLimit).messageCount) }
        )
        for index in unlisted {
            guard let place = missing.firstIndex(where: { $0.messageCount == counts[index] }) else { continue }
            try rename(&files[index], to: missing.remove(at: place).name)
            unlisted.removeAll { $0 == index }
        }
        // Of one file that is there and one that is not, the one may be what is left of the other.
        guard missing.count == 1, unlisted.count == 1, let stated = missing[0].messageCount,
            let count = counts[unlisted[0]], count < stated
        else { return missing }
        try rename(&files[unlisted[0]], to: missing[0].name)
        let known = count + files[unlisted[0]].losses.reduce(0) { $0 + ($1.messageCount ?? 0) }
        if stated > known {
            files[unlisted[0]].losses.removeAll { $0.messageCount == nil }
            let reason = "metadata.yaml counts \(stated) messages in it"
            files[unlisted[0]].losses.append(RepairReport.Loss(reason: reason, messageCount: stated - known))
        }
        return []
    }

    /// Gives a file the ending of what is in it.
    private func fit(_ file: inout RepairedFile) throws(BagError) {
        guard !file.needsPacking, Self.ending(of: file.name) != file.ending else { return }
        try rename(&file, to: file.name)
    }

    /// Names a file, with the ending of what is in it.
    private func rename(_ file: inout RepairedFile, to name: String) throws(BagError) {
        let old = file.name
        let stem = name.dropLast(Self.ending(of: name)?.count ?? 0)
        var new = "\(stem)\(file.ending)"
        var number = 1
        while new != old, present.contains(new) {
            new = "\(stem)_\(number)\(file.ending)"
            number += 1
        }
        guard new != old else { return }
        if file.isMade {
            do {
                try DurableFiles.rename(file.place, to: staging.path(new))
            } catch {
                throw BagError(error)
            }
            file.place = staging.path(new)
        } else {
            (file.place, file.isMade) = (try staging.copy(file.place, as: new), true)
        }
        file.name = new
        file.superseded.append(old)
        file.actions.append("it was called \(old)")
    }

    /// The ending of a name that says what is in a file; nil for a name of another kind.
    private static func ending(of name: String) -> String? {
        [".db3.zstd", ".mcap.zstd", ".db3", ".mcap"].first { name.hasSuffix($0) }
    }
}
