import NIOCore

/// Pings that somebody waits for: each has a number as its payload, by which its pong is known (RFC 6455, 5.5.3).
struct OutstandingPings {
    private var pings: [(number: UInt64, promise: EventLoopPromise<Void>)] = []
    private var lastNumber: UInt64 = 0

    /// The payload of the next ping, whose promise is kept when its pong comes.
    mutating func add(_ promise: EventLoopPromise<Void>?) -> [UInt8] {
        lastNumber += 1
        if let promise { pings.append((lastNumber, promise)) }
        return withUnsafeBytes(of: lastNumber.bigEndian) { Array($0) }
    }

    /// Takes a pong; an unsolicited one changes nothing.
    ///
    /// A peer that answers a ping may leave out those before it (RFC 6455, 5.5.3).
    mutating func receive(_ payload: [UInt8]) {
        guard payload.count == 8 else { return }
        let number = payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard number <= lastNumber else { return }
        for ping in pings where ping.number <= number { ping.promise.succeed() }
        pings.removeAll { $0.number <= number }
    }

    mutating func fail(_ error: any Error) {
        for ping in pings { ping.promise.fail(error) }
        pings = []
    }
}
