package import Messages

/// How a recording is played.
package struct PlaybackOptions: Sendable {
    /// Recorded time against the wall's; `nil` as fast as the sinks accept.
    package var rate: Double?
    /// How often the recording is played; `nil` for ever.
    package var loops: Int? = 1
    package var startsPaused = false
    /// Gaps of recorded time that are longer are not waited for.
    package var skipGaps: Duration?
    /// The topic of `/clock` and how often it ticks in recorded time; `nil` for no clock.
    package var clock: (topic: Topic, hertz: Double)?
    /// True if messages are stamped with the time of publishing.
    package var stampsNow = false
    /// The topics that live viewers subscribe to; `nil` where everything is published.
    ///
    /// For live viewers the end is held until a command comes, time goes back with a seek or a loop, a seek begins with what
    /// each topic said last before its place, and only subscribed topics are prepared.
    package var subscribed: SubscribedTopics?
    /// The wall clock, in nanoseconds since 1970.
    package var nowNanoseconds: @Sendable () -> Int64 = { 0 }

    package init() {}
}

/// The topics that live viewers subscribe to, set by a sink and asked by what makes the messages.
package actor SubscribedTopics {
    package struct Names: Sendable {
        /// Grows with each change.
        package var version = 0
        package var names: Set<String> = []
    }

    package private(set) var current = Names()

    package init() {}

    /// - Parameter names: All topics with a subscriber from now on.
    package func set(_ names: Set<String>) {
        guard current.names != names else { return }
        current = Names(version: current.version &+ 1, names: names)
    }
}
