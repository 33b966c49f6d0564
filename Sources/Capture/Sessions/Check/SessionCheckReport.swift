package import Platform
import Text

/// How bad a finding is.
package enum FindingSeverity: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Worth knowing, and as it should be.
    case note
    /// Nothing is lost, but something is not as a recording should be.
    case warning
    /// Something of the recording is lost or wrong.
    case error

    package static func < (left: FindingSeverity, right: FindingSeverity) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .note: 0
        case .warning: 1
        case .error: 2
        }
    }
}

/// The findings of a check of a whole session, and the data that it examined.
package struct SessionCheckReport: Sendable {
    /// All findings of one kind.
    package struct Finding: Sendable {
        package var severity: FindingSeverity
        package var kind: ProblemKind
        package var count: Int
        /// The first places, at most ``SessionCheck/placesPerKind``, in the order of the session.
        package var places: [Problem]

        /// An explanation of what happened, in words.
        package var explanation: String { kind.explanation }
        /// The advice on how to resolve the finding.
        package var advice: String
    }

    package var path: String
    package var summary: SessionSummary
    package var examined: ExaminedSession
    package var verdict: Verdict
    /// Errors first, then warnings, then notes; in each by the kind's name.
    package var findings: [Finding]

    init(
        path: String,
        summary: SessionSummary,
        examined: ExaminedSession,
        diagnostics: Diagnostics,
        _ extent: Examination
    ) {
        self.path = path
        self.summary = summary
        self.examined = examined
        verdict = diagnostics.verdict(extent)
        findings =
            diagnostics.entries.map { entry in
                Finding(
                    severity: entry.kind.findingSeverity,
                    kind: entry.kind,
                    count: entry.count,
                    places: entry.examples,
                    advice: entry.kind.advice(isNative: summary.format == NativeSession.formatName)
                )
            }
            .sorted { ($1.severity, $0.kind.rawValue) < ($0.severity, $1.kind.rawValue) }
    }

    /// True if nothing is lost or wrong; there may be warnings.
    package var isSound: Bool { verdict.word != .damaged }

    /// How many findings of a kind there are.
    package func count(of kind: ProblemKind) -> Int {
        findings.first { $0.kind == kind }?.count ?? 0
    }
}

/// How much of a recording was looked at for a verdict on it.
package enum Examination: Hashable, Sendable {
    /// Its lists, samples and other small files, and which files there are.
    case lines
    /// That, and the files of some frames.
    case frames(Int, of: Int)
    /// That, and the files that a command has used.
    case used(by: String)
    /// Everything, but of the images only every so many-th was decoded.
    case files(imageStep: Int)

    package var text: String {
        switch self {
        case .lines: "lines only"
        case .frames(let count, let all): "lines, and \(count) of \(all) frames looked at"
        case .used(let command): "lines, and the files that \(command) used"
        case .files(1): "every file decoded"
        case .files(let step): "every file, 1 of \(step) images decoded"
        }
    }
}

extension Verdict {
    /// The verdict on a recording by the findings of each kind: the one rule for all that tell one.
    package init(_ findings: [(kind: ProblemKind, count: Int)], worst: String? = nil, _ extent: Examination) {
        func count(_ severity: FindingSeverity) -> Int {
            findings.lazy.filter { $0.kind.findingSeverity == severity }.reduce(0) { $0 &+ $1.count }
        }
        self.init(errors: count(.error), warnings: count(.warning), worst: worst, examined: extent.text)
    }
}

extension Diagnostics {
    package func verdict(_ extent: Examination) -> Verdict {
        let worst = entries.filter { $0.kind.findingSeverity > .note }
            .reduce(nil as Entry?) { best, entry in
                best.map { $0.kind.findingSeverity >= entry.kind.findingSeverity } == true ? best : entry
            }
        let text = worst.flatMap { entry in
            entry.examples.first.map { "\($0.place): \(entry.kind.explanation)".asOneLine }
        }
        return Verdict(entries.map { ($0.kind, $0.count) }, worst: text, extent)
    }
}

