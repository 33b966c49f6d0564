import Platform
import Recording

/// A video and how its pictures belong to frames.
struct PairedVideo: Sendable {
    let file: VideoFile
    let pairing: VideoPairing

    func pass() -> VideoPass { VideoPass(file, pairing) }

    /// Looks for the video of a recording; what is wrong with it is recorded, and why there are no pictures then.
    ///
    /// - Parameters:
    ///   - rows: the number of rows of the table whose rows the pictures belong to.
    ///   - mayLackFirst: whether the app hides the first sample, so that one that is missing may be this one.
    static func find(
        _ name: String,
        in files: any SessionFiles,
        rows: Int,
        mayLackFirst: Bool,
        _ options: OpeningOptions,
        _ list: inout FrameList
    ) -> PairedVideo? {
        guard files.entry(name) != .nothing else { return nil }
        do throws(Problem) {
            let file = try VideoFile(name, in: files, options)
            let pairing = VideoPairing(file, rows: rows, mayLackFirst: mayLackFirst)
            if let problem = pairing.problem { list.note(problem) }
            return PairedVideo(file: file, pairing: pairing)
        } catch {
            list.note(error)
            list.noteImageAbsence(
                error.kind == .videoNotRead
                    ? "its images are in \(name): expected \(error.expected), found \(error.found)"
                    : "its images are in \(name), which does not read"
            )
            return nil
        }
    }
}

/// Which sample of a video is the picture of which row of the recording's table.
struct VideoPairing: Sendable {
    let sampleCount: Int
    /// The row of the first sample.
    let firstRow: Int
    /// Said where rows and samples are not as many.
    let problem: Problem?

    /// - Parameter rows: of the table, with those that do not read.
    ///
    /// As many samples as rows belong together by their order. The app hides the first sample by an edit list (its counter
    /// begins at -1): where one is missing and the first is still hidden, it is the last one that is missing; where nothing
    /// is hidden, the video was coded again without the hidden one.
    init(_ video: VideoFile, rows: Int, mayLackFirst: Bool) {
        sampleCount = video.sampleCount
        guard video.sampleCount != rows else {
            (firstRow, problem) = (0, nil)
            return
        }
        let lacksFirst = mayLackFirst && video.sampleCount == rows - 1 && !video.hidesFirstSample
        firstRow = lacksFirst ? 1 : 0
        let done =
            lacksFirst
            ? "the first row is left without"
            : "paired from the first on, \(abs(rows - video.sampleCount)) \(rows > video.sampleCount ? "rows" : "pictures") at the end left over"
        problem = Problem(
            .pictureCountDiffers,
            file: video.name,
            expected: "\(rows) pictures, one for each row",
            found: "\(video.sampleCount); \(done)"
        )
    }

    func sample(of frame: FrameReference) -> Int? {
        guard let row = frame.videoRow, row >= firstRow, row - firstRow < sampleCount else { return nil }
        return row - firstRow
    }
}

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

    /// An expression of ffmpeg that is not 0 at these times.
    private static func expression(_ times: ArraySlice<Int64>) -> String {
        guard times.count > leafCount else { return times.map { "eq(pts,\($0))" }.joined(separator: "+") }
        let middle = (times.startIndex + times.endIndex) / 2
        let (early, late) = (expression(times[..<middle]), expression(times[middle...]))
        return "if(lt(pts,\(times[middle])),\(early),\(late))"
    }

    /// The sample that ffmpeg writes next after this one.
    package func sample(after sample: Int) -> Int? { samples.first { $0 > sample } }
}
