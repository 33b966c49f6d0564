extension BagFindingKind {
    /// The advice to a user on what to do about it.
    package var advice: String {
        fileAdvice ?? mcapAdvice ?? topicAdvice ?? messageAdvice ?? contentAdvice
    }

    /// The advice where it is a habit of its recorder, which needs no mending; nil where that makes no difference.
    var adviceForNote: String? {
        switch self {
        case .metadataFileCount, .metadataFiles, .metadataFileTimes, .metadataStorage, .metadataTimes, .metadataTopics:
            "a habit of its recorder; every reader takes it"
        case .bagUnlistedFile: "no part of the bag: a player left it behind"
        case .mcapProfile: "legal: its messages are none of ROS 2"
        case .stampRowDiffers: "the rows have the time of receipt, as recorders file them; synchronise by header.stamp"
        default: nil
        }
    }

    /// The advice where the kind is worse than it mostly is; nil where that makes no difference.
    var adviceForError: String? {
        switch self {
        case .metadataRefused: Self.reindex
        case .mcapHeader: Self.repair
        default: nil
        }
    }

    /// True if `repair` mends it by writing the .mcap file anew.
    package var isMendedInFile: Bool {
        switch self {
        case .mcapCut, .mcapMagic, .mcapRecord, .mcapChunk, .mcapChunkCRC, .mcapDataCRC, .mcapSummaryCRC, .mcapFooter,
            .mcapSummary, .mcapSummaryOffset, .mcapChunkIndex, .mcapMessageIndex, .mcapStatistics,
            .mcapAttachmentIndex, .mcapMetadataIndex, .mcapChunkTimes, .mcapOutsideChunk, .mcapSchema, .mcapChannel,
            .mcapHeader:
            true
        default: false
        }
    }

    /// True if `repair` mends it by writing metadata.yaml anew.
    package var isMendedInMetadata: Bool {
        switch self {
        case .metadataCount, .metadataFileCount, .metadataFiles, .metadataFileTimes, .metadataFormat, .metadataHash,
            .metadataMissing, .metadataRefused, .metadataStorage, .metadataSyntax, .metadataTimes, .metadataTopicCount,
            .metadataTopics, .metadataType:
            true
        default: false
        }
    }

    private static let repair = "`mapeverything repair` writes a sound copy with all that can be read"
    static let reindex = "`mapeverything repair` writes metadata.yaml anew from the messages"
    private static let convert = "`mapeverything convert` writes a complete bag of the same messages"

    private var fileAdvice: String? {
        switch self {
        case .bagChunkOverlap: "players read file by file; `mapeverything convert` merges the files in time order"
        case .bagEmpty: "nothing was recorded; look whether the topics had publishers"
        case .bagForeignFile: "nothing of a bag is in it: find the file that was recorded"
        case .bagLeftover: "a writer was interrupted; \(Self.repair)"
        case .bagMissingFile: "find the file; \(Self.repair) from the others"
        case .bagMixedFormats:
            "every rosbag2 refuses such a bag; `mapeverything convert --accept-damage` makes one of CDR, and names what it "
                + "leaves out"
        case .bagNotFetched: "git lfs pull in its repository fetches the file"
        case .bagUnlistedFile: "no reader will read this file; \(Self.reindex)"
        case .bagWrongName:
            "readers that go by the name take it for something else; \(Self.repair) under the right name"
        case .bagUnreadableFile, .databaseUnreadable, .databaseIntegrity, .databaseTables, .databaseColumns,
            .databaseOrphans, .databaseRows, .compressionFile:
            Self.repair
        case .compressionMessage: "`mapeverything convert --accept-damage` leaves the message out, and counts it"
        case .compressionFields: "make compression_format and compression_mode say how the files are stored"
        case .databaseIndex: "players will sort the whole table; \(Self.convert)"
        case .databaseJournal: "copying only the .db3 would lose data; \(Self.repair)"
        case .databaseMetadataTable: "`mapeverything repair` corrects it from the messages"
        case .databaseSchema: Self.convert
        case .metadataVersion: Self.reindex
        case .metadataRefused: "`mapeverything convert --ros-distro any` writes what every ROS 2 reads"
        case _ where isMendedInMetadata: Self.reindex
        default: nil
        }
    }

    private var mcapAdvice: String? {
        switch self {
        case _ where isMendedInFile: Self.repair
        case .mcapNoIndex:
            "legal, but rosbag2 plays such a file in file order at best; `mapeverything repair` adds the index"
        case .mcapNoOffsets: "legal; readers go through the whole summary"
        case .mcapUnrepeated: "legal; readers have to look into the chunks"
        case .mcapAttachmentCRC: "the attachment's bytes are damaged; the messages are not concerned"
        case .mcapCompression: "only lz4 and zstd are known; convert with the tool that wrote it"
        case .mcapDuplicateChannel: "readers may show the topic twice; \(Self.convert)"
        case .mcapEncoding: "readers of the profile ros2 want cdr; `mapeverything convert` leaves out what is none"
        case .mcapHeader, .mcapProfile: "ROS tools want the profile ros2; \(Self.convert)"
        case .mcapNoCRC: "damage of this file would not be seen; \(Self.convert)"
        default: nil
        }
    }

    private var topicAdvice: String? {
        switch self {
        case .definitionDiffers: "the sender was built with another version of the type; rebuild one of the two"
        case .definitionEncoding:
            "if the messages are CDR, name the folder of the .msg files with --msg-path; other forms are not read"
        case .definitionHash, .definitionHashForm: "rosbags drops topics whose hash is wrong; \(Self.convert)"
        case .definitionMissing: "convert with --msg-path DIR to make the bag complete in itself"
        case .definitionUnparsable: "convert with --msg-path DIR to replace the definition"
        case .qosNames: "Humble and Iron cannot play it; `mapeverything convert --ros-distro any` writes numbers"
        case .qosUnreadable:
            "the topic cannot be played as it was offered: give the player --qos-profile-overrides-path"
        case .topicDuplicate: "readers mix the two up; \(Self.convert)"
        case .topicName: "the name is damaged, and ROS 2 refuses it; convert with --remap OLD:=NEW"
        case .topicTwoTypes: "ROS refuses a second type of a topic; convert with --remap and --topics to part them"
        case .topicTypeForm:
            "ROS 2 wants pkg/msg/Type; `mapeverything convert` brings pkg/Type up to date"
        default: nil
        }
    }

    private var messageAdvice: String? {
        switch self {
        case .messageByteOrder: "legal, but few readers test it; convert copies it as it is"
        case .messageDecode:
            "the message is damaged or of another type; convert, replay and export leave it out and count it; where the bag "
                + "has no definition of the type, convert copies it"
        case .messageReencode, .messageHeader:
            "readers may take it differently; convert copies it as it is"
        case .messageFarTime:
            "a clock that was not set: players wait for as long; --start or --end of convert leaves them out"
        case .messageEnvelope: "readers of the text take it for the other topic; convert keeps it where it is filed"
        case .messageOrder: "sequential readers see time run back; `mapeverything convert` sorts it"
        case .messageOtherRelease:
            "no damage: the type has other fields in the release that recorded it; name that release's .msg files with "
                + "--msg-path"
        case .messagePadding: "harmless to readers, but bytes of the writer's memory leak: it should write zeros there"
        case .messageRepeated:
            "the recorder had two subscriptions, or was fed twice; `mapeverything convert --drop-duplicates` leaves copies out"
        case .messageForm: "legal; convert copies such messages to files of the same kind, inspect --echo shows JSON"
        case .messageService: "what services and actions exchange is passed over; only topics are checked"
        case .messageUnknownField: "rosbridge refuses a message for it; convert drops the key"
        case .messageUnknownType:
            "if the messages are CDR, name the folder of the .msg files with --msg-path; other forms are not read"
        case .gap: "data are missing here, or the sensor paused"
        case .latchedVolatile:
            "played as it is, tf listeners get nothing of it: give the player --qos-profile-overrides-path"
        case .latchedMissing: "this file played alone lacks the topic; \(Self.convert)"
        case .stampBack: "a clock was set, or messages came late; sorted consumers will drop them"
        case .stampRowDiffers: "the row has the time of receipt; synchronise by header.stamp, or the bag was altered"
        case .stampZero: "the sender never set the stamp; tf and synchronisers cannot use such messages"
        default: nil
        }
    }

    private var contentAdvice: String {
        switch self {
        case .cameraMatrix, .cameraPrincipalPoint, .cameraProjection: "calibrate the camera, or correct its camera_info"
        case .cameraSize: "scale the calibration with the image"
        case .cameraUnpaired: "synchronisers by exact time drop what has no partner"
        case .cloudLayout, .imageLayout: "consumers may read beyond the data; drop these messages"
        case .cloudNonFinite: "the cloud must say is_dense: false, or drop its invalid points"
        case .imageEncoding: "cv_bridge refuses encodings that it does not know"
        case .imageFormat: "make the format name the codec of the data"
        case .imageUndecodable: "the picture is lost; drop the message"
        case .frameUnknown: "rviz cannot place what is in a frame that tf does not have"
        case .transformDisconnected: "publish the transform that joins the trees"
        case .transformLoop, .transformTwoParents:
            "tf2 takes the parent that came last; let one node publish each frame"
        case .poseNonFinite, .poseQuaternion, .transformNonFinite, .transformQuaternion:
            "tf2 and rviz refuse it; normalise or drop it"
        default: "see the documentation of `check`"
        }
    }
}
