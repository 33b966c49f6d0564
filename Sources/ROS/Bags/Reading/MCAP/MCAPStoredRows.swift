/// The rows of one .mcap file by log time.
final class MCAPStoredRows: StoredRows {
    private let cursor: MCAPMessageCursor
    /// The problems that the opening has told as warnings already.
    private let known: Set<MCAPProblem>
    private let codec: BlobCodec
    private let wantedBytes: [Int64: Int]?
    private let expectedCount: Int?
    private(set) var account: RowAccount
    private var seenProblems = 0
    private var seenMissing = 0

    /// - Parameter expectedCount: How many messages there are by what was counted; nil for a part of the time.
    init(
        _ cursor: MCAPMessageCursor,
        known: Set<MCAPProblem>,
        codec: BlobCodec,
        wantedBytes: [Int64: Int]?,
        expectedCount: Int?,
        tolerance: BagTolerance
    ) {
        self.cursor = cursor
        self.known = known
        self.codec = codec
        self.wantedBytes = wantedBytes
        self.expectedCount = expectedCount
        account = RowAccount(codec.path, tolerance)
    }

    func next() throws(BagError) -> StoredRow? {
        while let message = try reading(mcap: codec.path, { try cursor.next() }) {
            try noteProblems()
            do {
                let row = try row(message)
                account.handedCount += 1
                return row
            } catch {
                try account.pass(error)
            }
        }
        try noteProblems()
        try account.finish(expecting: expectedCount, by: "its own count")
        return nil
    }

    private func row(_ message: MCAPMessage) throws(BagError) -> StoredRow {
        let topic = Int64(message.channelID)
        func place() -> String { "Message at \(message.place)" }
        if let problem = message.timeProblem {
            throw .damaged(
                codec.path,
                place: "\(place()), log_time",
                expected: problem.expected,
                found: problem.found
            )
        }
        let wanted = wantedBytes.map { $0[topic] ?? 0 } ?? .max
        return try reading(mcap: codec.path) {
            try cursor.withData { data in
                let (bytes, byteCount) = try codec.head(data, wantedBytes: wanted, place: place)
                return StoredRow(
                    topic: topic,
                    time: Int64(clamping: message.logTime),
                    place: StoredPlace(
                        offset: Int64(message.place.offset),
                        innerOffset: message.place.innerOffset.map { Int64($0) } ?? -1
                    ),
                    bytes: bytes,
                    byteCount: byteCount,
                    storedByteCount: message.byteCount
                )
            }
        }
    }

    private func noteProblems() throws(BagError) {
        let list = cursor.problems.list
        guard list.count > seenProblems else { return }
        // What chunks lack by their indexes is counted once, with the first of the problems that say so.
        var missing = cursor.missingCount - seenMissing
        seenMissing = cursor.missingCount
        let fresh = list[seenProblems...]
        seenProblems = list.count
        for problem in fresh where !known.contains(problem) {
            try account.pass(BagError(problem, codec.path), missing: missing)
            missing = 0
        }
    }
}

extension MCAPMessage {
    /// The problem of a log time that no bag can hold: the times of rosbag2 are signed.
    package var timeProblem: MCAPProblem? {
        guard logTime > UInt64(Int64.max) else { return nil }
        let expected = "at most \(Int64.max), as a bag's times are"
        return MCAPProblem("Message.log_time", at: place, expected: expected, found: "\(logTime)")
    }
}

/// The rows of a time in which a file can have none.
final class NoRows: StoredRows {
    let account: RowAccount

    init(_ account: RowAccount) { self.account = account }

    func next() -> StoredRow? { nil }
}
