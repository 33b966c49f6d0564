package import Text

/// The counts of messages that were received, and of those that could not be used.
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

/// The state that all connections of a receiver share: counts, and the devices with their clocks.
package final class ArvosLedger {
    package internal(set) var counts = ArvosCounts()
    /// The clocks in the order in which they were fixed, each with what its device says of itself.
    package private(set) var devices: [Device] = []
    var hasTree = false
    /// Where all times are of one clock, which is known.
    let fixedClock: ArvosClock?

    /// Clocks that are kept; a sender that invents times cannot fill the memory.
    private static let maximumDevices = 64
    /// How far the offsets of two connections of one device may differ.
    private static let sameClockNanoseconds = 2_000_000_000

    package struct Device {
        package var name: String
        package var handshake: JSONObject?
        package var clock: ArvosClock
    }

    package init() { fixedClock = nil }

    /// One device, whose clock is known.
    init(clock: ArvosClock) { fixedClock = clock }

    /// The clock of a connection that shows its first time now.
    ///
    /// Phones of one model have the same names: only a clock that shows the same time now is that of the same phone.
    func clock(of name: String, _ handshake: JSONObject?, first timestamp: Int64, now: Int64) -> ArvosClock {
        let clock = ArvosClock(first: timestamp, receivedNanoseconds: now)
        let known = devices.last { device in
            let difference = device.clock.offsetNanoseconds &- clock.offsetNanoseconds
            return device.name == name && device.clock.isUnix == clock.isUnix
                && difference.magnitude <= Self.sameClockNanoseconds
        }
        if let known { return known.clock }
        note(clock, of: name, handshake)
        return clock
    }

    func note(_ clock: ArvosClock, of name: String, _ handshake: JSONObject?) {
        guard devices.count < Self.maximumDevices else { return }
        devices.append(Device(name: name, handshake: handshake, clock: clock))
    }
}
