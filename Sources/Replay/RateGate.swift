import Capture

/// Lets records through at most at a rate of capture time.
///
/// The first record at or after each due time passes, and the due time moves on by whole periods from the first
/// record's time. Gates with different rates on one clock therefore never alias: a 0.5 s gate keeps its 2 Hz on a 0.2 s
/// tick. A gap costs its messages; nothing is made up afterwards.
struct RateGate: Sendable {
    /// Nanoseconds; `nil` lets everything through.
    let periodNanoseconds: Int64?
    private let toleranceNanoseconds: Int64
    private var due: Timestamp?
    private var last: Timestamp?

    /// - Parameters:
    ///   - rateHertz: the ceiling; `nil` for none.
    ///   - nominalIntervalSeconds: how far apart the records usually are. Where that is no less than the period,
    ///     everything passes: else the jitter of a 30 Hz stream would halve its rate at a 30 Hz gate.
    ///   - tolerance: how much too early a record may be, as a part of the period: for streams whose nominal rate is
    ///     the ceiling itself and is not known beforehand.
    init(rateHertz: Double?, nominalIntervalSeconds: Double?, tolerance: Double = 0) {
        toleranceNanoseconds = rateHertz.map { $0 > 0 ? Int64(tolerance * 1e9 / $0) : 0 } ?? 0
        guard let rateHertz, rateHertz > 0 else {
            periodNanoseconds = nil
            return
        }
        if let nominalIntervalSeconds, 1 / rateHertz <= nominalIntervalSeconds * 1.05 {
            periodNanoseconds = nil
        } else {
            periodNanoseconds = Int64((1e9 / rateHertz).rounded())
        }
    }

    /// Whether a record of this time would pass.
    func isDue(_ time: Timestamp) -> Bool {
        if let last, time <= last { return false }
        guard periodNanoseconds != nil, let due else { return true }
        return time >= due.advanced(byNanoseconds: -toleranceNanoseconds)
    }

    /// Lets a record through, which must be due.
    mutating func pass(_ time: Timestamp) {
        last = time
        guard let period = periodNanoseconds else { return }
        let previous = due ?? time
        // A record that came a little early still counts for the due time that it served.
        let periods = (max(time.nanoseconds, previous.nanoseconds) - previous.nanoseconds) / period + 1
        due = previous.advanced(byNanoseconds: periods * period)
    }
}
