/// The quality of service with which a topic is offered, as far as bags and rosbridge can say it.
package struct QoS: Hashable, Sendable {
    package enum History: Int, Sendable { case keepLast = 1, keepAll = 2 }
    package enum Reliability: Int, Sendable { case reliable = 1, bestEffort = 2 }
    package enum Durability: Int, Sendable { case transientLocal = 1, volatile = 2 }

    package var history: History
    package var depth: Int
    package var reliability: Reliability
    package var durability: Durability

    package init(history: History, depth: Int, reliability: Reliability, durability: Durability) {
        self.history = history
        self.depth = depth
        self.reliability = reliability
        self.durability = durability
    }

    /// Reliable, volatile, keep the last `depth`.
    package static func reliable(depth: Int) -> QoS {
        QoS(history: .keepLast, depth: depth, reliability: .reliable, durability: .volatile)
    }

    /// Reliable, transient local, keep the last one: what `/tf_static` needs.
    package static let latched = QoS(history: .keepLast, depth: 1, reliability: .reliable, durability: .transientLocal)
}
