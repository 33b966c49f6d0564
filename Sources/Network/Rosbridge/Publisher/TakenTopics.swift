import Messages
import Platform

/// The topics that a server has accepted, according to its rosapi.
///
/// A ROS 2 rosbridge server refuses an advertisement silently: it has no definition of the type, the topic exists with
/// another type, or `topics_glob` excludes the name. It discards messages on such a topic and still answers barriers.
/// Only the topics that rosapi lists show the refusal.
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

    /// In the order of the topics.
    private(set) var refused: [Refused] = []
    /// True if nothing is left to ask: rosapi has listed every topic with its type, or does not answer.
    private(set) var isCertain = false

    var warnings: [String] { refused.map(\.warning) }

    /// Notes what rosapi lists: types by topic name.
    mutating func note(listed types: [String: String], of topics: [Topic]) {
        refused = topics.compactMap { topic in
            let found = types[topic.name]
            guard found.map(TakenTopics.fullName) != topic.typeName else { return nil }
            return Refused(name: topic.name, typeName: topic.typeName, foundType: found)
        }
        isCertain = refused.isEmpty
    }

    /// Notes that rosapi does not answer; it is not asked again.
    mutating func noteSilence() { isCertain = true }

    /// `pkg/Type` and `pkg/msg/Type` are the same.
    private static func fullName(_ name: String) -> String {
        let parts = name.split(separator: "/")
        return parts.count == 2 ? "\(parts[0])/msg/\(parts[1])" : name
    }
}

extension RosbridgePublisher {
    /// Polls rosapi until it lists every topic or the time is over: discovery of new topics takes a while.
    ///
    /// A server without rosapi is no error.
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
        if let warning = options.warning, takenTopics.refused != known { takenTopics.warnings.forEach(warning) }
    }
}
