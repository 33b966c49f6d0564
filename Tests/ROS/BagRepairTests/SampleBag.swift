import Bags
import Messages
import SystemPackage

/// A small bag with messages of different sizes.
enum SampleBag {
    static let note = Topic(name: "/note", type: StringMessage.self)
    static let partner = Topic(name: "/partner", type: StringMessage.self)
    static let fixed = Topic(name: "/tf_static", type: TFMessage.self, qos: .latched, delivery: .control)
    static let start: Int64 = 1_700_000_000_000_000_000

    /// A hundred messages a second.
    static func notes(_ count: Int, bytes: (Int) -> Int = { 100 * ($0 % 40) }) -> [StampedMessage] {
        (0..<count).map { index in
            var message = StringMessage()
            message.data = "\(index) " + String(repeating: "x", count: bytes(index))
            return StampedMessage(topic: note, timeNanoseconds: start + Int64(index) * 10_000_000, message: message)
        }
    }

    /// A message of another topic with the same time.
    static func partner(of message: StampedMessage) -> StampedMessage {
        StampedMessage(topic: partner, timeNanoseconds: message.timeNanoseconds, message: StringMessage())
    }

    static func write(_ bag: FilePath, _ count: Int = 200, options: BagOptions = BagOptions()) async throws {
        let sink = BagSink(bag, options: options)
        try await sink.open([note, fixed])
        for message in notes(count) { try await sink.write(message) }
        _ = try await sink.finish()
    }
}
