package import JSONText
import Replay

/// The clock of a device: what Unix time is ahead of it, fixed by its first message.
package struct ArvosClock: Sendable, Hashable {
    package var offsetNanoseconds: Int64
    /// The first time that it showed.
    package var firstNanoseconds: Int64
    /// Whether the device sends Unix time itself.
    package var isUnix: Bool

    /// A clock that is known already, from its beginning.
    init(offsetNanoseconds: Int64) {
        self.offsetNanoseconds = offsetNanoseconds
        (firstNanoseconds, isUnix) = (0, offsetNanoseconds == 0)
    }

    init(first timestamp: Int64, receivedNanoseconds: Int64) {
        isUnix = timestamp >= EpochAnchor.oldestUnixNanoseconds
        firstNanoseconds = timestamp
        offsetNanoseconds = isUnix ? 0 : receivedNanoseconds &- timestamp
    }
}

/// What was received, and what could not be used.
package struct ArvosCounts: Sendable, Hashable {
    package var messages: [String: Int] = [:]
    package var rejected: [ArvosProblem.Kind: Int] = [:]
    /// The first problems, with their type.
    package var examples: [String] = []
    package var lastProblem: ArvosProblem?
    /// Numbers that are missing in the sequences of the senders.
    package var lostInSequence = 0
    /// IMU samples without gravity, whose specific force is not known.
    package var withoutGravity = 0

    package var receivedCount: Int { messages.values.reduce(0, +) }
    package var rejectedCount: Int { rejected.values.reduce(0, +) }

    mutating func note(_ problem: ArvosProblem, _ place: String) {
        rejected[problem.kind, default: 0] += 1
        lastProblem = problem
        if examples.count < 5 { examples.append("\(place): \(problem)") }
    }
}

/// What all connections of a receiver share: counts, and a clock for each device, which outlives its connections.
package final class ArvosLedger {
    package internal(set) var counts = ArvosCounts()
    /// The devices in the order in which they came, each with what it says of itself.
    package private(set) var devices: [Device] = []
    var hasTree = false

    /// Devices that are told apart; a sender that invents names cannot fill the memory.
    private static let maximumDevices = 64

    package struct Device {
        package var name: String
        package var handshake: JSONObject?
        package var clock: ArvosClock
    }

    package init() {}

    /// One device, whose clock is known.
    init(clock: ArvosClock) { devices = [Device(name: "", clock: clock)] }

    /// The clock of a device, which is fixed now if it has none, or if the device was started again since.
    func clock(of name: String, _ handshake: JSONObject?, first timestamp: Int64, now: Int64) -> ArvosClock {
        let known = devices.lastIndex { $0.name == name }
        if let known, timestamp >= devices[known].clock.firstNanoseconds { return devices[known].clock }
        let clock = ArvosClock(first: timestamp, receivedNanoseconds: now)
        if devices.count < Self.maximumDevices {
            devices.append(Device(name: name, handshake: handshake, clock: clock))
        }
        return clock
    }
}
