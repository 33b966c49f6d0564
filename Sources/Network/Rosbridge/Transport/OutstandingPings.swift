/// Pings that wait for their pong; the payload is the command's number, which the pong returns (RFC 6455, 5.5.3).
struct OutstandingPings {
    private var numbers: [UInt64] = []
    private var lastNumber: UInt64 = 0

    /// Returns the payload of a ping; `number` must be larger than those before.
    mutating func add(_ number: UInt64) -> [UInt8] {
        lastNumber = number
        numbers.append(number)
        return withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// Returns the pings that a pong answers; none if it is unsolicited.
    ///
    /// A pong also answers all earlier pings (RFC 6455, 5.5.3).
    mutating func receive(_ payload: [UInt8]) -> [UInt64] {
        guard payload.count == 8 else { return [] }
        let number = payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard number <= lastNumber else { return [] }
        defer { numbers.removeAll { $0 <= number } }
        return numbers.filter { $0 <= number }
    }

    /// Removes and returns all waiting pings, at the end of the connection.
    mutating func takeAll() -> [UInt64] {
        defer { numbers = [] }
        return numbers
    }
}
