import Bags
import Foxglove
import Messages
import Platform
import Rosbridge

/// Writes what the server hands on into a bag, and logs who comes and what is refused.
actor Recorder: RecorderDelegate {
    private let sink: BagSink
    private let selection: TopicSelection
    private var opening: Task<Void, any Error>?
    private var isOpen = false
    private var known: Set<String> = []
    private var log = RecorderLog()
    private var count = 0
    private var progress: ProgressHandler = { _ in }
    private weak var serverToStop: RosbridgeServer?
    private let status: RecordingStatus
    /// Shows what comes; nil without a viewer.
    private let viewer: FoxgloveSink?

    init(_ sink: BagSink, selection: TopicSelection, status: RecordingStatus, viewer: FoxgloveSink?) {
        self.sink = sink
        self.status = status
        self.viewer = viewer
        self.selection = selection
    }

    /// Runs where the bag is written: a message costs no change of threads.
    nonisolated var unownedExecutor: UnownedSerialExecutor { sink.unownedExecutor }

    /// Creates the bag, so that a wrong place is known before anyone publishes.
    func open() async throws {
        let task =
            opening
            ?? Task { [sink, viewer] in
                try await viewer?.open([])
                try await sink.open()
            }
        opening = task
        try await task.value
        isOpen = true
    }

    func stopWhenEmpty(_ server: RosbridgeServer?) { serverToStop = server }

    /// Tells from now on how many messages were recorded.
    func follow(_ progress: @escaping ProgressHandler) {
        self.progress = progress
        tellCount()
    }

    private func tellCount() { progress(WorkProgress("recording", count, of: nil, .messages)) }

    /// Closes the bag, and tells viewers how it ended.
    func finish(types: TypeResolver = TypeResolver()) async throws -> SinkReport {
        do {
            let report = try await sink.finish()
            if await viewer?.isWatched == true { await status.end(report, types: types) }
            _ = try? await viewer?.finish()
            return report
        } catch {
            _ = try? await viewer?.finish()
            throw error
        }
    }

    func received(_ messages: [StampedMessage], from client: RecorderClient) async throws -> [Refusal] {
        if !isOpen { try await open() }
        var refusals: [Refusal] = []
        for message in messages where selection.contains(message.topic.name) {
            if !known.contains(message.topic.name) {
                try await sink.add(message.topic)
                await viewer?.add(message.topic)
                known.insert(message.topic.name)
            }
            // Viewers first, as writing may take the time of a commit; they are never waited for, and what goes wrong there costs
            // the recording nothing.
            try? await viewer?.write(message)
            do throws(BagError) {
                try await sink.write(message)
                count += 1
                if viewer != nil { await status.received(message.topic.name) }
            } catch {
                // A message that cannot be written costs only itself: other clients go on.
                guard case .message = error else { throw error }
                refusals.append(Refusal(topic: message.topic.name, "publish: \(error)"))
            }
        }
        tellCount()
        return refusals
    }

    /// Viewers can subscribe before the first message.
    func advertised(_ topic: Topic) async {
        if selection.contains(topic.name) { await viewer?.add(topic) }
    }

    nonisolated func records(_ topicName: String) -> Bool { selection.contains(topicName) }

    /// Tells an event that has no client of rosbridge.
    func tell(_ text: String) async {
        log.event(text)
        await status.note(text)
    }

    /// Adds to what the bag says of itself.
    func note(_ customData: [String: String]) async { await sink.note(customData) }

    func connected(_ client: RecorderClient, count: Int) async {
        log.event("\(client) connected")
        await status.connected(client)
    }

    func left(_ client: RecorderClient, problem: String?, count: Int) async {
        log.left(client, problem)
        await status.left(client, problem)
        if count == 0, let server = serverToStop { Task { await server.stop() } }
    }

    func turnedAway(_ address: String, problem: String) {
        log.turnedAway(address, problem)
    }

    func refused(_ refusal: Refusal, from client: RecorderClient) {
        log.refused(refusal, client)
    }
}

/// The lines of a recorder on standard error: all at first, and no more than a person reads.
private struct RecorderLog {
    private static let maximumEvents = 1_000
    private static let maximumRefusals = 100
    /// Refusals of one client that are told one by one, so that it leaves room for those of others.
    private static let maximumRefusalsOfClient = 20

    /// Connections that were not let in and are told one by one, so that they leave room for those of clients.
    private static let maximumTurnedAway = 50

    private var events = 0
    private var turnedAway = 0
    private var refusals = 0
    private var refusalsOfClients: [RecorderClient: Int] = [:]

    mutating func event(_ text: String) {
        guard events < Self.maximumEvents else { return }
        events += 1
        Terminal.printError(Refusal.printable(text, maximumLength: 500))
        if events == Self.maximumEvents { Terminal.printError("further clients that come and go are not told") }
    }

    mutating func turnedAway(_ address: String, _ problem: String) {
        turnedAway += 1
        guard turnedAway <= Self.maximumTurnedAway else { return }
        event("\(address) was not let in: \(problem)")
        if turnedAway == Self.maximumTurnedAway { event("further connections that are not let in are not told") }
    }

    mutating func left(_ client: RecorderClient, _ problem: String?) {
        refusalsOfClients[client] = nil
        event("\(client) left" + (problem.map { ": \($0)" } ?? ""))
    }

    mutating func refused(_ refusal: Refusal, _ client: RecorderClient) {
        let count = refusalsOfClients[client, default: 0] + 1
        refusalsOfClients[client] = count
        guard count <= Self.maximumRefusalsOfClient, refusals < Self.maximumRefusals else { return }
        refusals += 1
        Terminal.printError("refused: \(client): \(refusal)")
        if refusals == Self.maximumRefusals {
            Terminal.printError("further refusals are only counted")
        } else if count == Self.maximumRefusalsOfClient {
            Terminal.printError("further refusals of \(client) are only counted")
        }
    }
}
