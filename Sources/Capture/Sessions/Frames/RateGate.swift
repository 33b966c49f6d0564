package import Recording

/// Lets records through at most at a rate of capture time.
///
/// The first record at or after each due time passes, and the due time moves on by whole periods from the first
/// record's time. Gates with different rates on one clock therefore never alias: a 0.5 s gate keeps its 2 Hz on a 0.2 s
/// tick. A gap costs its messages; nothing is made up afterwards.
package struct RateGate: Sendable {
    /// Nanoseconds; `nil` lets everything through.
    package let periodNanoseconds: Int64?
    private let toleranceNanoseconds: Int64
    private let keepsEqualTimes: Bool
    private var due: Timestamp?
    private var last: Timestamp?

    /// - Parameters:
    ///   - rateHertz: the ceiling; `nil` for none.
    ///   - nominalIntervalSeconds: how far apart the records usually are. Where that is no less than the period, a
    ///     record may be half a period early: else the jitter of a 30 Hz stream would cost it a part of its records
    ///     at a 30 Hz gate. Bursts within such a stream are still held to the rate.
    ///   - tolerance: how much too early a record may be, as a part of the period: for streams whose nominal rate is
    ///     the ceiling itself and is not known beforehand.
    ///   - keepsEqualTimes: whether records of one time are several; without a rate only.
    package init(
        rateHertz: Double?,
        nominalIntervalSeconds: Double?,
        tolerance: Double = 0,
        keepsEqualTimes: Bool = false
    ) {
        self.keepsEqualTimes = keepsEqualTimes
        guard let rateHertz, rateHertz > 0, 1e9 / rateHertz < 9e18 else {
            periodNanoseconds = nil
            toleranceNanoseconds = 0
            return
        }
        let isWholeStream = nominalIntervalSeconds.map { 1 / rateHertz <= $0 * 1.05 } ?? false
        periodNanoseconds = max(1, Int64((1e9 / rateHertz).rounded()))
        toleranceNanoseconds = Int64((isWholeStream ? 0.5 : tolerance) * 1e9 / rateHertz)
    }

    /// True if a record of this time would pass.
    package func isDue(_ time: Timestamp) -> Bool {
        if let last, time < last || time == last && !keepsEqualTimes { return false }
        guard periodNanoseconds != nil, let due else { return true }
        return time >= due.advanced(byNanoseconds: -toleranceNanoseconds)
    }

    /// Lets a record through, which must be due.
    package mutating func pass(_ time: Timestamp) {
        last = time
        guard let period = periodNanoseconds else { return }
        let previous = due ?? time
        // A record that came a little early still counts for the due time that it served.
        let periods = (max(time.nanoseconds, previous.nanoseconds) - previous.nanoseconds) / period + 1
        due = previous.advanced(byNanoseconds: periods * period)
    }
}
