/// Carries commands to the player, and says where the player stands.
///
/// Any task may give commands; the one that plays looks at them before each moment, and is woken while it waits.
package actor PlaybackControl {
    /// What is asked for at a moment.
    struct State: Sendable {
        var isPaused: Bool
        /// Frames that are played in spite of the pause.
        var framesLeft = 0
        var rate: Double?
        var destination: Destination?
        var isQuitting = false
        /// Grows with each command.
        var version = 0
    }

    enum Destination: Sendable {
        case place(PlaybackPlace)
        case frameBefore
    }

    private(set) var state: State
    private var waiter: CheckedContinuation<Void, Never>?
    private let resolve: @Sendable (PlaybackPlace) throws -> PlaybackPlace

    /// - Parameters:
    ///   - rate: the rate to begin with; `nil` for as fast as possible, which commands do not change.
    ///   - resolve: gives a place that the recording has, for one that is asked for, or throws why it has none.
    package init(
        startsPaused: Bool = false,
        rate: Double?,
        resolve: @escaping @Sendable (PlaybackPlace) throws -> PlaybackPlace = { $0 }
    ) {
        state = State(isPaused: startsPaused, rate: rate)
        self.resolve = resolve
    }

    package var isPaused: Bool { state.isPaused }
    package var rate: Double? { state.rate }

    /// Takes a command.
    ///
    /// - Returns: why it cannot be carried out; `nil` if it will be.
    @discardableResult
    package func apply(_ command: PlaybackCommand) -> String? {
        switch command {
        case .pause: pause()
        case .resume: resume()
        case .togglePause: state.isPaused ? resume() : pause()
        case .step(let count):
            guard count > 0 else { return "step: expected at least 1 frame, found \(count)" }
            state.isPaused = true
            state.framesLeft = min(state.framesLeft + count, 1_000_000)
        case .stepBack: go(to: .frameBefore, pausing: true)
        case .seek(let place):
            do { go(to: .place(try resolve(place)), pausing: state.isPaused) } catch { return "\(error)" }
        case .rate(let rate):
            guard state.rate != nil else { return "rate: expected a paced replay, found --rate max" }
            guard PlaybackCommand.rates.contains(rate) else {
                return "rate: expected \(PlaybackCommand.rates), found \(rate)"
            }
            state.rate = rate
        case .changeRate(let factor):
            guard let rate = state.rate else { return "rate: expected a paced replay, found --rate max" }
            let rates = PlaybackCommand.rates
            state.rate = min(max(rate * factor, rates.lowerBound), rates.upperBound)
        case .quit: state.isQuitting = true
        }
        state.version += 1
        wake()
        return nil
    }

    private func pause() {
        state.isPaused = true
        state.framesLeft = 0
    }

    private func resume() {
        state.isPaused = false
        state.framesLeft = 0
    }

    /// A seek while nothing plays shows the messages of its place.
    private func go(to destination: Destination, pausing: Bool) {
        state.destination = destination
        state.isPaused = pausing
        state.framesLeft = pausing ? 1 : 0
    }

    // MARK: - The player's side

    /// Takes the place to go to, if there is one.
    func takeDestination() -> Destination? {
        defer { state.destination = nil }
        return state.destination
    }

    /// Notes that a frame was presented in the pause: one step less to go.
    ///
    /// The steps of a place that was asked for meanwhile are its own.
    func noteStep() {
        if state.destination == nil { state.framesLeft = max(0, state.framesLeft - 1) }
    }

    /// Waits until a time of the player's clock, or for ever; returns early with the next command, or when cancelled.
    func wait(until nanoseconds: Int64?, since version: Int, on timer: any PlaybackTimer) async {
        guard state.version == version, !Task.isCancelled else { return }
        let alarm = nanoseconds.map { nanoseconds in
            Task {
                try? await timer.sleep(until: nanoseconds)
                self.wake()
            }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter = $0 }
        } onCancel: {
            Task { await self.wake() }
        }
        alarm?.cancel()
    }

    private func wake() {
        waiter?.resume()
        waiter = nil
    }
}
