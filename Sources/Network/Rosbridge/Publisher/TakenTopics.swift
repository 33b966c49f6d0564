import Files
import Messages

/// Which of our topics a server has taken, as far as its rosapi tells.
///
/// A ROS 2 rosbridge refuses an advertisement without a word: because it has no definition of the type, because the
/// topic is there with another type, or because its `topics_glob` excludes the name. What is published on such a topic
/// is thrown away, and barriers are answered all the same. The topics that rosapi lists show it.
struct TakenTopics: Sendable {
    /// A topic that the server does not have, or has with another type.
    struct Refused: Equatable, Sendable {
        var name: String
        var typeName: String
        /// The type that rosapi names; `nil` where it does not list the topic.
        var foundType: String?

        var warning: String {
            if let foundType {
                return "the server has \(name) with the type \(foundType), not \(typeName):"
                    + " it throws away what is published there"
            }
            let package = typeName.prefix { $0 != "/" }
            return "the server has not taken \(name) (\(typeName)), and throws away what is published there:"
                + " is \(package) installed where it runs, and sourced?"
        }
    }

    /// Sorted as the topics are.
    private(set) var refused: [Refused] = []
    /// Whether rosapi has listed every topic with its type, or cannot be asked.
    private(set) var isCertain = false

    var warnings: [String] { refused.map(\.warning) }

    /// Takes what rosapi lists: types by the names of topics.
    mutating func note(listed types: [String: String], of topics: [Topic]) {
        refused = topics.compactMap { topic in
            let found = types[topic.name]
            guard found.map(TakenTopics.fullName) != topic.typeName else { return nil }
            return Refused(name: topic.name, typeName: topic.typeName, foundType: found)
        }
        isCertain = refused.isEmpty
    }

    /// Notes that the server does not answer such questions: it is not asked again.
    mutating func noteSilence() {
        isCertain = true
    }

    /// `pkg/Type` and `pkg/msg/Type` are the same.
    private static func fullName(_ name: String) -> String {
        let parts = name.split(separator: "/")
        return parts.count == 2 ? "\(parts[0])/msg/\(parts[1])" : name
    }
}

extension RosbridgePublisher {
    /// Asks rosapi until it lists every topic, or the time is over: nodes need a moment to learn of new topics.
    ///
    /// A server without rosapi, or one that does not answer, cannot tell; that is no error.
    func checkTopics(over transport: WebSocketTransport) async throws {
        guard ledger.isConfirming, options.topicCheck > .zero, !topics.isEmpty else { return }
        let deadline = MonotonicClock.nowNanoseconds() + options.topicCheck.nanoseconds
        let known = takenTopics.refused
        while true {
            let left = Duration.nanoseconds(deadline - MonotonicClock.nowNanoseconds())
            guard left > .zero else { break }
            let answers = try await call([(service: "/rosapi/topics", topic: nil)], over: transport, within: left)
            guard let answer = answers.first ?? nil else {
                if takenTopics.refused.isEmpty { takenTopics.noteSilence() }
                break
            }
            // rosapi may be about to start: it is asked again at the end.
            guard answer.isAnswered, let types = answer.topics else { return }
            takenTopics.note(listed: types, of: topics)
            if takenTopics.isCertain { return }
            let pause = Duration.nanoseconds(deadline - MonotonicClock.nowNanoseconds())
            if pause > .zero { try await Task.sleep(for: min(.milliseconds(100), pause)) }
        }
        if let notice = options.notice, takenTopics.refused != known { takenTopics.warnings.forEach(notice) }
    }
}
