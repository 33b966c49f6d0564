extension ProblemKind {
    /// The severity that a check gives the kind: a loss is an error, a mere remark is a note.
    package var findingSeverity: FindingSeverity {
        switch self {
        case .frameCountDiffers, .missingTile, .mixedOrientations, .impossibleFileTime: .note
        // Nothing is lost, but what is published is wrong, or next to nothing.
        case .gravityDisagrees, .turnRatesDisagree, .anglesContradictPose, .noDuration, .noTrackedFrame, .poseJump,
            .depthUnits, .depthTurned, .cloudsDisagree, .intrinsicsOfAnotherSize:
            .error
        default: severity == .lost ? .error : .warning
        }
    }

    /// The advice for users on how to resolve the problem.
    package var advice: String {
        switch self {
        case .cutLastLine, .unreadableLine, .missingField, .badField, .badTransform, .badIntrinsics, .badLocation,
            .badObservation:
            "the recording broke off or the file was changed; repair leaves the line out"
        case .duplicateFrame:
            "two recordings may have been written over one another; repair leaves the earlier lines out"
        case .timeOutOfSession: "frames of another recording, or a wrong clock; repair leaves the lines out"
        case .missingDepth, .wrongDepthSize, .missingRelativeDepth, .wrongRelativeDepthSize, .wrongConfidenceSize,
            .brokenDepth, .missingConfidence, .brokenConfidence:
            "look for the file in the original recording; repair makes the session do without it"
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
        case .confidenceOutOfRange, .emptyDepth: "do not rely on the depth of these frames"
        case .gravityDisagrees: "the axes or the sign of the IMU or of the poses are wrong: do not use them together"
        case .turnRatesDisagree: "look whether poses and frames were shifted against one another in the list"
        case .anglesContradictPose:
            "look what changed camera_transform after the recording: its axes, its direction or its place in the list"
        case .metadataUnreadable, .metadataOfAnotherSession, .missingMetadata:
            "nothing depends on it; repair writes it from the frames"
        case .frameCountDiffers: "the lines are believed; repair corrects the count"
        case .orphanFile: "left by a crash between file and line; repair moves it out of the way"
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
        case .distortionIgnored: "undistort the pictures first, where their corners matter"
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
        case .mapFull: "give the map a larger voxel size or more memory in the profile"
        case .noDuration: "look for the real times of the frames in the original recording"
        case .noTrackedFrame: "record again with more light and slower movements; poses without tracking are guesses"
        case .poseJump: "use the parts before and after the jump one by one: --start and --end cut them out"
        case .depthUnits: "write the depth files in metres, as Float32"
        case .depthTurned: "write depth in the sensor's landscape grid, and depth_resolution as [width, height]"
        case .cloudsDisagree:
            "look at the axes of camera_transform, at camera_intrinsics and at the order of the depth values"
        case .depthWithheld: "see what `check` finds; --trust-depth uses the depth all the same"
        }
    }
}
