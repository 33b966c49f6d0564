/// The samples of a video that will be asked for, as ffmpeg's filter `select` is told them.
///
/// The others are decoded and not written, which for most rates saves more than half of what a picture costs.
package struct VideoSelection {
    /// In rising order.
    package let samples: [Int]
    /// A value for `-vf`.
    package let filter: String

    /// An argument of a program has at most 128 KiB (MAX_ARG_STRLEN).
    private static let maximumBytes = 120_000
    /// At least one of so many samples is written: an ffmpeg that gives nothing for long counts as one that hangs.
    package static let longestGap = 256
    /// Times in one sum; sums are found by halving.
    private static let leafCount = 8

    /// - Parameter times: when each sample is shown.
    /// - Returns: `nil` where it would save little, or be too long to say.
    package init?(_ samples: Set<Int>, times: [Int64]) {
        var all: [Int] = []
        for sample in samples.filter(times.indices.contains).sorted() {
            while sample - (all.last ?? -1) > Self.longestGap { all.append((all.last ?? -1) + Self.longestGap) }
            all.append(sample)
        }
        self.samples = all
        guard !self.samples.isEmpty, 2 * self.samples.count <= times.count else { return nil }
        let chosen = self.samples.map { times[$0] }
        filter = "select='\(Self.expression(chosen[...]))'"
        guard filter.utf8.count <= Self.maximumBytes else { return nil }
    }

    /// True (not 0) at these times.
    private static func expression(_ times: ArraySlice<Int64>) -> String {
        guard times.count > leafCount else { return times.map { "eq(pts,\($0))" }.joined(separator: "+") }
        let middle = (times.startIndex + times.endIndex) / 2
        let (early, late) = (expression(times[..<middle]), expression(times[middle...]))
        return "if(lt(pts,\(times[middle])),\(early),\(late))"
    }

    /// The sample that ffmpeg writes next after this one.
    package func sample(after sample: Int) -> Int? { samples.first { $0 > sample } }
}
