import Bags
import Platform

/// The first messages of a bag: enough to see which topics are large and how close its moments are.
struct BagSample {
    /// Messages above this many bytes are bulk, whatever their type.
    private static let largeBytes = 64 << 10
    private static let maximumRows = 512
    private static let maximumBytes = 16 << 20

    private var largest: [Int: Int] = [:]
    private var gaps: [Int64] = []

    init(_ cursor: BagRowCursor) throws(BagError) {
        var (count, bytes) = (0, 0)
        var last: Int64?
        while count < Self.maximumRows, bytes < Self.maximumBytes, let row = try cursor.next() {
            count += 1
            bytes += row.bytes.count
            largest[row.topic] = max(largest[row.topic] ?? 0, row.bytes.count)
            if let last, row.timeNanoseconds > last { gaps.append(row.timeNanoseconds &- last) }
            last = row.timeNanoseconds
        }
        gaps.sort()
    }

    func isLarge(_ topic: Int) -> Bool { largest[topic] ?? 0 > Self.largeBytes }

    /// The usual time from one moment to the next, at most a second; 0.1 s where nothing says.
    var intervalNanoseconds: Int64 {
        max(1, min(gaps.quantile(0.5) ?? 100_000_000, 1_000_000_000))
    }
}
