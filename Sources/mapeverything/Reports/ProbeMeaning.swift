import Probe
import Rosbridge

/// What the figures of a probe mean for a replay.
struct ProbeMeaning {
    /// What the profile `record` publishes in a second of capture: 2 images of 560 kB and 10 clouds of 55 kB.
    private static let recordBytesPerSecond = 2 * 560e3 + 10 * 55e3
    /// Sizes from which a message is like an image or a cloud: below, a server's cost is that of messages, not bytes.
    private static let bulkBytes = 32 << 10

    private let report: ProbeReport

    init(_ report: ProbeReport) { self.report = report }

    var sentences: [String] { [queue, rate].compactMap { $0 } }

    private var queue: String? {
        guard let ping = report.ping.medianSeconds, let barrier = report.barrier.medianSeconds else { return nil }
        guard barrier > 0.05, barrier > ping * 10 else { return nil }
        return "the network is fast and the server is slow to answer: it is busy, or calls of services are"
    }

    private var rate: String? {
        let all = report.payloads.filter { $0.sustained != nil }
        let bulk = all.filter { $0.payloadBytes >= Self.bulkBytes }
        let rates = (bulk.isEmpty ? all : bulk).compactMap(\.payloadBytesPerSecond)
        guard let least = rates.min() else { return nil }
        let factor = least / Self.recordBytesPerSecond
        let need = Format.number(Self.recordBytesPerSecond / 1e6, decimals: 1)
        let found = "\(Format.number(least / 1e6, decimals: 1)) MB/s"
        guard factor >= 1 else {
            return "profile record needs about \(need) MB/s (2 images of 560 kB and 10 clouds of 55 kB a second): "
                + "with \(found) this server keeps up to --rate \(Format.number(factor, decimals: 2)) only"
        }
        return "profile record needs about \(need) MB/s (2 images of 560 kB and 10 clouds of 55 kB a second): "
            + "with \(found) there is room for up to --rate \(Format.number(factor, decimals: 1))"
    }
}
