import Bags
import JSONText
import Messages
import Rosbridge
import SystemPackage

/// Where a replay goes: to a server, and into a mirror of it if one is asked for.
struct ReplayDestination {
    let publisher: RosbridgePublisher
    private let command: ReplayCommand
    private let delay: Duration
    private let isForPrograms: Bool

    /// Takes what can be refused before anything is opened.
    init(_ command: ReplayCommand, isUnpaced: Bool) throws {
        self.command = command
        let url = try command.connection.parsedURL()
        delay = try UsageError.seconds("--delay", command.player.delay)
        var options = try command.connection.publisherOptions(isUnpaced: isUnpaced, timing: command.timing)
        let isForPrograms = command.player.progress == .json || command.player.control == .stdin
        self.isForPrograms = isForPrograms
        options.notice = { Self.tell($0, isForPrograms: isForPrograms) }
        publisher = RosbridgePublisher(url, options: options)
    }

    /// The sinks, none of them open yet.
    ///
    /// - Parameter provenance: what the mirror says of where it comes from.
    func sinks(provenance: [String: String]) throws -> [any MessageSink] {
        guard let path = command.saveLocal else { return [publisher] }
        let options = try command.bag.options(durability: .resilient, customData: provenance)
        return [publisher, BagSink(FilePath(path), options: options)]
    }

    /// Says before it plays what was asked for and means nothing: the report at its end may be hours away.
    func warn(_ warnings: [String]) {
        for warning in warnings { Self.tell(warning, isForPrograms: isForPrograms) }
    }

    /// Says while it plays what would be too late at the end; a program that reads lines of JSON gets one.
    private static func tell(_ warning: String, isForPrograms: Bool) {
        let line: JSONValue = ["warning": .string(warning)]
        Terminal.printError(isForPrograms ? line.text() : "warning: \(warning)")
    }

    /// Waits as long as --delay says.
    func wait() async throws {
        let delay = delay
        if delay > .zero { try await Signals.cancelling { try await Task.sleep(for: delay) } }
    }

    /// Prints what was done, and throws what ended it.
    func report(_ subject: Outcome.Subject) throws {
        try Outcome(subject, bagPath: command.saveLocal, publisher: "\(publisher.url)")
            .finish(json: command.json, reporting: command.publishing.reporting)
    }
}
