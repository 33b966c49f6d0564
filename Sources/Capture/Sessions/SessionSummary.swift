package import Recording

/// The contents of a session, as far as its small files say; no image and no depth is read for it.
package struct SessionSummary: Sendable {
    /// The file that IMU samples are read from, by its name.
    package struct MotionSource: RawRepresentable, Hashable, Sendable {
        package var rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        package static let none = Self(rawValue: "none")
        /// The native format's samples at the IMU's own rate.
        package static let samplesFile = Self(rawValue: "imu.jsonl")
        /// The same of the oldest generation.
        package static let table = Self(rawValue: "imu.csv")
        /// One sample a frame, inside the lines of frames.
        package static let frames = Self(rawValue: "frames.jsonl")
    }

    package var name: String
    package var format: String
    /// The file of the frames and its names for their values, as problems name them.
    package var frameNames: FrameNames
    package var deviceModel: String?
    package var osVersion: String?
    /// `nil` where the session does not say it.
    package var worldAlignment: WorldAlignment?
    /// 0, 1 or 2 for the generations of the native layout; `nil` for another format.
    package var generation: Int?

    /// Where the poses come from; `nil` where they are those that were recorded.
    package var poseOrigin: String?
    /// True if it is known how sure the poses are.
    package var hasPoseCovariances = false

    package var lineCount = 0
    package var frameCount = 0
    package var firstTime = Timestamp(nanoseconds: .max)
    package var lastTime = Timestamp(nanoseconds: .min)
    package var largestGapSeconds: Double = 0
    /// The median time between neighbouring frames, to a quarter of a millisecond; `nil` for a single frame.
    package var medianIntervalSeconds: Double?
    /// The rate at which frames without times were put one after another; `nil` where the recording has times.
    package var assumedFramesPerSecond: Double?
    package var largestGapStart: Timestamp?
    /// True if each frame is later than the one above it.
    package var isTimeOrdered = true
    package var sensorSize: GridSize?

    /// How often each stored orientation was declared; sorted by name.
    package var orientations: [String: Int] = [:]
    package var orientationChanges = 0
    package var tracking: [TrackingState: Int] = [:]

    /// Frames that do not say that they lack depth.
    package var framesThatMayHaveDepth = 0
    /// How many frames should have images, depth and confidence, and how many have them.
    package var payloads: [PayloadKind: PayloadAccount] = [:]
    package var hasImages = false
    /// The source of images that are not files of the recording, for the provenance.
    package var imageSource: String?
    /// Why there are none, where there is more to say than that.
    package var imageAbsence: String?
    package var hasDepth = false
    /// Why the depth that is there is not used; ``hasDepth`` is false then.
    package var depthRefusal: Problem?
    package var hasConfidence = false
    /// True if depth as fine as the images is made.
    package var hasDenseDepth = false
    /// The depth that clouds and maps are made of.
    package var depthKind = DepthKind.lidar
    /// How depth was made that was not recorded, for the provenance.
    package var depthOrigin: String?
    package var hasRelativeDepth = false
    /// The sizes of depth in frames that do not say it themselves.
    package var depthSize: GridSize?
    package var relativeDepthSize: GridSize?
    /// The sizes in metadata.json, which the frames may contradict.
    package var metadataDepthSize: GridSize?
    package var metadataRelativeDepthSize: GridSize?
    package var relativeDepthKind = RelativeDepthMap.Kind.inverseDepth
    package var relativeDepthModel: String?

    package var motionSource = MotionSource.none
    package var location = LocationSummary()
    /// Samples of the session's time in the optional streams; `nil` where there is none.
    package var sampleCounts: [RecordStream: Int] = [:]
    package var wallClock = WallClockEvidence()
    package var hasSatelliteTiles = false
    package var hasElevationTiles = false

    /// Samples belong to the session up to this long before its first frame and after its last.
    package static let sampleMarginSeconds = 2.0

    /// From the first frame to the last; a single time for a session without frames.
    package var span: ClosedRange<Timestamp> { firstTime...max(firstTime, lastTime) }

    /// The times that samples of the session have.
    package var sampleSpan: ClosedRange<Timestamp> {
        let margin = Int64(Self.sampleMarginSeconds * 1e9)
        let first = firstTime.advanced(byNanoseconds: -margin)
        return first...max(first, lastTime.advanced(byNanoseconds: margin))
    }

    package var frameFile: String { frameNames.file }

    package var durationSeconds: Double { frameCount == 0 ? 0 : lastTime.seconds(since: firstTime) }

    /// Takes the depth out of a session whose poses it contradicts, and tells it.
    package mutating func withholdDepth(for problem: Problem, _ diagnostics: inout Diagnostics) {
        depthRefusal = problem
        (hasDepth, framesThatMayHaveDepth) = (false, 0)
        var withheld = problem
        withheld.kind = .depthWithheld
        diagnostics.record(withheld)
    }

    package init(name: String, format: String, frameFile: String = "frames") {
        self.name = name
        self.format = format
        frameNames = FrameNames(file: frameFile)
    }
}

