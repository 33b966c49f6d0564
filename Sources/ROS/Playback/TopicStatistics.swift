/// What has been published on one topic: how much, how often, how regularly.
package struct TopicStatistics: Sendable, Hashable {
    package var name: String
    package var typeName: String
    package var count = 0
    /// As CDR.
    package var bytes = 0
    package var largestBytes = 0
    package var lastBytes = 0
    package var firstNanoseconds: Int64 = 0
    package var lastNanoseconds: Int64 = 0
    package var largestGapNanoseconds: Int64 = 0
    package var frameIDs: Set<String> = []

    package init(name: String, typeName: String) {
        self.name = name
        self.typeName = typeName
    }

    package mutating func add(timeNanoseconds: Int64, bytes: Int) {
        if count == 0 {
            firstNanoseconds = timeNanoseconds
        } else {
            largestGapNanoseconds = max(largestGapNanoseconds, timeNanoseconds &- lastNanoseconds)
        }
        lastNanoseconds = timeNanoseconds
        count += 1
        self.bytes += bytes
        largestBytes = max(largestBytes, bytes)
        lastBytes = bytes
    }

    /// Messages per second between the first and the last; `nil` for fewer than two.
    package var rateHertz: Double? {
        let seconds = Double(lastNanoseconds &- firstNanoseconds) / 1e9
        return count > 1 && seconds > 0 ? Double(count - 1) / seconds : nil
    }

    package var megabitsPerSecond: Double? {
        rateHertz.map { $0 * Double(bytes) / Double(max(count, 1)) * 8 / 1e6 }
    }
}
