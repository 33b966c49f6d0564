import Messages

/// The running figures of one topic.
struct TopicTally {
    private var messageCount = 0
    private var bytes = 0
    private var storedBytes = 0
    private var smallest = Int.max
    private var largest = 0
    private var times: TimeSpan?
    private var gaps = Distribution()
    private var largestGap: (nanoseconds: Int64, since: Int64)?
    private var headers = HeaderTally()
    /// The number of messages in each file, by the file's place in the bag.
    private var countByFile: [Int]
    /// Reads the headers, where that is wanted and there are any.
    let decoder: RowDecoder?

    init(fileCount: Int, decoder: RowDecoder?) {
        countByFile = Array(repeating: 0, count: fileCount)
        self.decoder = decoder
    }

    mutating func note(_ row: StoredRow, file: Int) {
        if let last = times?.last {
            let gap = TimeSpan(first: last, last: row.time).durationNanoseconds
            gaps.note(gap)
            if gap > largestGap?.nanoseconds ?? -1 { largestGap = (gap, last) }
        }
        messageCount += 1
        bytes += row.byteCount
        storedBytes += row.storedByteCount
        smallest = min(smallest, row.byteCount)
        largest = max(largest, row.byteCount)
        times.include(row.time)
        countByFile[file] += 1
    }

    /// Takes the first bytes of a message; returns its transforms, where it holds such.
    mutating func noteHeader(_ bytes: [UInt8], time: Int64) -> [TransformStamped] {
        guard let decoder else { return [] }
        let message = try? decoder.decode(bytes)
        let transforms = (message as? TFMessage)?.transforms ?? []
        if message == nil { headers.unreadableCount += 1 }
        if let header = message as? Header ?? transforms.first?.header { headers.note(header, time: time) }
        return transforms
    }

    var frameIDs: Set<String> { headers.frameIDs }

    func summary(of topic: BagTopic) -> BagSummary.TopicSummary {
        let profiles = QoSProfile.profiles(topic.qosText)
        let isLatched = profiles.contains(where: \.isLatched)
        return BagSummary.TopicSummary(
            topic: topic,
            messageCount: messageCount,
            bytes: bytes,
            storedBytes: storedBytes,
            smallestMessage: messageCount == 0 ? 0 : smallest,
            largestMessage: largest,
            times: times,
            gaps: gapSummary,
            headers: decoder == nil ? nil : headers.summary,
            qos: QoS(profiles.first),
            profileCount: profiles.count,
            isLatched: isLatched,
            filesWithout: isLatched ? countByFile.indices.filter { countByFile[$0] == 0 } : []
        )
    }

    private var gapSummary: BagSummary.Gaps? {
        guard let spread = gaps.spread, let largestGap else { return nil }
        let limit = spread.median.multipliedReportingOverflow(by: 3)
        return BagSummary.Gaps(
            spread: spread,
            largestSince: largestGap.since,
            longCount: spread.median == 0 || limit.overflow ? 0 : gaps.count(above: limit.partialValue)
        )
    }
}

/// The running figures of the headers of one topic.
private struct HeaderTally {
    private static let maximumFrameIDs = 64
    private var count = 0
    var unreadableCount = 0
    private var unstampedCount = 0
    private var backwardCount = 0
    private var skew = Distribution()
    private var lastStamp = Int64.min
    private(set) var frameIDs: Set<String> = []
    private var hasMoreFrameIDs = false

    mutating func note(_ header: Header, time: Int64) {
        count += 1
        noteFrame(header.frameID)
        let stamp = header.stamp.nanosecondsSinceEpoch
        guard stamp != 0 else {
            unstampedCount += 1
            return
        }
        skew.note(TimeSpan(first: stamp, last: time).lengthNanoseconds)
        if stamp < lastStamp { backwardCount += 1 }
        lastStamp = stamp
    }

    private mutating func noteFrame(_ frame: String) {
        guard !frameIDs.contains(frame) else { return }
        guard frameIDs.count < Self.maximumFrameIDs else {
            hasMoreFrameIDs = true
            return
        }
        frameIDs.insert(frame)
    }

    var summary: BagSummary.Headers {
        BagSummary.Headers(
            count: count,
            unreadableCount: unreadableCount,
            unstampedCount: unstampedCount,
            backwardCount: backwardCount,
            skewNanoseconds: skew.spread,
            frameIDs: frameIDs.sorted(),
            hasMoreFrameIDs: hasMoreFrameIDs
        )
    }
}
