import SystemPackage

/// The messages that the bag says that it holds, against those that can be read.
extension BagReader {
    /// How many messages are in the storage files, readable or not.
    package var heldCount: Int { clampedSum(storageFiles.map(\.census.total)) }

    /// How many messages metadata.yaml says that there are; nil where it does not count them.
    package var statedCount: Int? { hasCounts ? clampedSum([metadata.messageCount]) : nil }

    /// How many of them are no messages, such as rows of no topic.
    package var unreadableCount: Int { clampedSum(storageFiles.map(\.census.unreadableCount)) }

    /// How many messages can be read, as far as a count tells; nil where a file could not be counted to its end.
    package var readableCount: Int? {
        guard storageFiles.allSatisfy(\.census.isComplete) else { return nil }
        return clampedSum(storageFiles.map { clampedSum($0.census.counts.values) })
    }

    /// How many messages the files hold of a topic of the bag.
    package func heldCount(ofTopic index: Int) -> Int {
        clampedSum(
            storageFiles.map { file in
                clampedSum(file.census.counts.filter { file.indices[$0.key] == index }.values)
            }
        )
    }

    /// Where metadata.yaml, the files' own statistics and what they hold differ, each with the numbers; empty for a bag
    /// that holds what it says.
    package var differences: [String] {
        storageFiles.flatMap { file in
            let name = file.path.lastComponent?.string ?? file.path.string
            let total = file.census.total
            return file.census.damage.map { "\(name): \($0)" }
                + file.census.unreadable.map { "\(name): \($0.count) of \(total) rows \($0.reason)" }
        } + metadataDifferences
    }

    /// Refuses a bag that does not hold what it says, unless damage is tolerated.
    package func refuseDifferences() throws(BagError) {
        guard !tolerance.contains(.damage) else { return }
        let differences = differences
        if !differences.isEmpty { throw .incomplete(path, differences: differences) }
    }

    /// Refuses a bag of which no file can be opened: there is nothing to take, whatever is tolerated.
    package func refuseIfNothingOpens() throws(BagError) {
        if storageFiles.isEmpty, let problem = problems.first { throw problem }
    }

    private var metadataDifferences: [String] {
        guard hasCounts, storageFiles.allSatisfy(\.census.isComplete), problems.isEmpty else { return [] }
        var texts: [String] = []
        if metadata.messageCount != heldCount {
            texts.append("\(metadataFileName) says \(metadata.messageCount) messages, the files have \(heldCount)")
        }
        var claims: [String: Int] = [:]
        for record in metadata.topics {
            claims[record.name] = clampedSum([claims[record.name] ?? 0, record.messageCount])
        }
        var held: [String: Int] = [:]
        for (index, topic) in topics.enumerated() { held[topic.name, default: 0] += heldCount(ofTopic: index) }
        for (name, claimed) in claims.sorted(by: { $0.key < $1.key }) where claimed != held[name] ?? 0 {
            texts.append("\(name): \(metadataFileName) says \(claimed) messages, the rows are \(held[name] ?? 0)")
        }
        for (name, count) in held.sorted(by: { $0.key < $1.key }) where count > 0 && claims[name] == nil {
            texts.append("\(name): \(metadataFileName) does not have it, the rows are \(count)")
        }
        return texts
    }
}
