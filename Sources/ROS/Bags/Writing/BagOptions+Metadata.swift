extension BagOptions {
    /// Makes the metadata of a bag with these chunks.
    func metadata(of chunks: [ChunkContent], topics: [BagTopic]) -> BagMetadata {
        var times: TimeSpan?
        for chunk in chunks { times.include(chunk.times) }
        let records = topics.enumerated().map { index, topic in
            topic.record(messageCount: chunks.reduce(0) { $0 + $1.messageCount(ofTopic: index) })
        }
        let form = DistributionForm(distribution)
        var metadata = BagMetadata(
            version: form.metadataVersion,
            storageIdentifier: storage.rawValue,
            times: times,
            messageCount: chunks.reduce(0) { $0 + $1.messageCount },
            topics: records,
            files: chunks.map(\.record),
            customData: customData,
            distribution: form.name
        )
        if compressionMode != .none {
            // Upper case, as rosbag2's recorder writes it.
            metadata.compressionFormat = compression.rawValue
            metadata.compressionMode = compressionMode.rawValue.uppercased()
        }
        return metadata
    }
}
