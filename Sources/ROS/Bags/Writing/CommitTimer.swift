/// Lets what waits in a resilient bag be written soon, even if no further message comes.
struct CommitTimer {
    private var task: Task<Void, Never>?

    /// Runs `commit` after a fifth of a second, unless that is about to happen already.
    ///
    /// - Parameter commit: has to call `hasFired` first.
    mutating func start(_ commit: @escaping @Sendable () async -> Void) {
        guard task == nil else { return }
        task = Task {
            do { try await Task.sleep(for: maximumPendingTime) } catch { return }
            await commit()
        }
    }

    /// Makes the timer ready for the next start.
    mutating func hasFired() { task = nil }

    mutating func stop() {
        task?.cancel()
        task = nil
    }
}

/// The longest that a row of a resilient bag waits.
private let maximumPendingTime = Duration.milliseconds(200)
