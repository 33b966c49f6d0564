import Glibc
package import Messages
import Platform

/// Reads topics of a domain as they come up, each with the QoS that all of its publishers offer, as rosbag2's recorder does.
///
/// Its readers keep every message until it is taken: what is lost is lost on the way, and counted by topic.
package actor DDSReceiver {
    /// A topic that is read from now on.
    package struct Heard: Sendable, Hashable {
        package var name: String
        package var typeName: String
        /// The hash that its publisher states; empty for none, as before Iron.
        package var typeHash: String
        package var qos: QoS
    }

    /// A message with the time at which it was taken, in nanoseconds since 1970.
    package struct Message: Sendable {
        /// In the order in which topics were heard.
        package var topic: Int
        package var timeNanoseconds: Int64
        /// CDR with its header, to a multiple of 4 bytes.
        package var bytes: [UInt8]
    }

    package enum Event: Sendable {
        case heard(Heard)
        /// What is wrong with others.
        case warning(String)
        case messages([Message])
    }

    private struct Lane {
        var heard: Heard
        var subscription: DDSParticipant.Subscription
    }

    private let library: CycloneLibrary
    private let environment: DDSEnvironment
    private let node: String
    private let wants: @Sendable (String) -> Bool
    private var lanes: [Lane] = []
    private var places: [String: Int] = [:]
    private var announced = 0
    private var others = DDSOthers()
    /// What cannot be read, by topic.
    private var refused: [String: String] = [:]
    private var nextLookNanoseconds: Int64 = 0

    package init(
        _ library: CycloneLibrary,
        _ environment: DDSEnvironment,
        node: String,
        wants: @escaping @Sendable (String) -> Bool
    ) {
        (self.library, self.environment, self.node, self.wants) = (library, environment, node, wants)
    }

    /// Reads until the task is cancelled.
    ///
    /// - Parameters:
    ///   - untilAlone: True to end when all who published have left.
    ///   - tell: Takes what comes; the next is read when it returns.
    package func run(untilAlone: Bool, _ tell: @Sendable (Event) async throws -> Void) async throws {
        let participant = try DDSParticipant(library, environment, processID: getpid())
        defer {
            count(participant)
            participant.close()
        }
        var hadPublisher = false
        while !Task.isCancelled {
            let now = MonotonicClock.nowNanoseconds()
            if now >= nextLookNanoseconds {
                nextLookNanoseconds = now + 50_000_000
                let publications = participant.newPublications()
                for text in others.look(participant, publications) { try await tell(.warning(text)) }
                for heard in try look(participant, publications) { try await tell(.heard(heard)) }
                let isAlone = lanes.allSatisfy { participant.state($0.subscription).publishers == 0 }
                hadPublisher = hadPublisher || !isAlone
                if untilAlone, hadPublisher, isAlone {
                    while try await drain(participant, tell) {}
                    return
                }
            }
            if try await !drain(participant, tell) { try? await Task.sleep(for: .milliseconds(2)) }
        }
        while try await drain(participant, tell) {}
    }

    /// Messages that did not come although they were sent, by topic, where there are any.
    package private(set) var lost: [(topic: String, count: Int)] = []

    /// What could not be read, and why.
    package var refusals: [(topic: String, reason: String)] {
        refused.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Reads what has come up; returns it.
    private func look(
        _ participant: DDSParticipant,
        _ publications: [DDSParticipant.Endpoint]
    ) throws(DDSError) -> [Heard] {
        var heard: [Heard] = []
        for (name, offers) in Dictionary(grouping: publications, by: \.name).sorted(by: { $0.key < $1.key }) {
            guard let topic = DDSNames.topic(ofName: name), wants(topic), let first = offers.first else { continue }
            guard let typeName = DDSNames.type(ofName: first.typeName) else {
                refused[topic] = "expected a type of ROS 2, found \(first.typeName)"
                continue
            }
            if let place = places[topic] {
                let known = lanes[place].heard
                let isHeard = offers.allSatisfy { $0.isReliable || known.qos.reliability == .bestEffort }
                if known.typeName != typeName { refused[topic] = "expected \(known.typeName), found \(typeName), too" }
                if !isHeard { refused[topic] = "a publisher that came later offers less, and is not heard" }
                continue
            }
            let isReliable = offers.allSatisfy(\.isReliable)
            let isLatched = offers.allSatisfy(\.isTransientLocal)
            let subscription = try participant.subscribe(
                name,
                first.typeName,
                isReliable: isReliable,
                isLatched: isLatched
            )
            let qos = QoS(
                history: first.depth == nil ? .keepAll : .keepLast,
                depth: first.depth ?? 0,
                reliability: isReliable ? .reliable : .bestEffort,
                durability: isLatched ? .transientLocal : .volatile
            )
            let new = Heard(name: topic, typeName: typeName, typeHash: first.typeHash ?? "", qos: qos)
            places[topic] = lanes.count
            lanes.append(Lane(heard: new, subscription: subscription))
            heard.append(new)
        }
        if announced < lanes.count, let size = environment.gidBytes ?? others.gidBytes {
            try participant.announce(node: node, readers: lanes.map(\.subscription), gidBytes: size)
            announced = lanes.count
        }
        return heard
    }

    /// Hands on what has come; returns false where there was nothing.
    private func drain(
        _ participant: DDSParticipant,
        _ tell: @Sendable (Event) async throws -> Void
    ) async throws -> Bool {
        var messages: [Message] = []
        var bytes = 0
        var count = 0
        for index in lanes.indices {
            let time = WallClock.nowNanoseconds()
            count += participant.take(lanes[index].subscription) { payload in
                bytes += payload.count
                messages.append(Message(topic: index, timeNanoseconds: time, bytes: Array(payload)))
            }
            if bytes > 1 << 22 {
                try await tell(.messages(messages))
                (messages, bytes) = ([], 0)
            }
        }
        if !messages.isEmpty { try await tell(.messages(messages)) }
        return count > 0
    }

    private func count(_ participant: DDSParticipant) {
        lost = lanes.compactMap { lane in
            let count = participant.state(lane.subscription).lost
            return count > 0 ? (lane.heard.name, count) : nil
        }
    }
}