/// The location fixes of a session.
package struct LocationSummary: Sendable {
    /// The file of the fixes, as problems name it.
    package var file = "location fixes"
    /// The file's name for the wall clock's time of a fix.
    package var unixTime = "unix_time"
    /// Fixes of the session's time.
    package var count = 0
}

/// Everything in a session that tells what the wall clock showed at a time of its own clock.
package struct WallClockEvidence: Sendable {
    /// Unix time minus session time, by the location fixes: the median.
    package var locationOffsetNanoseconds: Int64?
    /// The same, by metadata.json.
    package var metadataOffsetNanoseconds: Int64?
    /// The calendar time in the name of the session, without a zone, and the session time it stands for.
    package var nameDate: (date: CalendarDate, at: Timestamp)?
    /// Where these two are said, as problems name it.
    package var metadata: (file: String, field: String?) = ("metadata.json", "startUnixTime")
    package var nameSource: (file: String, field: String?) = ("metadata.json", "sessionID")
    /// The modification time of the file written last, and the session time it stands for.
    package var fileTime: (unixNanoseconds: Int64, at: Timestamp)?
    /// The same in an archive that keeps it without a zone.
    package var archiveDate: (date: CalendarDate, at: Timestamp)?
}

/// A local calendar time, to the second.
package struct CalendarDate: Hashable, Sendable {
    package var year: Int
    package var month: Int
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int

    /// Seconds since 1970 as if the time were UTC.
    ///
    /// Days by the algorithm for the proleptic Gregorian calendar.
    package var secondsAsUTC: Int64 {
        let y = Int64(month <= 2 ? year - 1 : year)
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * Int64(month + (month > 2 ? -3 : 9)) + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }

    package init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// The date in a name such as `session_20260327_142233`, or `2026_03_27_14_22_33` with any of `_-T:.` between the numbers;
    /// `nil` where there is none or it is no date.
    ///
    /// Only ASCII digits: a phone with another calendar or script writes names that must not be guessed at.
    package init?(inName name: String) {
        let bytes = Array(name.utf8)
        guard let numbers = Self.compact(bytes) ?? Self.separated(bytes) else { return nil }
        self.init(
            possibleYear: numbers[0],
            month: numbers[1],
            day: numbers[2],
            hour: numbers[3],
            minute: numbers[4],
            second: numbers[5]
        )
    }

    /// A date of the years 2000 to 2100; `nil` for numbers that are none.
    init?(possibleYear year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        let isPlausible =
            (2000...2100).contains(year) && (1...12).contains(month)
            && (1...Self.days(inMonth: month, of: year)).contains(day) && hour < 24 && minute < 60 && second < 61
        guard isPlausible else { return nil }
    }

    private static func compact(_ bytes: [UInt8]) -> [Int]? {
        guard let start = bytes.indices.first(where: { isDate(bytes, at: $0) }) else { return nil }
        return [(0, 4), (4, 2), (6, 2), (9, 2), (11, 2), (13, 2)].map { offset, count in
            bytes[(start + offset)..<(start + offset + count)].reduce(0) { $0 * 10 + Int($1) - 48 }
        }
    }

    /// Six groups of digits, of four and of two, with one or two separators between each.
    private static func separated(_ bytes: [UInt8]) -> [Int]? {
        var groups: [(range: Range<Int>, value: Int)] = []
        var place = 0
        while place < bytes.count {
            let start = place
            while place < bytes.count, isDigit(bytes[place]) { place += 1 }
            if place > start {
                let value = place - start > 4 ? -1 : bytes[start..<place].reduce(0) { $0 * 10 + Int($1) - 48 }
                groups.append((start..<place, value))
            } else {
                place += 1
            }
        }
        guard groups.count >= 6 else { return nil }
        for first in 0...groups.count - 6 {
            let six = Array(groups[first..<first + 6])
            let isDate =
                six[0].range.count == 4 && six.dropFirst().allSatisfy { $0.range.count == 2 }
                && zip(six, six.dropFirst()).allSatisfy { one, next in
                    let between = bytes[one.range.upperBound..<next.range.lowerBound]
                    return between.count <= 2 && between.allSatisfy { "_-T:. ".utf8.contains($0) }
                }
            if isDate { return six.map(\.value) }
        }
        return nil
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// True if eight digits, an underscore and six digits stand here, and no digit on either side.
    private static func isDate(_ bytes: [UInt8], at start: Int) -> Bool {
        guard start + 15 <= bytes.count else { return false }
        for offset in 0..<15 where isDigit(bytes[start + offset]) != (offset != 8) { return false }
        guard bytes[start + 8] == UInt8(ascii: "_") else { return false }
        let before = start > 0 && isDigit(bytes[start - 1])
        let after = start + 15 < bytes.count && isDigit(bytes[start + 15])
        return !before && !after
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
