import Text

/// Something wrong with a session at a certain place: what was expected there and what was found.
package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    package var kind: ProblemKind
    /// The file, relative to the session.
    package var file: String
    /// The line in the file, from 1, where the file has lines.
    package var line: Int?
    /// The field of the line's object.
    package var field: String?
    package var expected: String
    package var found: String

    package init(
        _ kind: ProblemKind,
        file: String,
        line: Int? = nil,
        field: String? = nil,
        expected: String,
        found: String
    ) {
        self.kind = kind
        self.file = file
        self.line = line
        self.field = field
        self.expected = expected
        self.found = found
    }

    /// A problem with a value whose place the caller knows, and gives by ``at(_:line:_:)``.
    init(_ kind: ProblemKind, expected: String, found: String) {
        self.init(kind, file: "", expected: expected, found: found)
    }

    /// The error of a file that cannot be read to its end.
    static func unreadable(_ file: String, _ error: any Error) -> Problem {
        let found = "\(error)"
        return error as? Problem ?? Problem(.unreadableFile, file: file, expected: "a readable file", found: found)
    }

    /// The same at a place.
    package func at(_ file: String, line: Int? = nil, _ field: String? = nil) -> Problem {
        Problem(kind, file: file, line: line, field: field, expected: expected, found: found)
    }

    /// Runs a step that judges the value of a field: a problem that it throws gets the value's place.
    static func at<Value>(
        _ file: String,
        line: Int? = nil,
        _ field: String?,
        _ judge: () throws(Problem) -> Value
    ) throws(Problem) -> Value {
        do throws(Problem) {
            return try judge()
        } catch {
            throw error.at(file, line: line, field)
        }
    }

    /// `frames.jsonl: line 812: field "timestamp": expected a number, found NaN`.
    package var description: String {
        // What was found may be anything: it stays on its line.
        let field = field.map { ": field \"\($0)\"" } ?? ""
        return "\(place)\(field): expected \(expected), found \(found)".asOneLine
    }

    /// The file, and the line in it.
    package var place: String { file + (line.map { ": line \($0)" } ?? "") }
}

