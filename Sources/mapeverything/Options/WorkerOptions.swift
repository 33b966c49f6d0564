import ArgumentParser

/// How many threads a command works on.
///
/// What it writes does not depend on that.
struct WorkerOptions: ParsableArguments {
    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        help: "Number of worker threads. Default: one for each core, at most 16."
    )
    var jobs: Int?

    /// What means nothing where nothing is done in parallel.
    var isGiven: Bool { jobs != nil }

    func count() throws(UsageError) -> Int {
        try UsageError.count("-j", jobs ?? Machine.coreCount, from: 1, to: 256)
    }
}
