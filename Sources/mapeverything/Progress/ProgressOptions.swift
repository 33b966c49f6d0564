import ArgumentParser
import Playback
import Rosbridge
import Work

/// How a command shows how far it is: the same for all.
struct ProgressOptions: ParsableArguments, Sendable {
    enum Form: String, ExpressibleByArgument, CaseIterable, Sendable {
        case auto
        case json
        case off
    }

    @Option(
        name: .customLong("progress"),
        help: "Progress on standard error: auto (one line on a terminal), json (one line each second) or off."
    )
    var form = Form.auto

    /// Whether anything is shown.
    var isShown: Bool { form == .json || (form == .auto && Terminal.isErrorInteractive) }

    /// Runs work that tells how far it is and that the first interrupt cancels; shows it meanwhile, if it takes long.
    ///
    /// - Parameters:
    ///   - command: as it is called, such as `tags map`.
    ///   - endsAtOnce: whether the first interrupt ends the process instead.
    ///   - isComplete: whether work that threw nothing did all that it was to do.
    func run<Result: Sendable>(
        _ command: String,
        endsAtOnce: Bool = false,
        isComplete: @escaping @Sendable (Result) -> Bool = { _ in true },
        _ work: @escaping @Sendable (@escaping ProgressHandler) async throws -> Result
    ) async throws -> Result {
        guard isShown else { return try await Signals.cancelling(endsAtOnce: endsAtOnce) { try await work { _ in } } }
        let display = ProgressDisplay.shared
        display.begin(command, isForPrograms: form == .json)
        do {
            let result = try await Signals.cancelling(endsAtOnce: endsAtOnce) {
                try await work { display.tell($0) }
            }
            display.end(isComplete: isComplete(result))
            return result
        } catch {
            display.end(isComplete: false)
            throw error
        }
    }
}
