/// Pings whose pong is awaited: each has its command's number as payload, by which its pong is known (RFC 6455, 5.5.3).
struct OutstandingPings {
    private var numbers: [UInt64] = []
    private var lastNumber: UInt64 = 0

    /// The payload of a ping with this number, which is larger than those before.
    mutating func add(_ number: UInt64) -> [UInt8] {
        lastNumber = number
        numbers.append(number)
        return withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// Takes a pong, and returns the pings that it answers; none if it is unsolicited.
    ///
    /// A peer that answers a ping may leave out those before it (RFC 6455, 5.5.3).
    mutating func receive(_ payload: [UInt8]) -> [UInt64] {
        guard payload.count == 8 else { return [] }
        let number = payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard number <= lastNumber else { return [] }
        defer { numbers.removeAll { $0 <= number } }
        return numbers.filter { $0 <= number }
    }

    /// The pings that will never be answered.
    mutating func takeAll() -> [UInt64] {
        defer { numbers = [] }
        return numbers
    }
}
