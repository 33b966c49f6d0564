import Recording
import Text

/// The problems of single lines that are used all the same: optional values that do not read, and unlikely ones.
///
/// Lines that are no frame or sample were counted when the session was opened; of a stream that a better one replaces,
/// they are counted here.
struct LineCheck {
    private(set) var found = LineExamination()

    private let names: FrameNames

    init(files: any SessionFiles, summary: SessionSummary) {
        names = summary.frameNames
        readFrames(files, summary)
        read(.motion, files, \.motionLines)
        read(.locations, files, \.locationLines)
        for stream in [SampleStream.headings, .radio, .indoor] { read(stream, files, \.observationLines) }
        readTable(files, summary)
        readMotionTimes(files, summary)
        if files.size(of: RecordedMetadata.file) == nil {
            found.diagnostics.record(
                Problem(.missingMetadata, file: RecordedMetadata.file, expected: "a file", found: "none")
            )
        }
    }

    private mutating func readFrames(_ files: any SessionFiles, _ summary: SessionSummary) {
        var angles = EulerAngleCheck()
        defer { if let problem = angles.problem(names) { found.diagnostics.record(problem) } }
        forEachLine(FrameLine.file, files) { check, bytes, number in
            check.found.examined.frameLines += 1
            guard let bytes, let parsed = try? FrameLine.parse(bytes, line: number) else { return false }
            for problem in FrameLine.optionalProblems(bytes, line: number) { check.found.diagnostics.record(problem) }
            if let problem = IntrinsicsCheck.problem(parsed.frame, check.names) {
                check.found.diagnostics.record(problem)
            }
            check.found.addSpeed(parsed.frame)
            if let given = FrameLine.eulerAngles(bytes, line: number) { angles.add(parsed.frame, angles: given) }
            if summary.motionSource == .frames, let sample = parsed.motion { check.found.addMotion(sample.time) }
            return true
        }
    }

    private mutating func read(
        _ stream: SampleStream,
        _ files: any SessionFiles,
        _ count: WritableKeyPath<ExaminedSession, Int>
    ) {
        guard files.size(of: stream.file) != nil else { return }
        forEachLine(stream.file, files) { check, bytes, number in
            check.found.examined[keyPath: count] += 1
            guard let bytes, let problems = stream.optionalProblems(bytes, number) else { return false }
            for problem in problems { check.found.diagnostics.record(problem) }
            return true
        }
    }

    /// imu.csv counts only where it is used, but its lines are read in any case.
    private mutating func readTable(_ files: any SessionFiles, _ summary: SessionSummary) {
        guard files.size(of: MotionCSVLine.file) ?? 0 > 0 else { return }
        var source = SampleReader(.motionCSV, files)
        while source.next() != nil { found.examined.motionLines += 1 }
        if summary.motionSource != .table { found.diagnostics.append(source.diagnostics) }
    }

    private mutating func readMotionTimes(_ files: any SessionFiles, _ summary: SessionSummary) {
        guard let stream = SampleStream.source(of: .motion, summary) else { return }
        var source = SampleReader(stream, files)
        while let record = source.next() { found.addMotion(record.time) }
    }

    /// Passes every line with its number, and `nil` for one that is too long.
    ///
    /// - Parameter body: returns false for a line that does not read.
    private mutating func forEachLine(
        _ file: String,
        _ files: any SessionFiles,
        _ body: (inout LineCheck, UnsafeRawBufferPointer?, Int) -> Bool
    ) {
        // A stream that cannot be read was counted when the session was opened.
        guard var reader = (try? files.stream(file)).map({ LineReader($0) }) else { return }
        while let line = try? reader.next() {
            switch line {
            case .tooLong(let number, _): _ = body(&self, nil, number)
            case .text(let number, _): if !reader.withLine({ body(&self, $0, number) }) { reader.countBroken() }
            }
        }
    }
}

/// Compares `camera_euler_angles` with `camera_transform`: the app writes both of one pose, so that a transform that was
/// changed, turned or moved to another line afterwards shows.
struct EulerAngleCheck {
    /// Both were written in single precision.
    private static let mostDegrees = 0.1
    private static let fewestFrames = 3
    private static let leastShare = 0.9

