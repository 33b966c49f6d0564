package import Messages

/// Something that was recorded and can be played: a session, or a bag.
///
/// A source is used by one task, and need not be safe to share.
package protocol PlaybackSource: AnyObject {
    /// Every topic of which messages may come.
    var topics: [Topic] { get }

    /// The first and the last time that can be played, in nanoseconds since 1970.
    var span: ClosedRange<Int64> { get }

    /// How long after the last moment of a pass the first one of the next comes, in nanoseconds.
    var intervalNanoseconds: Int64 { get }

    /// Presents every moment from a time on, in time order, until there are no more.
    ///
    /// After a seek what latched topics said last before `time` comes first, with the first moment or before it.
    ///
    /// - Throws: what the presenter throws, at once; and what makes the source unreadable.
    func play(from time: Int64, as pass: PlaybackPass, to presenter: any MessagePresenter) async throws

    /// The time of the last frame before a time, for stepping back; `nil` where there is none.
    func timeOfFrame(before time: Int64) throws -> Int64?

    func time(of place: PlaybackPlace) throws -> Int64
}

/// Why a pass over a source begins.
package enum PlaybackPass: Sendable {
    case first
    /// The source is played again from its beginning.
    case loop
    /// A seek to another place.
    case seek
}

/// A place in a recording, as people give it.
package enum PlaybackPlace: Sendable, Hashable {
    /// Seconds from the start of the recording.
    case seconds(Double)
    case frame(Int)
    /// Unix time.
    case date(nanoseconds: Int64)
}

/// Takes the moments of a source, one after the other.
package protocol MessagePresenter: AnyObject {
    /// Waits for the moment's time, then hands its messages to the sinks.
    ///
    /// - Parameters:
    ///   - time: when it was recorded, in nanoseconds since 1970.
    ///   - isFrame: whether stepping stops here.
    ///   - messages: makes the messages for the stamps at hand.
    /// - Throws: ``PassEnded`` when the source shall stop, which is no failure.
    func present(
        at time: Int64,
        isFrame: Bool,
        messages: (PlaybackStamps) throws -> [StampedMessage]
    ) async throws

    /// Counts of the messages handed to the sinks so far, and the condition of the sinks.
    func status() async -> PlaybackStatus
}

/// How a playback does while it runs.
package struct PlaybackStatus: Sendable {
    /// The topics with messages, sorted by name; every sink was given the same.
    package var topics: [TopicStatistics]
    package var sinks: [SinkStatus]

    package init(topics: [TopicStatistics] = [], sinks: [SinkStatus] = []) {
        self.topics = topics
        self.sinks = sinks
    }
}

/// Which stamps messages get.
package struct PlaybackStamps: Sendable, Hashable {
    /// The shift of recorded times with which a loop goes on where the last one ended.
    package var shiftNanoseconds: Int64 = 0
    /// The wall clock, where messages are stamped with the time of publishing.
    package var nowNanoseconds: Int64?

    /// True if recorded times stay what they are.
    package var isIdentity: Bool { shiftNanoseconds == 0 && nowNanoseconds == nil }

    /// The stamp of something that was recorded at a time.
    package func stamp(_ time: Int64) -> Int64 { nowNanoseconds ?? time &+ shiftNanoseconds }
}

/// Ends a pass because of a seek, or because the player quits.
package struct PassEnded: Error, Sendable {
    package init() {}
}
