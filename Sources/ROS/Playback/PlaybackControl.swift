/// Carries commands to the player, and says where the player stands.
///
/// Any task may give commands; the one that plays looks at them before each moment, and is woken while it waits.
package actor PlaybackControl {
    /// The commands that hold at a moment.
    struct State: Sendable {
        var isPaused: Bool
        /// Frames that are played in spite of the pause.
        var framesLeft = 0
        var rate: Double?
        var destination: Destination?
        /// True if nothing of the place that was sought is shown yet.
        var isArriving = false
        var isQuitting = false
        /// True if the end was reached, where it is held.
        var isEnded = false
        /// True if it is played again after its end; `nil` as the options say.
        var loops: Bool?
        /// Grows with each command.
        var version = 0
    }

    enum Destination: Sendable {
        case place(PlaybackPlace)
        case frameBefore
    }

    private(set) var state: State
    private var waiter: CheckedContinuation<Void, Never>?
    private var observers: [AsyncStream<PlaybackCondition>.Continuation] = []
    private let resolve: @Sendable (PlaybackPlace) throws -> PlaybackPlace

    /// - Parameters:
    ///   - rate: the rate to begin with; `nil` for as fast as possible, which commands do not change.
    ///   - loops: whether it is played again after its end; `nil` as the options say.
    ///   - resolve: gives a place that the recording has, for one that is asked for, or throws why it has none.
    package init(
        startsPaused: Bool = false,
        rate: Double?,
        loops: Bool? = nil,
        resolve: @escaping @Sendable (PlaybackPlace) throws -> PlaybackPlace = { $0 }
    ) {
        state = State(isPaused: startsPaused, rate: rate)
        state.loops = loops
        self.resolve = resolve
    }

    package var isPaused: Bool { state.isPaused }
    package var rate: Double? { state.rate }
    /// True if a place is asked for that the player has not turned to yet.
    package var isSeeking: Bool { state.destination != nil }
    /// True if nothing of the place that was asked for last is shown yet.
    package var isArriving: Bool { state.isArriving }

    package var condition: PlaybackCondition {
        PlaybackCondition(
            isPaused: state.isPaused,
            isEnded: state.isEnded,
            rate: state.rate,
            isLooping: state.loops ?? false
        )
    }

    /// Tells of each change from now on.
    package func conditions() -> AsyncStream<PlaybackCondition> {
        let (stream, continuation) = AsyncStream<PlaybackCondition>.makeStream(bufferingPolicy: .bufferingNewest(100))
        observers.append(continuation)
        return stream
    }

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
        case .loop(let isLooping): state.loops = isLooping
        case .quit: state.isQuitting = true
        }
        noteChange()
        return nil
    }

    private func noteChange() {
        state.version += 1
        for observer in observers { observer.yield(condition) }
        wake()
    }

    private func pause() {
        guard !state.isEnded else { return }
        state.isPaused = true
        // A pause at a place that was just sought shows what is there.
        state.framesLeft = state.isArriving ? 1 : 0
    }

    /// At the end nothing is left to be played.
    private func resume() {
        guard !state.isEnded else { return }
        state.isPaused = false
        state.framesLeft = 0
    }

    /// A seek while nothing plays shows the messages of its place.
    private func go(to destination: Destination, pausing: Bool) {
        state.isEnded = false
        state.isArriving = true
        state.destination = destination
        state.isPaused = pausing
        state.framesLeft = pausing ? 1 : 0
    }

    // MARK: - The player's side

    /// Notes that the end is reached, and waits for a way to go on.
    func holdAtEnd(on timer: any PlaybackTimer) async {
        if state.destination == nil, !state.isQuitting {
            (state.isPaused, state.isEnded, state.framesLeft) = (true, true, 0)
            noteChange()
        }
        while state.destination == nil, !state.isQuitting, !(state.loops ?? false), !Task.isCancelled {
            await wait(until: nil, since: state.version, on: timer)
        }
        if state.destination == nil, state.loops ?? false {
            (state.isPaused, state.isEnded) = (false, false)
            noteChange()
        }
    }

    /// Takes the place to go to, if there is one.
    func takeDestination() -> Destination? {
        defer { state.destination = nil }
        return state.destination
    }

    /// Notes that a frame was presented in the pause, or the first of a place: one step less to go.
    ///
    /// The steps of a place that was asked for meanwhile are its own.
    func noteStep() {
        guard state.destination == nil else { return }
        state.isArriving = false
        state.framesLeft = max(0, state.framesLeft - 1)
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

/// How a playback stands, for those who watch it.
package struct PlaybackCondition: Sendable, Hashable {
    package var isPaused: Bool
    /// True if it waits at the end of the recording.
    package var isEnded: Bool
    /// Recorded time against the wall's; `nil` for as fast as possible.
    package var rate: Double?
    package var isLooping: Bool
}

/// Commands of a player while it plays.
package enum PlaybackCommand: Sendable, Hashable {
    case pause
    case resume
    case togglePause
    /// Plays this many frames, then pauses.
    case step(Int)
    /// Goes back by one frame, shows it, and pauses.
    case stepBack
    case seek(PlaybackPlace)
    /// Recorded time against the wall's.
    case rate(Double)
    case changeRate(by: Double)
    /// True if the recording is played again from its beginning after its end.
    case loop(Bool)
    case quit

    /// The rates that can be played at.
    package static let rates: ClosedRange<Double> = 0.001...1000
}
