package import Recording

/// Which frames are worth fusing: those that have seen something new since the last one that was taken.
package struct KeyFrameRule: Sendable {
    /// A frame is taken after this way, or this turn, or this time, whichever comes first.
    package var metres = 0.05
    package var radians = 3.0 * .pi / 180
    package var seconds = 0.5
    /// Every frame is taken.
    package var takesAll = false
    /// A frame without a picture waits so long for one that has one.
    package var pictureWaitSeconds = 0.5
    /// Faster than this between neighbouring frames no one walks: the pose has jumped.
    package var jumpMetresPerSecond = 3.0

    /// How many poses jumped against the frame before them, and where that was first.
    package private(set) var jumpCount = 0
    package private(set) var firstJump: Timestamp?

    private var taken: (time: Timestamp, pose: Transform)?
    /// Since when a picture is waited for.
    private var waitsSince: Timestamp?
    private var latest: (time: Timestamp, pose: Transform)?

    package init() {}

    /// Frames are taken after this way or this turn, whichever comes first, however long it takes; 0 asks for none of it,
    /// and both 0 take every frame.
    package init(afterMetres metres: Double, orRadians radians: Double) {
        self.metres = metres > 0 ? metres : .infinity
        self.radians = radians > 0 ? radians : .infinity
        seconds = .infinity
        takesAll = metres <= 0 && radians <= 0
    }

    /// True if a frame is to be fused; frames come in the order of their times, without those of limited tracking.
    ///
    /// - Parameters:
    ///   - hasDepth: a frame without depth tells of a jump, and is not taken.
    ///   - lacksPicture: whether the frame has no picture, in a recording that has pictures.
    package mutating func takes(
        _ time: Timestamp,
        _ pose: Transform,
        hasDepth: Bool = true,
        lacksPicture: Bool = false
    ) -> Bool {
        if let latest, hasJumped(since: latest, time, pose) {
            jumpCount += 1
            if firstJump == nil { firstJump = time }
        }
        latest = (time, pose)
        guard hasDepth, takesAll || isNew(time, pose) else { return false }
        if lacksPicture, !takesAll {
            let start = waitsSince ?? time
            waitsSince = start
            if (0..<pictureWaitSeconds).contains(time.seconds(since: start)) { return false }
        }
        waitsSince = nil
        taken = (time, pose)
        return true
    }

    private func isNew(_ time: Timestamp, _ pose: Transform) -> Bool {
        guard let taken else { return true }
        return (pose.translation - taken.pose.translation).length >= metres
            || (taken.pose.rotation.inverse * pose.rotation).angleRadians >= radians
            || time.seconds(since: taken.time) >= seconds
    }

    private func hasJumped(
        since latest: (time: Timestamp, pose: Transform),
        _ time: Timestamp,
        _ pose: Transform
    ) -> Bool {
        let elapsed = time.seconds(since: latest.time)
        guard elapsed > 0 else { return false }
        return (pose.translation - latest.pose.translation).length > jumpMetresPerSecond * elapsed
    }
}
