import Glibc

/// The entropy-coded data of a scan without its stuffed zeros, in one buffer that is used again.
struct EntropySegments {
    /// The number of bytes that may be read beyond the end of the data: one unit of the scan cannot be longer.
    static let padding = 4096

    private(set) var bytes: [UInt8] = []
    /// Where each restart interval ends in `bytes`.
    private(set) var ends: [Int] = []

    /// Copies the data from `start` to the end of the image; false where markers are out of order, or anything else
    /// than the end of the image follows.
    mutating func load(_ source: UnsafeRawBufferPointer, from start: Int) -> Bool {
        let needed = source.count - start + EntropySegments.padding
        if bytes.count < needed { bytes = [UInt8](repeating: 0, count: needed) }
        var newEnds: [Int] = []
        let count = bytes.withUnsafeMutableBytes { output in
            EntropySegments.copy(source, from: start, to: output, ends: &newEnds)
        }
        ends = newEnds
        guard let count else { return false }
        for place in count..<(count + EntropySegments.padding) { bytes[place] = 0 }
        return true
    }

    private static func copy(
        _ source: UnsafeRawBufferPointer,
        from start: Int,
        to output: UnsafeMutableRawBufferPointer,
        ends: inout [Int]
    ) -> Int? {
        guard let input = source.baseAddress, let target = output.baseAddress else { return nil }
        var place = start
        var count = 0
        while place < source.count {
            guard let found = memchr(input + place, 0xFF, source.count - place) else { return nil }
            let marker = UnsafeRawPointer(found) - input
            guard marker + 1 < source.count else { return nil }
            let length = marker - place
            memcpy(target + count, input + place, length)
            count += length
            switch source[marker + 1] {
            case 0:
                output[count] = 0xFF
                count += 1
            case 0xD0...0xD7:
                guard source[marker + 1] == 0xD0 + UInt8(ends.count & 7) else { return nil }
                ends.append(count)
            case 0xD9:
                ends.append(count)
                return count
            default:
                return nil
            }
            place = marker + 2
        }
        return nil
    }
}