    private struct Tally {
        var count = 0
        var agreeing = 0
    }

    private var asRecorded = Tally()
    private var variants: [RecordingVariant: Tally] = [:]
    /// The last frames: the rotation of the transform, and that of the angles.
    private var recent: [(transform: Quaternion, angles: Quaternion)] = []
    private var first: FrameReference?

    /// - Parameter angles: pitch, yaw and roll in radians: yaw about y first, then pitch about x, then roll about z.
    mutating func add(_ frame: FrameReference, angles: [Double]) {
        let rotation = frame.worldFromCamera.rotation
        let expected =
            Quaternion(angleRadians: angles[1], axis: Vector3(0, 1, 0))
            * Quaternion(angleRadians: angles[0], axis: Vector3(1, 0, 0))
            * Quaternion(angleRadians: angles[2], axis: Vector3(0, 0, 1))
        if first == nil { first = frame }
        Self.count(rotation, expected, in: &asRecorded)
        for (variant, reading) in RecordingVariant.rotations(rotation) {
            Self.count(reading, expected, in: &variants[variant, default: Tally()])
        }
        for (index, earlier) in recent.reversed().enumerated() {
            Self.count(rotation, earlier.angles, in: &variants[.posesLate(frames: index + 1), default: Tally()])
            Self.count(earlier.transform, expected, in: &variants[.posesLate(frames: -index - 1), default: Tally()])
        }
        recent.append((rotation, expected))
        if recent.count > NeighbourPairs.lag { recent.removeFirst() }
    }

    private static func count(_ one: Quaternion, _ other: Quaternion, in tally: inout Tally) {
        tally.count += 1
        let degrees = (one.inverse * other).angleRadians * 180 / .pi
        if degrees <= mostDegrees { tally.agreeing += 1 }
    }

    /// The problem where most frames disagree, and one mistake explains nearly all of them.
    func problem(_ names: FrameNames) -> Problem? {
        guard let first, asRecorded.count >= Self.fewestFrames, 2 * asRecorded.agreeing < asRecorded.count else {
            return nil
        }
        let cause = RecordingVariant.all.first { variant in
            guard let tally = variants[variant] else { return false }
            return Double(tally.agreeing) >= Self.leastShare * Double(tally.count)
        }
        // Angles that nothing explains were never those of the poses.
        guard let cause else { return nil }
        return names.problem(
            .anglesContradictPose,
            first,
            \.transform,
            expected: "the rotation of camera_euler_angles",
            found:
                "another one in \(asRecorded.count - asRecorded.agreeing) of \(asRecorded.count) frames; \(cause.cause): read so, they agree"
        )
    }
}

/// Finds payload files that no line of frames.jsonl names: left by a crash between file and line, or by an older run.
enum OrphanSearch {
    static func run(files: any SessionFiles, frameCount: Int, supersededLines: Set<Int>) -> Diagnostics {
        var known = Set<Int>(minimumCapacity: frameCount)
        if var reader = (try? files.stream(FrameLine.file)).map({ LineReader($0) }) {
            while let line = try? reader.next() {
                guard case .text = line else { continue }
                let index = reader.withLine { bytes in FrameLine.index(of: bytes) }
                if let index { known.insert(index) } else { reader.countBroken() }
            }
        }
        var diagnostics = Diagnostics()
        for name in names(files: files, known: known) { diagnostics.record(problem(name)) }
        return diagnostics
    }

    /// The payloads of frames that are not known, folder by folder, sorted in each.
    static func names(files: any SessionFiles, known: Set<Int>) -> [String] {
        var orphans: [String] = []
        for (folder, ending) in [
            ("rgb", ".jpg"), ("depth", ".bin"), ("confidence", ".bin"), ("relative_depth", ".bin"),
        ] {
            let names = files.names(inFolder: folder) { name -> String? in
                guard name.hasSuffix(ending), let index = Int(name.dropLast(ending.count)) else { return nil }
                return known.contains(index) ? nil : "\(folder)/\(name)"
            }
            orphans += names.sorted()
        }
        return orphans
    }

    static func problem(_ file: String) -> Problem {
        Problem(.orphanFile, file: file, expected: "a line in frames.jsonl with its number", found: "none")
    }
}
