import BagTools
import Bags
import Messages
import Platform
import Rosbridge
import SystemPackage
import Text

/// How a recording stands, as the live page shows it: counts by topic, clients, what happened, at the end the verdict.
actor RecordingStatus {
    /// What happened that is still told.
    private static let mostEvents = 6
    /// How long the end waits for the verdict; a larger bag is not read again.
    private static let largestCheckedBytes = 200_000_000

    private struct Event {
        var timeNanoseconds: Int64
        var text: String
    }

    private let sink: BagSink
    private let output: String
    private let begin = ContinuousClock.now
    private var arrivals: [String: Int64] = [:]
    private var clients: [RecorderClient: Int64] = [:]
    private var events: [Event] = []
    private var ending: (elapsed: Duration, verdict: String)?

    init(_ sink: BagSink, output: String) { (self.sink, self.output) = (sink, output) }

    /// Runs where the bag is written: a message costs no change of threads.
    nonisolated var unownedExecutor: UnownedSerialExecutor { sink.unownedExecutor }

    func received(_ topic: String) { arrivals[topic] = WallClock.nowNanoseconds() }

    func connected(_ client: RecorderClient) {
        clients[client] = WallClock.nowNanoseconds()
        note("\(client) connected")
    }

    func left(_ client: RecorderClient, _ problem: String?) {
        clients[client] = nil
        note("\(client) left" + (problem == nil ? "" : ": the connection was lost"))
    }

    func note(_ text: String) {
        events.append(
            Event(timeNanoseconds: WallClock.nowNanoseconds(), text: Refusal.printable(text, maximumLength: 200))
        )
        if events.count > Self.mostEvents { events.removeFirst() }
    }

    /// Says that the bag is closed, and how `check` finds it.
    func end(_ report: SinkReport, types: TypeResolver) async {
        let elapsed = begin.duration(to: .now)
        let bytes = report.topics.reduce(0) { $0 + $1.bytes }
        guard bytes <= Self.largestCheckedBytes else {
            return ending = (elapsed, "not checked yet: mapeverything check \(output)")
        }
        let check = try? BagChecker.check(FilePath(output), options: BagCheckOptions(types: types))
        ending = (elapsed, check.map { CheckReport($0, path: output).verdict.text } ?? "it cannot be read")
    }

    var json: JSONValue {
        get async {
            let topics = await sink.report().topics.map { topic in
                JSONValue.object([
                    ("name", .string(topic.name)), ("messages", .integer(topic.written)),
                    ("bytes", .integer(topic.bytes)),
                    ("last", arrivals[topic.name].map(Self.seconds) ?? .null),
                ])
            }
            let elapsed = ending?.elapsed ?? begin.duration(to: .now)
            return .object([
                ("output", .string(output)), ("now", Self.seconds(WallClock.nowNanoseconds())),
                ("elapsed", .number(elapsed / .seconds(1))), ("free", .integer(FreeSpace.bytes(at: FilePath(output)))),
                ("topics", .array(topics)),
                ("clients", .array(clients.sorted { $0.key.number < $1.key.number }.map(Self.client))),
                ("events", .array(events.map(Self.event))), ("verdict", .string(ending?.verdict)),
            ])
        }
    }

    private static func client(_ client: RecorderClient, since: Int64) -> JSONValue {
        .object([("name", .string("\(client)")), ("since", seconds(since))])
    }

    private static func event(_ event: Event) -> JSONValue {
        .object([("at", seconds(event.timeNanoseconds)), ("text", .string(event.text))])
    }

    private static func seconds(_ nanoseconds: Int64) -> JSONValue { .number(Double(nanoseconds / 1_000_000) / 1e3) }
}
