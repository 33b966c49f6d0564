import Files
import Recording

/// A video and how its pictures belong to frames.
struct PairedVideo: Sendable {
    let file: VideoFile
    let pairing: VideoPairing

    func pass() -> VideoPass { VideoPass(file, pairing) }

    /// Looks for the video of a recording; what is wrong with it is recorded, and why there are no pictures then.
    ///
    /// - Parameters:
    ///   - rows: of the table whose rows the pictures belong to.
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
