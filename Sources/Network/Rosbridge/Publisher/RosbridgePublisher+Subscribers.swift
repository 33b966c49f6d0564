import Messages
import Platform

/// Waiting for subscribers, such as recorders, before the first message.
extension RosbridgePublisher {
    /// Asks until each topic has a subscriber; what cannot be found out in time is a warning.
    func awaitSubscribers(over transport: WebSocketTransport) async throws {
        guard let deadline = recovery.deadlineNanoseconds, let patience = options.waitForRecorder else { return }
        var missing = topics.map(\.name)
        while !missing.isEmpty {
            let left = Duration.nanoseconds(deadline - MonotonicClock.nowNanoseconds())
            guard left > .zero else { break }
            let calls = missing.map { (service: "/rosapi/subscribers", topic: Optional($0)) }
            let answers = try await call(calls, over: transport, within: left)
            if answers.contains(where: { $0?.isAnswered == false }) {
                return warn(
                    "the server cannot tell who subscribes (is rosapi running?): not known whether anybody records "
                        + missing.joined(separator: ", ")
                )
            }
            missing = zip(missing, answers).filter { $1?.subscribers?.isEmpty != false }.map(\.0)
            let pause = Duration.nanoseconds(deadline - MonotonicClock.nowNanoseconds())
            if !missing.isEmpty, pause > .zero { try await Task.sleep(for: min(.milliseconds(200), pause)) }
        }
        if !missing.isEmpty {
            warn("no subscriber within \(patience.text) for \(missing.joined(separator: ", "))")
        }
    }

    /// Calls services, and returns the answers that came in time, in the order of the calls.
    func call(
        _ calls: [(service: String, topic: String?)],
        over transport: WebSocketTransport,
        within timeout: Duration
    ) async throws -> [CallAnswer?] {
        var ids: [String] = []
        defer { answersByCall = [:] }
        for (service, topic) in calls {
            let id = makeCallID(service.split(separator: "/").last.map(String.init) ?? "call")
            ids.append(id)
            answersByCall.updateValue(nil, forKey: id)
            try await transport.send(text: Operation.callService(service: service, id: id, topic: topic).json)
        }
        _ = try await wait(timeout) { $0.answersByCall.values.allSatisfy { $0 != nil } }
        return ids.map { answersByCall[$0] ?? nil }
    }
}