extension Session {
    /// What is wrong with it as far as its lines and the names of its files tell: nothing is decoded for it.
    package var account: Diagnostics {
        var account = diagnostics
        for (kind, files) in summary.uncountedLosses {
            let expected = "a file for each of \(files.expected) frames"
            account.record(
                Problem(kind.loss, file: kind.rawValue, expected: expected, found: files.text),
                count: files.missing
            )
        }
        return account
    }
}

/// How much of a session was looked at: lines read, payloads decoded.
package struct ExaminedSession: Hashable, Sendable {
    /// Lines of each stream that is there, blank ones aside.
    package var frameLines = 0
    package var motionLines = 0
    package var locationLines = 0
    package var observationLines = 0
    /// Frames that a replay would see.
    package var frames = 0
    /// Images that were decoded as a whole.
    package var images = 0
    package var depthMaps = 0
    package var confidenceMaps = 0
    package var relativeDepthMaps = 0
    package var tiles = 0

    mutating func add(_ other: ExaminedSession) {
        frameLines += other.frameLines
        motionLines += other.motionLines
        locationLines += other.locationLines
        observationLines += other.observationLines
        frames += other.frames
        images += other.images
        depthMaps += other.depthMaps
        confidenceMaps += other.confidenceMaps
        relativeDepthMaps += other.relativeDepthMaps
        tiles += other.tiles
    }
}

extension ProblemKind {
    /// The severity that a check gives the kind: a loss is an error, a mere remark is a note.
    package var findingSeverity: FindingSeverity {
        switch self {
        case .frameCountDiffers, .missingTile, .mixedOrientations, .impossibleFileTime: .note
        // Nothing is lost, but what is published is wrong, or next to nothing.
        case .gravityDisagrees, .turnRatesDisagree, .anglesContradictPose, .noDuration, .noTrackedFrame, .poseJump,
            .depthUnits, .depthTurned, .cloudsDisagree, .imagesOfOtherFrames, .intrinsicsOfAnotherSize:
            .error
        default: severity == .lost ? .error : .warning
        }
    }

    /// The advice for users on how to resolve the problem; commands in it are between backticks, without the session's path.
    ///
    /// - Parameter isNative: false for what `repair` does not take, but every reader passes over.
    package func advice(isNative: Bool) -> String {
        guard !isNative, let repair = advice.firstRange(of: "`mapeverything repair`") else { return advice }
        return advice[..<repair.lowerBound]
            + "it is passed over when it is read, and `mapeverything trim` writes the rest as a session"
    }

