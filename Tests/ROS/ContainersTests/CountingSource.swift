import Bags
import Synchronization

/// A file in memory that knows how much of it was read.
final class CountingSource: MCAPSource {
    private let bytes: [UInt8]
    private let count = Atomic<Int>(0)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var size: Int { bytes.count }
    var readBytes: Int { count.load(ordering: .relaxed) }

    func read(at offset: Int, count: Int) -> [UInt8] {
        let start = min(max(0, offset), bytes.count)
        let result = Array(bytes[start..<min(start + max(0, count), bytes.count)])
        self.count.add(result.count, ordering: .relaxed)
        return result
    }
}
