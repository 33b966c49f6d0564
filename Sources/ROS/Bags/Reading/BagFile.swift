import Messages
package import SystemPackage

/// A storage file of a bag that was looked into: what the bag calls its topics, and when its rows are.
package struct BagFile: Sendable, Hashable {
    package let path: FilePath
    /// The times of the earliest and the latest row; nil for a file without rows.
    package var times: TimeSpan? { census.times }
    package let storageIdentifier: String
    /// 0 for files that have none.
    package let schemaVersion: Int
    package let container: MCAPContents?
    /// The size of what is in a file that is compressed as a whole.
    package let unpackedBytes: Int?
    /// Indices into the bag's topics by the file's own topic number.
    let indices: [Int64: Int]
    /// The census of the file: the counts of its messages.
    let census: StoredCensus
    private let compression: BlobCodec.Compression
    private let tolerance: BagTolerance
    private let limit: UnpackLimit

    /// Looks into a file; its topics are added to those of the bag.
    init(
        _ path: FilePath,
        messages compression: BlobCodec.Compression,
        tolerating tolerance: BagTolerance,
        unpacking limit: UnpackLimit,
        topics: inout TopicList,
        warnings: inout [String]
    ) throws(BagError) {
        self.path = path
        self.compression = compression
        self.tolerance = tolerance
        self.limit = limit
        let stored = try StorageReaders.open(path, messages: compression, tolerating: tolerance, unpacking: limit)
        warnings += stored.warnings
        do {
            census = try stored.census()
        } catch {
            guard tolerance.contains(.damage) else { throw error }
            // The cursor will see how far it comes.
            var unknown = StoredCensus()
            unknown.times = TimeSpan(first: .min, last: .max)
            unknown.damage = ["\(error)"]
            unknown.isComplete = false
            census = unknown
        }
        let name = path.lastComponent?.string ?? path.string
        warnings += census.remarks.map { "\(name): \($0)" }
        storageIdentifier = stored.storageIdentifier
        schemaVersion = stored.schemaVersion
        container = stored.container
        unpackedBytes = stored.unpackedBytes
        var indices: [Int64: Int] = [:]
        for topic in stored.topics { indices[topic.number] = topics.add(topic.topic) }
        self.indices = indices
        topics.chooseEditions(stored, census, indices)
        if let own = stored.ownMetadata { topics.note(own) }
    }

    /// Opens the file again, for its rows.
    func rows(
        _ query: BagQuery,
        wantedBytes: [Int64: Int]?,
        tolerating tolerance: BagTolerance
    ) throws(BagError) -> any StoredRows {
        try StorageReaders.open(path, messages: compression, tolerating: tolerance, unpacking: limit)
            .rows(query, census, wantedBytes: wantedBytes)
    }

    /// Opens the file again, for single rows.
    func placedRows() throws(BagError) -> any PlacedRows {
        try StorageReaders.open(path, messages: compression, tolerating: tolerance, unpacking: limit).placedRows()
    }

    /// Reads an attachment of an .mcap file, by its place in `container`; nil with the problem where it cannot be read.
    ///
    /// A wrong checksum is a problem too, with which it is read all the same.
    package func attachment(at index: Int) throws(BagError) -> (attachment: BagAttachment?, problem: BagError?) {
        try StorageReaders.open(path, messages: compression, tolerating: tolerance, unpacking: limit).attachment(
            at: index
        )
    }
}

/// The topics of all files of a bag, each once.
struct TopicList {
    private(set) var topics: [BagTopic] = []
    /// By topic; nil where the edition of the type is no question.
    private var choices: [EditionChoice?] = []
    /// The bag's metadata in the first file that has any.
    private(set) var ownMetadata: BagMetadata?

    /// The index of a topic; what one file leaves open another may fill in.
    mutating func add(_ topic: BagTopic) -> Int {
        guard let index = topics.firstIndex(where: { $0.isSame(as: topic) }) else {
            topics.append(topic)
            choices.append(topic.editionChoice)
            return topics.count - 1
        }
        if topics[index].qosText.isEmpty { topics[index].qosText = topic.qosText }
        if topics[index].typeHash.isEmpty { topics[index].typeHash = topic.typeHash }
        if topics[index].definitionText.isEmpty {
            topics[index].definitionText = topic.definitionText
            topics[index].definitionEncoding = topic.definitionEncoding
        }
        return index
    }

    /// Looks at the first messages in a file of topics whose types have several editions.
    ///
    /// - Parameter indices: The indices of the topics by the numbers of the file.
    mutating func chooseEditions(_ stored: any StorageReader, _ census: StoredCensus, _ indices: [Int64: Int]) {
        // How many messages there are of topics that are not decided.
        var open = census.counts.filter { number, count in
            count > 0 && indices[number].map { choices[$0]?.isDecided == false } ?? false
        }
        while !open.isEmpty {
            let names = Set(open.keys.compactMap { number in indices[number].map { topics[$0].name } })
            guard let rows = try? stored.rows(BagQuery(topics: names), census, wantedBytes: nil) else { return }
            let before = open.count
            var passed = 0
            // Topics of which enough is known are left out before many of their messages were read in vain.
            while !open.isEmpty, passed < 256 || open.count == before {
                guard let row = try? rows.next() else { return }
                guard let count = open[row.topic], let index = indices[row.topic] else {
                    passed += 1
                    continue
                }
                choices[index]?.note(row.bytes)
                open[row.topic] = count > 1 && choices[index]?.isDecided == false ? count - 1 : nil
            }
        }
    }

    /// Says of each topic what its messages say of the edition.
    mutating func settleEditions() {
        for index in topics.indices where !topics[index].hasDefinition {
            topics[index].edition = choices[index]?.outcome
        }
    }

    mutating func note(_ metadata: BagMetadata) {
        ownMetadata = ownMetadata ?? metadata
    }

    /// Fills in what only metadata.yaml knows, as with .db3 files of schema version 1.
    mutating func complete(from metadata: BagMetadata) {
        for record in metadata.topics {
            for index in topics.indices
            where topics[index].name == record.name && topics[index].typeName == record.typeName {
                if topics[index].qosText.isEmpty { topics[index].qosText = record.qosText }
                if topics[index].typeHash.isEmpty { topics[index].typeHash = record.typeHash }
            }
        }
    }
}

extension BagTopic {
    fileprivate func isSame(as other: BagTopic) -> Bool {
        name == other.name && typeName == other.typeName && serializationFormat == other.serializationFormat
    }
}
