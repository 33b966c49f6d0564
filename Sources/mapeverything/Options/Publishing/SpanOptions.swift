import ArgumentParser
import Playback
import Replay

/// Which part of the input is taken.
struct SpanOptions: ParsableArguments {
    @Option(
        help:
            "Where to begin: seconds from the recording's start, frame:N, or an RFC 3339 time. Default: its start."
    )
    var start: PlaybackPlace?

    @Option(
        help: "Where to end: seconds from the recording's start, frame:N, or an RFC 3339 time. Default: its end."
    )
    var end: PlaybackPlace?

    @Option(help: "Length in seconds. Default: all.")
    var duration: Double?

    func request() throws -> SpanRequest {
        var request = SpanRequest()
        request.start = start
        request.end = end
        request.durationSeconds = try durationSeconds()
        return request
    }

    func durationSeconds() throws -> Double? {
        guard let duration else { return nil }
        guard duration > 0, duration.isFinite else {
            throw UsageError("--duration", expected: "seconds above 0", found: "\(duration)")
        }
        return duration
    }
}

extension PlaybackPlace: ExpressibleByArgument {
    init?(argument: String) {
        if argument.hasPrefix("frame:") {
            guard let index = Int(argument.dropFirst(6)), index >= 0 else { return nil }
            self = .frame(index)
        } else if let seconds = Double(argument), seconds.isFinite, seconds >= 0 {
            self = .seconds(seconds)
        } else if let time = CivilTime.nanoseconds(rfc3339: argument) {
            self = .date(nanoseconds: time)
        } else {
            return nil
        }
    }
}
