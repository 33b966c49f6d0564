import Messages
import Playback

/// Moments at given milliseconds after `start`, each with a text; one latched message comes first in each new pass.
final class ScriptedSource: PlaybackSource {
    static let start: Int64 = 1_700_000_000_000_000_000

    let topics = [
        Topic(name: "/text", type: StringMessage.self),
        Topic(name: "/about", type: StringMessage.self, qos: .latched, delivery: .control),
    ]
    let intervalNanoseconds: Int64 = 100_000_000
    private let milliseconds: [Int64]
    /// Every which moment is a frame.
    private let frameEvery: Int

    init(_ milliseconds: [Int64], frameEvery: Int = 1) {
        self.milliseconds = milliseconds
        self.frameEvery = frameEvery
    }

    var span: ClosedRange<Int64> { time(0)...time(milliseconds.count - 1) }

    private func time(_ index: Int) -> Int64 { Self.start + milliseconds[index] * 1_000_000 }

    func play(from time: Int64, as pass: PlaybackPass, to presenter: any MessagePresenter) async throws {
        var isFirst = pass != .loop
        for index in milliseconds.indices where self.time(index) >= time {
            let isFrame = index % frameEvery == 0
            try await presenter.present(at: self.time(index), isFrame: isFrame) { stamps in
                var names = ["/text"]
                if isFirst { names.insert("/about", at: 0) }
                isFirst = false
                return names.map { name in
                    var message = StringMessage()
                    message.data = "\(milliseconds[index])"
                    let topic = topics.first { $0.name == name } ?? topics[0]
                    return StampedMessage(
                        topic: topic,
                        timeNanoseconds: stamps.stamp(self.time(index)),
                        message: message
                    )
                }
            }
        }
    }

    func timeOfFrame(before time: Int64) throws -> Int64? {
        milliseconds.indices.last { $0 % frameEvery == 0 && self.time($0) < time }.map(self.time)
    }

    func time(of place: PlaybackPlace) throws -> Int64 {
        guard case .seconds(let seconds) = place else { throw PassEnded() }
        return Self.start + Int64(seconds * 1e9)
    }
}

/// Keeps what came, and does something at each message.
actor ListSink: MessageSink {
    struct Entry: Equatable {
        var name: String
        var text: String
        /// Milliseconds after the source's start.
        var stamp: Int64
    }

    private(set) var entries: [Entry] = []
    private(set) var finishCount = 0
    private let onMessage: (@Sendable (Entry) async throws -> Void)?

    init(onMessage: (@Sendable (Entry) async throws -> Void)? = nil) { self.onMessage = onMessage }

    var texts: [String] { entries.filter { $0.name == "/text" }.map(\.text) }
    var stamps: [Int64] { entries.filter { $0.name == "/text" }.map(\.stamp) }

    func open(_ topics: [Topic]) async throws {}

    func write(_ message: StampedMessage) async throws {
        let text = (message.message as? StringMessage)?.data ?? message.topic.name
        let stamp = (message.timeNanoseconds - ScriptedSource.start) / 1_000_000
        let entry = Entry(name: message.topic.name, text: text, stamp: stamp)
        entries.append(entry)
        try await onMessage?(entry)
    }

    func finish() async throws -> SinkReport {
        finishCount += 1
        return report()
    }

    func report() -> SinkReport { SinkReport(topics: [.init(name: "all", written: entries.count)]) }
}
