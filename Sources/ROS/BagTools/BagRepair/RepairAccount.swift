import Bags

/// What a bag says that it holds, against what a repair found: a difference is a loss, or one of the two is wrong.
struct RepairAccount {
    let files: [RepairedFile]
    let stated: BagMetadata?
    /// Of each file, by metadata.yaml.
    let statedCounts: [String: Int]
    let hasMetadataFile: Bool
    /// Everything in the directory; empty for a file alone.
    let names: [String]
    /// The findings of `check` in the bag as it lies.
    let findings: [BagFinding]

    /// A file without a sign of damage may still hold less than metadata.yaml or its own table count.
    var doubts: [(file: Int, text: String)] {
        var doubts: [(file: Int, text: String)] = []
        for (index, file) in files.enumerated() {
            let lost = file.losses.map(\.messageCount)
            let (held, isSound) = (file.messageCount, lost.isEmpty)
            if isSound, let claimed = ownCount(of: file.name), claimed > held {
                doubts.append((index, "its table metadata counts \(claimed) messages in it, not \(held)"))
            }
            guard let claimed = statedCounts[file.name], !lost.contains(nil) else { continue }
            let known = clampedSum([held] + lost.map { $0 ?? 0 })
            // Counted twice, beside a right sum, is a habit of Jazzy's recorder.
            let isDoubled =
                claimed == 2 &* known && stated?.messageCount == files.reduce(0) { $0 + $1.messageCount }
            guard claimed > known, !isDoubled else { continue }
            doubts.append((index, "metadata.yaml counts \(claimed) messages in it, not \(known)"))
        }
        return doubts
    }

    /// How many messages the table `metadata` of a .db3 file counts, where it counts others than there are.
    private func ownCount(of name: String) -> Int? {
        let finding = findings.first { $0.kind == .databaseMetadataTable && $0.files.contains(name) }
        return finding?.places.first { $0.expected.hasPrefix("message_count") }.flatMap { Int($0.found) }
    }

    /// What only the sum of metadata.yaml tells, or the numbers of files that no list names.
    var leftOut: [(name: String, reason: String)] {
        guard let stated else {
            let missing = BagFileSelection(names: names, listed: nil).missing
            let texts = missing.map { ($0, "it is not there, as the numbers of the others show") }
            guard texts.isEmpty, hasMetadataFile, files.allSatisfy({ $0.messageCount == 0 }) else { return texts }
            return [(BagMetadataFile.name, "it cannot be read, and no file has a message")]
        }
        let lost = files.flatMap(\.losses).map(\.messageCount)
        // From version 5 on each file has its own count.
        guard stated.version < 5, !lost.contains(nil) else { return [] }
        let known = clampedSum(files.map(\.messageCount) + lost.map { $0 ?? 0 })
        guard stated.messageCount > known else { return [] }
        let reason = "it counts \(stated.messageCount) messages, of which \(stated.messageCount - known) are in no file"
        return [(BagMetadataFile.name, reason)]
    }
}
