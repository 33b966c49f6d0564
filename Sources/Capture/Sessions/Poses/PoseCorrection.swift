package import Recording

/// Better poses for a recording than it has: what they are at some times, and how those between move with them.
///
/// Between two of these times a pose moves as the recording says from both of them, by time: the recorded movement over a
/// second is better than any interpolation.
package struct PoseCorrection: Sendable {
    package struct Knot: Sendable {
        package var time: Timestamp
        package var recorded: Transform
        package var corrected: Transform
        /// Of (translation, rotation) in the camera's own axes, against the first knot; `nil` where it is not known.
        package var covariance: Matrix6?
        /// The same of the recorded pose.
        package var recordedCovariance: Matrix6?

        package init(time: Timestamp, recorded: Transform, corrected: Transform) {
            self.time = time
            self.recorded = recorded
            self.corrected = corrected
        }
    }

    /// In the order of their times.
    package let knots: [Knot]
    /// Times at which the recorded poses jump: what is before such a time says nothing about what is after it.
    package let jumps: [Timestamp]
    /// Where the poses come from, for the provenance: `refined`, or the name of a file.
    package let origin: String
    /// Times of which the later one shows again what the earlier one showed.
    package var loops: [(from: Timestamp, to: Timestamp)] = []
    /// How far views of the same are apart by the recorded poses and by these, where that was compared.
    package var surfaceMetres: (recorded: Double, corrected: Double)?

    package init(_ knots: [Knot], jumps: [Timestamp] = [], origin: String) {
        self.knots = knots
        self.jumps = jumps
        self.origin = origin
    }

    /// True if it says how sure the poses are.
    package var hasCovariances: Bool { knots.contains { $0.covariance != nil } }

    /// The better pose of a frame that was recorded at a pose.
    package func corrected(_ recorded: Transform, at time: Timestamp) -> Transform {
        let next = knots.sortedIndex { $0.time > time }
        let before = next > 0 ? knots[next - 1] : nil
        let after = next < knots.count ? knots[next] : nil
        func moved(_ knot: Knot) -> Transform { knot.corrected * (knot.recorded.inverse * recorded) }
        if let before, before.time == time, before.recorded == recorded { return before.corrected }
        guard let before, let after else { return (before ?? after).map(moved) ?? recorded }
        if let jump = jump(after: before.time, upTo: after.time) { return moved(time < jump ? before : after) }
        let elapsed = after.time.seconds(since: before.time)
        let fraction = elapsed > 0 ? time.seconds(since: before.time) / elapsed : 0
        return moved(before).interpolated(to: moved(after), fraction: fraction)
    }

    /// The knot that is nearest in time.
    package func knot(nearestTo time: Timestamp) -> Knot? {
        let next = knots.sortedIndex { $0.time > time }
        guard next > 0 else { return knots.first }
        guard next < knots.count else { return knots.last }
        let (before, after) = (knots[next - 1], knots[next])
        return time.seconds(since: before.time) < after.time.seconds(since: time) ? before : after
    }

    private func jump(after first: Timestamp, upTo last: Timestamp) -> Timestamp? {
        let index = jumps.sortedIndex { $0 > first }
        return index < jumps.count && jumps[index] <= last ? jumps[index] : nil
    }
}
