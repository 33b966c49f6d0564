import Recording

/// The modification time of a file as evidence of when a recording ended: it was written until then.
enum FileTime {
    /// From 1990 on, as no phone is older, until what 32 bits of seconds hold, as in ROS: 2038-01-19.
    static let possible: ClosedRange<Int64> = 631_152_000_000_000_000...2_147_483_647_999_999_999
}

extension WallClockEvidence {
    /// Takes the time at which a file was last changed for a time of the recording.
    ///
    /// A time that no recording can have is recorded instead.
    mutating func takeModificationTime(
        of file: String,
        in files: any SessionFiles,
        at time: Timestamp,
        _ diagnostics: inout Diagnostics
    ) {
        guard let unix = files.modificationTimeNanoseconds(of: file) else { return }
        guard FileTime.possible.contains(unix) else {
            let expected = "a file last changed in 1990 to 2037"
            let found = "Unix time \(unix / 1_000_000_000)"
            diagnostics.record(Problem(.impossibleFileTime, file: file, expected: expected, found: found))
            return
        }
        fileTime = (unix, time)
    }
}
