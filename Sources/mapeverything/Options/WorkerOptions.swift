import ArgumentParser

/// The number of threads that a command works on.
///
/// The output of a command does not depend on it.
struct WorkerOptions: ParsableArguments {
    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        help: "Number of worker threads. Default: one for each core, at most 16."
    )
    var jobs: Int?

    /// Given on the command line; kinds of output that are not made in parallel refuse it.
    var isGiven: Bool { jobs != nil }

    func count() throws(UsageError) -> Int {
        try UsageError.count("-j", jobs ?? Machine.coreCount, from: 1, to: 256)
    }
}