    private var advice: String {
        switch self {
        case .cutLastLine, .unreadableLine, .missingField, .badField, .badTransform, .badIntrinsics, .badLocation,
            .badObservation:
            "the recording broke off or the file was changed; `mapeverything repair` leaves the line out"
        case .duplicateFrame:
            "two recordings may have been written over one another; `mapeverything repair` leaves the earlier lines out"
        case .timeOutOfSession:
            "frames of another recording, or a wrong clock; `mapeverything repair` leaves the lines out"
        case .missingDepth, .wrongDepthSize, .missingRelativeDepth, .wrongRelativeDepthSize, .wrongConfidenceSize,
            .brokenDepth, .missingConfidence, .brokenConfidence:
            "look for the file in the original recording; `mapeverything repair` makes the session do without it"
        case .wrongRelativeDepthAspect:
            "store relative depth on the sensor's landscape grid: turn back what was made from a turned image"
        case .lostFrame, .streamMissing, .lostStream:
            "copy the whole recording again: the files cannot be made up"
        case .emptyStream: "nothing, if the app was not allowed to record it"
        case .foundElsewhere: "nothing; correct the paths in the list for programs that follow them only"
        case .missingImage, .truncatedImage, .brokenImage, .unreadableFile:
            "look for the file in the original recording: it cannot be made up"
        case .imageSizeUnexpected, .orientationContradicted: "look whether the image belongs to this session"
        case .badMotionSample: "the sample is skipped; others around it are used"
        case .indexNotConsecutive: "lines of frames.jsonl may have been lost: look for orphan files"
        case .timeStepsBack, .frameTooLate, .sampleTooLate: "sort the lines by time if nothing else explains it"
        case .confidenceOutOfRange, .emptyDepth, .noConfidence: "do not rely on the depth of these frames"
        case .gravityDisagrees: "the axes or the sign of the IMU or of the poses are wrong: do not use them together"
        case .turnRatesDisagree: "look whether poses and frames were shifted against one another in the list"
        case .anglesContradictPose:
            "look what changed camera_transform after the recording: its axes, its direction or its place in the list"
        case .metadataUnreadable, .metadataOfAnotherSession, .missingMetadata:
            "nothing depends on it; `mapeverything repair` writes it from the frames"
        case .frameCountDiffers: "the lines are believed; `mapeverything repair` corrects the count"
        case .orphanFile: "left by a crash between file and line; `mapeverything repair` moves it out of the way"
        case .relativeDepthNotMade: "look at the image of the frame, or take another model"
        case .cloudNotBuilt: "look at the depth of the frame"
        case .badTiles: "download the tile or its manifest again"
        case .uncutElevation:
            "cut it: gdal raster tile -f GTiff --min-zoom 12 --max-zoom 14 FILE tiles/dem, and list tiles/dem in "
                + TileManifest.file
        case .missingTile: "download tiles for the place of the recording if they are needed"
        case .mixedOrientations: "nothing: the phone was turned while it recorded"
        case .badOptionalField: "the app that wrote it may be newer than this program"
        case .intrinsicsOfAnotherSize:
            "scale camera_intrinsics to camera_resolution; wrong focal lengths make clouds too wide or too narrow"
        case .oddIntrinsics: "look whether the intrinsics belong to images of this size"
        case .emptyFrame: "leave the frame out of what needs images or depth"
        case .frameGap: "the phone was interrupted, or lines were lost"
        case .motionGap: "do not integrate the IMU across the gap"
        case .sampleOutsideSession:
            "a few are usual: phones deliver an old fix first, and samples may begin before the frames and go on after "
                + "them; many mean another clock, or frames that are lost"
        case .streamOutsideSession: "the file may belong to another recording, or have another clock"
        case .fixLeaps: "do not rely on the fixes around it"
        case .fixesContradictPoses:
            "look at the heading: --heading DEG gives it, and inspect shows the one that fits the fixes"
        case .attitudeDisagrees: "do not rely on the attitude; gravity and turn rates are independent of it"
        case .clockJump, .clocksDisagree: "give the time of the first frame yourself where absolute time matters"
        case .repeatedTime: "the recorder wrote frames twice, or rounds its times"
        case .timesAssumed: "give the rate at which the frames were taken; speeds and rates depend on it"
        case .depthNotMetric:
            "receive the recording with an app that stores depth in millimetres or with integer_depth_scale"
        case .lensDistortion: "undistort the pictures first, where their corners matter"
        case .videoNotRead: "install ffmpeg (apt install ffmpeg); pack videos without compression"
        case .brokenVideo, .missingPicture, .damagedPicture:
            "copy the video from the phone again; what ffmpeg says of it stands in the finding"
        case .pictureCountDiffers:
            "use the video as the app wrote it; one that was coded again lacks what its edit list hides"
        case .otherWorld:
            "tracking was lost and began anew, and nothing joins the two stretches: record again, moving more slowly"
        case .pictureWithoutPose: "nothing: the recording has more pictures than poses, and poses are not made up"
        case .impossibleFileTime: "give the time of the first frame yourself where absolute time matters"
        case .damagedArchive: "copy or download the archive again, or pack the recording again"
        case .floorNotFound: "look down at the floor now and then while recording"
        case .mapFull: "give the map a larger voxel size or more memory in the profile"
        case .noDuration: "look for the real times of the frames in the original recording"
        case .noTrackedFrame: "record again with more light and slower movements; poses without tracking are guesses"
        case .poseJump: "use the parts before and after the jump one by one: --start and --end cut them out"
        case .depthUnits: "write the depth files in metres, as Float32"
        case .depthTurned: "write depth in the sensor's landscape grid, and depth_resolution as [width, height]"
        case .cloudsDisagree:
            "look at the axes of camera_transform, at camera_intrinsics and at the order of the depth values"
        case .imagesOfOtherFrames: "look at which image each frame names, and at the numbers in the names"
        case .depthWithheld: "see what `check` finds; --trust-depth uses the depth all the same"
        }
    }
}
