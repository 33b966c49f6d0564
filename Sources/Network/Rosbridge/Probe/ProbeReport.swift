package import Messages
import Platform

/// The options of a probe.
package struct ProbeOptions: Sendable {
    package var transport = TransportOptions()
    /// The number of connections made to measure connecting.
    package var connections = 10
    /// The number of round trips of each kind.
    package var roundTrips = 20
    /// The sizes of the messages, as bytes of `data`.
    package var payloads: [Int] = [16_384, 1_048_576]
    /// How long messages of each size are sent without a pause.
    package var duration = Duration.seconds(5)
    /// The time limit for an answer.
    package var answerTimeout = Duration.seconds(10)
    /// The largest frame; a larger message goes out in fragments.
    package var maximumMessageSize = 10_000_000
    package var topic = "/mapping/probe/throughput"

    /// The defaults, changed by `set`.
    package init(_ set: (inout Self) -> Void = { _ in }) { set(&self) }
}

/// The results of a probe, complete or up to the point at which it ended.
package struct ProbeReport: Sendable {
    /// The server without credentials.
    package var server: String
    /// The address and port that accepted the connection.
    package var address: String?
    /// True if the server has agreed to compression.
    package var isCompressed = false
    /// The durations of name lookups; empty if the host is an address.
    package var resolution = RoundTrips()
    package var connect = RoundTrips()
    /// The durations of TLS handshakes; empty for ws.
    package var tls = RoundTrips()
    package var handshake = RoundTrips()
    package var ping = RoundTrips()
    package var barrier = RoundTrips()
    /// Pings and barriers that were not answered in time.
    package var unansweredPings = 0
    package var unansweredBarriers = 0
    package var payloads: [PayloadReport] = []
    /// Status messages of the server, and what was odd.
    package var warnings: [String] = []
    package var isInterrupted = false
    /// The error that ended the probe early.
    package var failure: RosbridgeError?
}

/// The results for messages of one size.
package struct PayloadReport: Sendable {
    /// Bytes of data in a message.
    package var payloadBytes: Int
    /// Bytes of its JSON.
    package var jsonBytes = 0
    /// The time from before the first byte of a message to the answer of the barrier after it, on an idle server.
    package var barrierBehind = RoundTrips()
    /// The confirmed rate under load; `nil` if there were too few answers.
    package var sustained: SustainedRate?
    /// The messages sent under load, and those of them that were confirmed.
    package var sentMessages = 0
    package var confirmedMessages = 0
    /// The reason why the measurement is incomplete.
    package var problem: String?

    /// Bytes of `data` confirmed per second.
    package var payloadBytesPerSecond: Double? { sustained.map { $0.messagesPerSecond * Double(payloadBytes) } }
}

/// A series of durations and its statistics.
package struct RoundTrips: Equatable, Sendable {
    /// The durations in the order of measurement.
    package private(set) var nanoseconds: [Int64] = []

    package init(nanoseconds: [Int64] = []) { self.nanoseconds = nanoseconds }

    package mutating func add(nanoseconds value: Int64) { nanoseconds.append(value) }

    package var count: Int { nanoseconds.count }
    package var isEmpty: Bool { nanoseconds.isEmpty }

    /// A percentile in seconds, by the nearest-rank method.
    package func seconds(within share: Double) -> Double? {
        nanoseconds.sorted().quantile(share, .lower).map { Double($0) / 1e9 }
    }

    package var leastSeconds: Double? { nanoseconds.min().map { Double($0) / 1e9 } }
    package var mostSeconds: Double? { nanoseconds.max().map { Double($0) / 1e9 } }

    /// The median in seconds: the middle value, or the mean of the two middle values.
    package var medianSeconds: Double? { nanoseconds.map { Double($0) }.meanMedian.map { $0 / 1e9 } }
}

/// A point cloud for measurements: `data` of the requested size, with finite values that hardly compress.
package enum ProbePayload {
    private static let pointLength = 16

    /// Makes a cloud of coloured points if whole points fill the size, otherwise of one-byte points.
    package static func cloud(byteCount: Int, stampNanoseconds: Int64) -> PointCloud2 {
        let length = byteCount.isMultiple(of: pointLength) ? pointLength : 1
        var cloud = PointCloud2()
        cloud.header = Header(stampNanoseconds: stampNanoseconds, frameID: "map")
        cloud.height = 1
        cloud.width = UInt32(clamping: byteCount / length)
        cloud.pointStep = UInt32(length)
        cloud.rowStep = UInt32(clamping: byteCount)
        cloud.isDense = true
        if length == 1 {
            cloud.fields = [PointField(name: "intensity", offset: 0, datatype: PointField.uint8, count: 1)]
        } else {
            cloud.fields = ["x", "y", "z", "rgb"].enumerated().map { index, name in
                PointField(name: name, offset: UInt32(index * 4), datatype: PointField.float32, count: 1)
            }
        }
        cloud.data = noise(byteCount: byteCount)
        return cloud
    }

    /// Pseudo-random bytes, the same in every run; every four are a finite float from 0.5 to 8.
    package static func noise(byteCount: Int) -> [UInt8] {
        var state: UInt32 = 0x9E37_79B9
        var bytes = [UInt8](repeating: 0, count: byteCount)
        for index in bytes.indices {
            if index.isMultiple(of: 4) { state = state &* 1_664_525 &+ 1_013_904_223 }
            bytes[index] =
                switch index & 3 {
                case 0: UInt8(truncatingIfNeeded: state >> 8)
                case 1: UInt8(truncatingIfNeeded: state >> 16)
                case 2: UInt8(truncatingIfNeeded: state >> 24)
                // The byte with the sign and most of the exponent of a little-endian float.
                default: state & 0x80 == 0 ? 0x3F : 0x40
                }
        }
        return bytes
    }
}
