import ROS

/// What a server said about who subscribes to a topic.
struct SubscribersAnswer: Sendable {
    /// Whether there is a service that can tell.
    var isAnswered: Bool
    var subscribers: [String]?
}

/// Waiting for whoever records, before the first message.
extension RosbridgePublisher {
    /// Asks until somebody subscribes to each topic; what cannot be found out in time is a warning.
    func awaitSubscribers(over transport: WebSocketTransport) async throws {
        guard let deadline = recovery.deadlineNanoseconds, let patience = options.waitForRecorder else { return }
        var missing = topics.map(\.name)
        while !missing.isEmpty {
            let left = Duration.nanoseconds(deadline - MonotonicClock.nowNanoseconds())
            guard left > .zero else { break }
            let answers = try await ask(about: missing, over: transport, within: left)
            if answers.values.contains(where: { !$0.isAnswered }) {
                return warn(
                    "the server cannot tell who subscribes (is rosapi running?): not known whether anybody records "
                        + missing.joined(separator: ", ")
                )
            }
            missing.removeAll { answers[$0]?.subscribers?.isEmpty == false }
            let pause = Duration.nanoseconds(deadline - MonotonicClock.nowNanoseconds())
            if !missing.isEmpty, pause > .zero { try await Task.sleep(for: min(.milliseconds(200), pause)) }
        }
        if !missing.isEmpty {
            warn("nobody subscribed within \(patience.text) to \(missing.joined(separator: ", "))")
        }
    }

    /// Asks about each topic, and returns the answers that came in time.
    private func ask(
        about names: [String],
        over transport: WebSocketTransport,
        within timeout: Duration
    ) async throws -> [String: SubscribersAnswer] {
        var calls: [(name: String, id: String)] = []
        defer { subscribersByCall = [:] }
        for name in names {
            let id = makeCallID("subscribers")
            calls.append((name, id))
            subscribersByCall.updateValue(nil, forKey: id)
            let call = Operation.callService(service: "/rosapi/subscribers", id: id, topic: name)
            try await transport.send(text: call.json)
        }
        _ = try await wait(timeout) { $0.subscribersByCall.values.allSatisfy { $0 != nil } }
        var answers: [String: SubscribersAnswer] = [:]
        for call in calls { answers[call.name] = subscribersByCall[call.id] ?? nil }
        return answers
    }
}
