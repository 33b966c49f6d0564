/// Schedules commits of a resilient bag, so that waiting rows are written even if no further message comes.
struct CommitTimer {
    private var task: Task<Void, Never>?

    /// Runs `commit` after 0.2 s, unless it is already scheduled.
    ///
    /// - Parameter commit: must call `hasFired` first.
    mutating func start(_ commit: @escaping @Sendable () async -> Void) {
        guard task == nil else { return }
        task = Task {
            do { try await Task.sleep(for: maximumPendingTime) } catch { return }
            await commit()
        }
    }

    /// Resets the timer for the next start.
    mutating func hasFired() { task = nil }

    mutating func stop() {
        task?.cancel()
        task = nil
    }
}

/// The time between commits of a resilient bag.
private let maximumPendingTime = Duration.milliseconds(200)