/// Every kind of damage that a session survives, by its stable name in reports.
package enum ProblemKind: String, Hashable, Sendable, CaseIterable, Comparable {
    case cutLastLine
    case unreadableLine
    case missingField
    case badField
    case badTransform
    case badIntrinsics
    case duplicateFrame
    case indexNotConsecutive
    case timeStepsBack
    case timeOutOfSession
    case frameTooLate
    case missingImage
    case truncatedImage
    case brokenImage
    case imageSizeUnexpected
    case orientationContradicted
    case missingDepth
    case wrongDepthSize
    case brokenDepth
    case missingConfidence
    case noConfidence
    case wrongConfidenceSize
    case brokenConfidence
    case confidenceOutOfRange
    case missingRelativeDepth
    case wrongRelativeDepthSize
    case wrongRelativeDepthAspect
    case badMotionSample
    case badLocation
    case badObservation
    case sampleTooLate
    case sampleOutsideSession
    case streamOutsideSession
    case fixLeaps
    case fixesContradictPoses
    case attitudeDisagrees
    case gravityDisagrees
    case turnRatesDisagree
    case anglesContradictPose
    case metadataUnreadable
    case metadataOfAnotherSession
    case frameCountDiffers
    case orphanFile
    case lostFrame
    case streamMissing
    case emptyStream
    case lostStream
    case foundElsewhere
    case unreadableFile
    case cloudNotBuilt
    case relativeDepthNotMade
    case badTiles
    case uncutElevation
    case missingTile
    case missingMetadata
    case mixedOrientations
    case badOptionalField
    case oddIntrinsics
    case intrinsicsOfAnotherSize
    case emptyFrame
    case emptyDepth
    case frameGap
    case motionGap
    case clockJump
    case clocksDisagree
    case repeatedTime
    case noDuration
    case noTrackedFrame
    case poseJump
    case depthUnits
    case depthTurned
    case cloudsDisagree
    case imagesOfOtherFrames
    case depthWithheld
    case depthNotMetric
    case timesAssumed
    case lensDistortion
    case mapFull
    case floorNotFound
    case videoNotRead
    case brokenVideo
    case pictureCountDiffers
    case missingPicture
    case damagedPicture
    case otherWorld
    case pictureWithoutPose
    case impossibleFileTime
    case damagedArchive

    package enum Severity: String, Sendable {
        /// Something of the recording is lost to the output.
        case lost
        /// Worth knowing; nothing is lost.
        case notice
    }

    package var severity: Severity {
        switch self {
        case .indexNotConsecutive, .timeStepsBack, .orientationContradicted, .metadataUnreadable,
            .metadataOfAnotherSession, .frameCountDiffers, .orphanFile, .confidenceOutOfRange, .gravityDisagrees,
            .turnRatesDisagree, .anglesContradictPose,
            .missingTile, .missingMetadata, .mixedOrientations, .badOptionalField, .oddIntrinsics,
            .intrinsicsOfAnotherSize, .emptyFrame, .emptyDepth, .frameGap, .motionGap, .clockJump, .clocksDisagree,
            .repeatedTime, .noDuration, .noTrackedFrame, .poseJump, .depthUnits, .depthTurned, .cloudsDisagree,
            .imagesOfOtherFrames,
            .sampleOutsideSession, .fixLeaps, .fixesContradictPoses, .attitudeDisagrees, .videoNotRead,
            .depthNotMetric, .lensDistortion, .timesAssumed, .pictureCountDiffers, .pictureWithoutPose,
            .impossibleFileTime, .emptyStream, .foundElsewhere, .floorNotFound, .noConfidence:
            .notice
        default: .lost
        }
    }

    /// An explanation for people: what happened and what was done about it.
    package var explanation: String {
        switch self {
        case .cutLastLine: "last line cut in the middle; dropped"
        case .unreadableLine: "line is no JSON object; skipped"
        case .missingField: "frame without a required field; skipped"
        case .badField: "frame with an impossible value; skipped"
        case .badTransform: "camera_transform is no rigid motion; frame skipped"
        case .badIntrinsics: "impossible intrinsics; frame skipped"
        case .duplicateFrame: "frame_index again; the earlier line is dropped"
        case .indexNotConsecutive: "frame_index jumps; frames before it were never written, or their lines are lost"
        case .timeStepsBack: "timestamp before the line above; put back in order"
        case .timeOutOfSession: "timestamp more than a day from the other frames; frame skipped"
        case .frameTooLate: "frame too late to be put in order; skipped"
        case .missingImage: "no image file; pose and depth kept"
        case .truncatedImage: "image cut short; not published, cloud without colour"
        case .brokenImage: "image is damaged or does not decode; not published, cloud without colour"
        case .imageSizeUnexpected: "image size does not fit the camera; not published, cloud without colour"
        case .orientationContradicted: "device_orientation contradicts the image; decided by size and gravity"
        case .missingDepth: "frame says it has depth, but there is no file"
        case .wrongDepthSize: "depth file of the wrong size; the frame's depth is dropped"
        case .brokenDepth: "depth file that does not decode; the frame's depth is dropped"
        case .missingConfidence: "no confidence file; ignored, the depth is kept"
        case .noConfidence: "depth without confidence; --min-confidence leaves nothing out"
        case .brokenConfidence: "confidence file that does not decode; ignored, the depth with it is kept"
        case .wrongConfidenceSize: "confidence file of the wrong size; ignored, the depth with it is kept"
        case .confidenceOutOfRange: "confidence values other than 0, 1, 2"
        case .missingRelativeDepth: "frame says it has relative depth, but there is no file"
        case .wrongRelativeDepthSize: "relative depth file of the wrong size; dropped"
        case .wrongRelativeDepthAspect: "relative depth of another shape than the sensor's landscape image; dropped"
        case .badMotionSample: "IMU sample with a bad value; skipped"
        case .badLocation: "location fix with a bad value; skipped"
        case .badObservation: "observation with a bad value; skipped"
        case .sampleTooLate: "sample too late to be put in order; skipped"
        case .sampleOutsideSession: "sample more than 2 s before the first frame or after the last; left out"
        case .streamOutsideSession: "no sample of the stream is of the time of the frames; none is used"
        case .fixLeaps: "location fix that no vehicle could have reached from the one before; used as it is"
        case .fixesContradictPoses: "location fixes and camera poses disagree; both used as they are"
        case .attitudeDisagrees: "IMU attitude and IMU gravity disagree; the attitude's variance is raised"
        case .gravityDisagrees: "IMU gravity and camera pose disagree"
        case .turnRatesDisagree: "the camera's poses turn at other times than the IMU; both used as they are"
        case .anglesContradictPose: "camera_euler_angles and camera_transform disagree; the transform is used"
        case .metadataUnreadable: "metadata.json does not read; made up from the frames"
        case .metadataOfAnotherSession: "metadata.json belongs to another session; ignored"
        case .frameCountDiffers: "metadata.json counts other frames than frames.jsonl has; the lines are believed"
        case .orphanFile: "file without a line in the list of frames; ignored"
        case .lostFrame: "files of a frame whose pose is not there; the frame is lost"
        case .streamMissing: "the recording should have these files, and has none of them"
        case .emptyStream: "file of a stream without a single sample"
        case .lostStream: "file of a stream without a single sample, and other files show that there were some"
        case .foundElsewhere: "files are not where the list says; found by the ends of their paths"
        case .unreadableFile: "file cannot be read; skipped"
        case .relativeDepthNotMade: "the depth network gave nothing for the image; the rest of the frame is kept"
        case .cloudNotBuilt: "no cloud could be built from the frame; the rest of it is kept"
        case .badTiles: "map tile that cannot be used; skipped"
        case .uncutElevation: "elevation model that is not cut into tiles; not read"
        case .missingTile: "no map tile where the device was; none published"
        case .missingMetadata: "no metadata.json; made up from the frames"
        case .mixedOrientations: "frames of several orientations; each image is turned by its own"
        case .badOptionalField: "optional value that does not read; taken as absent"
        case .oddIntrinsics: "unlikely intrinsics; used as they are"
        case .intrinsicsOfAnotherSize: "intrinsics of an image of another size; used as they are"
        case .emptyFrame: "frame with neither image nor depth; pose kept"
        case .emptyDepth: "depth without a single valid value; used as it is"
        case .frameGap: "gap between frames"
        case .motionGap: "gap between IMU samples"
        case .clockJump: "wall clock of the location fixes jumps"
        case .clocksDisagree: "two sources tell different wall-clock times; the better one is believed"
        case .repeatedTime: "frame at the time of the one before; a topic with a rate gets only one of them"
        case .noDuration: "all frames are at one time; a topic with a rate gets one message in all"
        case .noTrackedFrame: "no frame with trusted tracking; none is published without --keep-limited-tracking"
        case .poseJump: "camera pose jumps; used as it is"
        case .depthUnits: "depth values that cannot be metres; used as they are"
        case .depthTurned: "depth grid is turned against the camera image; used as it is"
        case .cloudsDisagree: "clouds of neighbouring frames do not lie on one another"
        case .imagesOfOtherFrames: "images are of other frames than depth and poses; used as they are"
        case .depthWithheld: "depth and poses contradict each other; no depth is used, and no cloud is made of it"
        case .timesAssumed: "no times of the frames; they follow one another at the rate of --fps"
        case .depthNotMetric: "depth is stored as pictures to look at, without a unit; not used"
        case .lensDistortion: "lens distortion is handed on to CameraInfo and exports, and taken out of clouds and maps"
        case .videoNotRead: "pictures are in a video that is not read; everything else is used"
        case .brokenVideo: "video of the pictures that does not read; everything else is used"
        case .pictureCountDiffers: "the video has not one picture for each row; what is there is paired"
        case .missingPicture: "picture that could not be had from the video; pose and depth kept"
        case .damagedPicture: "picture that damage of the video reaches; not published without --accept-damage"
        case .otherWorld: "frame whose pose is in another world than those of most frames; left out"
        case .pictureWithoutPose: "pictures at whose times there is no pose; left out"
        case .impossibleFileTime: "file of a time that no recording can have; it says nothing about the clock"
        case .damagedArchive: "archive that is damaged between its files; what no header leads to is lost"
        case .mapFull: "the map has no room for more places; it is incomplete"
        case .floorNotFound: "no floor was seen below the camera; no map of it is made"
        }
    }

    package static func < (left: ProblemKind, right: ProblemKind) -> Bool { left.rawValue < right.rawValue }
}
