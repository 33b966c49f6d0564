import Recording

/// One pass over the cameras of a Polycam recording.
struct PolycamReading {
    private(set) var list: FrameList
    /// How many frames each stretch of unbroken tracking has.
    private(set) var segments: [Int?: Int] = [:]

    private let files: any SessionFiles
    private let numbers: [Int]
    /// Of the first picture that reads, which all of a recording have; looked for once.
    private var pictureSize: GridSize??

    /// By how much the time inside of a file may differ from the one in its name.
    private static let toleranceMicroseconds = 1000
    /// As far as nanoseconds go.
    private static let maximumMicroseconds = 9_200_000_000_000_000

    /// - Parameters:
    ///   - numbers: those of the cameras' files, sorted.
    ///   - segment: the one whose frames are taken, which may be the one without a number; `nil` for all.
    init(_ files: any SessionFiles, _ numbers: [Int], only segment: Int?? = nil) {
        self.files = files
        self.numbers = numbers
        var summary = SessionSummary(
            name: files.name,
            format: PolycamSession.formatName,
            frameFile: PolycamCamera.table.file
        )
        summary.frameNames.time = PolycamCamera.timeKey.description
        summary.frameNames.transform = PolycamCamera.poseKeys[0].description
        summary.frameNames.intrinsics = PolycamCamera.pinholeKeys[0].description
        summary.frameNames.ownFile = { PolycamFiles.camera($0.index) }
        list = FrameList(summary)
        for number in numbers {
            list.countLine()
            do throws(Problem) {
                try add(number, only: segment)
            } catch {
                list.record(error)
            }
        }
    }

    /// The same with the frames of the segment that has most; of equally long ones the first.
    func ofLargestSegment() -> PolycamReading {
        let sorted = segments.sorted { one, other in
            (other.value, one.key ?? -1) < (one.value, other.key ?? -1)
        }
        guard let largest = sorted.first else { return self }
        var reading = PolycamReading(files, numbers, only: .some(largest.key))
        for (segment, count) in sorted.dropFirst() {
            reading.list.record(
                Problem(
                    .otherWorld,
                    file: PolycamCamera.table.file,
                    field: PolycamCamera.segmentKey.description,
                    expected: "\(Self.text(largest.key)), as \(largest.value) frames have",
                    found: "\(Self.text(segment)) in \(count) frames"
                ),
                count: count
            )
        }
        return reading
    }

    private mutating func add(_ number: Int, only segment: Int??) throws(Problem) {
        let file = PolycamFiles.camera(number)
        let (camera, odd) = try PolycamCamera.table.read(PolycamFiles.cameraText(number, files), of: file)
        guard number <= Self.maximumMicroseconds else {
            throw Problem(.badField, file: file, expected: "a name of microseconds up to 9.2e15", found: "\(number)")
        }
        let tolerated = number - Self.toleranceMicroseconds...number + Self.toleranceMicroseconds
        if let own = camera.microseconds, !tolerated.contains(own) {
            throw Problem(
                .badField,
                file: file,
                field: PolycamCamera.timeKey.description,
                expected: "\(number), as in its name",
                found: "\(own)"
            )
        }
        let frame = FrameReference(
            index: number,
            line: list.lineCount,
            time: Timestamp(nanoseconds: Int64(number) * 1000),
            worldFromCamera: try camera.worldFromCamera(file: file),
            intrinsics: try camera.intrinsics(file: file) { firstPictureSize() },
            tracking: .unknown
        )
        for problem in odd { list.note(problem) }
        segments[camera.segment, default: 0] += 1
        if segment.map({ $0 == camera.segment }) ?? true { list.add(frame) }
    }

    private mutating func firstPictureSize() -> GridSize? {
        if let known = pictureSize { return known }
        let found = numbers.lazy.compactMap { [files] in files.pictureSize(PolycamFiles.image($0)) }.first
        pictureSize = .some(found)
        return found
    }

    private static func text(_ segment: Int?) -> String { segment.map { "\($0)" } ?? "none" }
}
