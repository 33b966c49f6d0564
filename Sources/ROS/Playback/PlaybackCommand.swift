/// Commands of a player while it plays.
package enum PlaybackCommand: Sendable, Hashable {
    case pause
    case resume
    case togglePause
    /// Plays this many frames, then pauses.
    case step(Int)
    /// Goes back by one frame, shows it, and pauses.
    case stepBack
    case seek(PlaybackPlace)
    /// Recorded time against the wall's.
    case rate(Double)
    /// Multiplies the rate.
    case changeRate(by: Double)
    /// Whether the recording is played again from its beginning after its end.
    case loop(Bool)
    case quit

    /// The rates that can be played at.
    package static let rates: ClosedRange<Double> = 0.001...1000
}
