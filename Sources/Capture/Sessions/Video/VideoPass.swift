import Platform
package import Recording

/// A picture of a video, or why there is none.
package struct VideoPicture: Sendable {
    struct Planes: Sendable {
        /// 8 bits, 4:2:0: brightness, then both chroma planes, as ffmpeg writes them.
        var bytes: [UInt8]
        var size: GridSize
        var colours: VideoColours
        var file: String
        /// Said where damage of the video reaches the picture.
        var damage: Problem?
    }

    let planes: Result<Planes, Problem>
    /// True if a picture is used that damage reaches.
    let acceptsDamage: Bool
}

/// The pictures of a video in the order of their frames, decoded once from the start to the end.
///
/// One task walks through the frames of a pass and takes their pictures here, before they go to the workers: a picture that
/// is not asked for costs no more than being read from the pipe. ffmpeg waits while its pipe is full, and ends with the pass.
package final class VideoPass {
    /// Frames that go back in the video make it be decoded from its start again, so many times at most.
    static let maximumRestarts = 8

    private let video: VideoFile
    private let pairing: VideoPairing
    private var program: RunningProgram?
    private var passthrough = VideoFile.Passthrough.current
    private var expected: Set<Int>?
    private var selection: VideoSelection?
    /// In the order of the file, once they were asked for.
    private var packets: [VideoPacket]?
    /// When each sample is shown, in rising order, once it was asked for.
    private var times: [Int64]?
    /// The times that damage reaches, once ffmpeg has complained of anything.
    private var damagedTimes: Set<Int64>?
    /// The time of the next picture, where ffmpeg has announced it: by then it has said what is wrong with those before.
    private var upcoming: Int64?
    private(set) var restarts = 0
    /// The sample that was read last.
    ///
    /// Its picture stays in the buffer until it is wanted: it may be one behind a sample that does not decode.
    private var place = -1
    private var last: [UInt8] = []
    private var buffer: [UInt8] = []
    private var firstComplaint: String?
    private var decoded = 0
    private var ending: String?

    init(_ video: VideoFile, _ pairing: VideoPairing) {
        self.video = video
        self.pairing = pairing
    }

    /// Says, before the first picture, of which frame one will be taken, so that ffmpeg writes no others.
    ///
    /// A picture of a frame that was not expected makes the video be decoded from its start again.
    package func expect(_ frame: FrameReference) {
        guard frame.hasImage, let sample = pairing.sample(of: frame) else { return }
        expected = expected ?? []
        expected?.insert(sample)
    }

    /// The picture of a frame; `nil` where it has none in the video.
    package func picture(of frame: FrameReference) -> VideoPicture? {
        guard frame.hasImage, let sample = pairing.sample(of: frame) else { return nil }
        return VideoPicture(
            planes: Result { () throws(Problem) in try planes(sample) },
            acceptsDamage: video.acceptsDamage
        )
    }

    private func planes(_ sample: Int) throws(Problem) -> VideoPicture.Planes {
        let isLeftOut = expected?.contains(sample) == false
        if sample < place || isLeftOut {
            guard restarts < Self.maximumRestarts else {
                throw missing(sample, "frames that go back in the video more than \(Self.maximumRestarts) times")
            }
            restarts += 1
            if isLeftOut { (expected, selection) = (nil, nil) }
            reset()
        }
        while place < sample, ending == nil { try advance() }
        guard place == sample else {
            if place > sample { throw missing(sample, firstComplaint ?? "a sample that does not decode") }
            throw missing(sample, ending ?? "its end")
        }
        if last.isEmpty { swap(&last, &buffer) }
        guard !last.isEmpty else { throw missing(sample, ending ?? "its end") }
        return VideoPicture.Planes(
            bytes: last,
            size: video.size,
            colours: video.colours,
            file: video.name,
            damage: try damage(sample)
        )
    }

    /// The damage of a picture that ffmpeg gave; only a video of which it complained is looked at for that.
    private func damage(_ sample: Int) throws(Problem) -> Problem? {
        guard let complaint = firstComplaint, let packets, let times, times.indices.contains(sample) else { return nil }
        if damagedTimes == nil { damagedTimes = try video.damagedTimes(of: packets) }
        guard damagedTimes?.contains(times[sample]) == true else { return nil }
        let expected = "picture \(sample) of \(video.sampleCount), made from sound ones"
        let found = "damage there, or before it since the last key picture: \(complaint)"
        return Problem(.damagedPicture, file: video.name, expected: expected, found: found)
    }

    private func missing(_ sample: Int, _ found: String) -> Problem {
        Problem(.missingPicture, file: video.name, expected: "picture \(sample) of \(video.sampleCount)", found: found)
    }

    private func reset() {
        program = nil
        (place, decoded, ending, firstComplaint, upcoming) = (-1, 0, nil, nil, nil)
        last = []
        buffer = []
    }

    private func start() throws(Problem) {
        if let expected, selection == nil {
            selection = VideoSelection(expected, times: try sampleTimes())
            if selection == nil { self.expected = nil }
        }
        program = try video.decode(passthrough, selection)
        // While ffmpeg starts.
        _ = try sampleTimes()
    }

    private func sampleTimes() throws(Problem) -> [Int64] {
        if let times { return times }
        let packets = try video.packets()
        let found = packets.map(\.time).sorted()
        (self.packets, times) = (packets, found)
        return found
    }

    /// Reads one more picture.
    private func advance() throws(Problem) {
        if program == nil { try start() }
        guard let program else { return }
        let chroma = ((video.size.width + 1) / 2) * ((video.size.height + 1) / 2)
        let byteCount = video.size.count + 2 * chroma
        // One that was handed out is another's.
        if buffer.count != byteCount {
            buffer = [UInt8](unsafeUninitializedCapacity: byteCount) { $1 = byteCount }
        }
        last = []
        let result = buffer.withUnsafeMutableBytes { bytes in
            Result { () throws(FileError) in try program.fill(bytes, seconds: VideoFile.patienceSeconds) }
        }
        let count: Int
        do throws(FileError) {
            count = try result.get()
        } catch {
            buffer = []
            ending = "ffmpeg that gave nothing for \(Int(VideoFile.patienceSeconds)) s, after \(decoded) pictures"
            return
        }
        guard count == byteCount else {
            buffer = []
            _ = program.finish(seconds: 5)
            while let line = program.takeLine() { note(line) }
            if decoded == 0, passthrough == .current, firstComplaint?.contains(passthrough.rawValue) == true {
                passthrough = .old
                reset()
                return
            }
            ending = "the end after \(decoded) pictures" + (firstComplaint.map { ": \($0)" } ?? "")
            return
        }
        decoded += 1
        let time = upcoming ?? nextTime(of: program)
        upcoming = nextTime(of: program)
        place = next(after: place, time: time)
    }

    /// The sample that was shown at this time; the next one that ffmpeg should write where that is not known.
    private func next(after place: Int, time: Int64?) -> Int {
        var following: Int { selection?.sample(after: place) ?? place + 1 }
        guard let time, let times, let first = times.indices.dropFirst(place + 1).first, times[first] <= time else {
            return following
        }
        var found = first
        while found < times.count, times[found] < time { found += 1 }
        return found < times.count && times[found] == time ? found : following
    }

    /// The time of the next picture, which ffmpeg writes before it; what it complains of until then is noted.
    private func nextTime(of program: RunningProgram) -> Int64? {
        while let line = program.takeLine(seconds: VideoFile.patienceSeconds) {
            if VideoFile.isMessage(line) { return VideoFile.time(inMessage: line) }
            note(line)
        }
        return nil
    }

    private func note(_ line: String) {
        guard firstComplaint == nil, !line.hasSuffix("k=v"), !VideoFile.isMessage(line) else { return }
        firstComplaint = VideoMessage.plain(line)
    }
}
