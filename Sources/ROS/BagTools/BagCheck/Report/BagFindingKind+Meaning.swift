extension BagFindingKind {
    /// What it is, in a person's words, for all that is read by people; the raw value is for scripts.
    package var meaning: String { fileMeaning ?? metadataMeaning ?? mcapMeaning ?? topicMeaning ?? contentMeaning }

    private var fileMeaning: String? {
        switch self {
        case .bagChunkOverlap: "files of the bag overlap in time"
        case .bagEmpty: "the bag has no message"
        case .bagForeignFile: "the file is of no bag"
        case .bagLeftover: "a writer left a file unfinished"
        case .bagMissingFile: "a file of the bag is missing"
        case .bagMixedFormats: "messages of one bag are written in several forms"
        case .bagNotFetched: "the file itself was not fetched by Git LFS"
        case .bagUnlistedFile: "metadata.yaml does not name a file of the bag"
        case .bagUnreadableFile: "a file of the bag cannot be read"
        case .bagWrongName: "a file has the ending of another kind of file"
        case .compressionFields: "metadata.yaml and the files disagree on the compression"
        case .compressionFile: "a compressed file does not unpack as a whole"
        case .compressionMessage: "a compressed message does not unpack"
        case .databaseColumns: "a table of the database lacks columns"
        case .databaseIndex: "the database has no index of times"
        case .databaseIntegrity: "the database is damaged"
        case .databaseJournal: "the database was not closed: a part of it is in a file beside it"
        case .databaseMetadataTable: "the copy of the metadata in the database is wrong"
        case .databaseOrphans: "messages are of a topic that the database does not know"
        case .databaseRows: "rows of messages have impossible values"
        case .databaseSchema: "the tables are not as the version of the file says"
        case .databaseTables: "the database lacks a table"
        case .databaseUnreadable: "the database cannot be read to its end"
        default: nil
        }
    }

    private var metadataMeaning: String? {
        switch self {
        case .metadataCount: "metadata.yaml counts other messages than there are"
        case .metadataFileCount: "metadata.yaml counts other messages in a file than there are"
        case .metadataFiles: "metadata.yaml names the files in two ways that differ"
        case .metadataFileTimes: "metadata.yaml has other times of a file than its messages"
        case .metadataFormat: "metadata.yaml says another form of the messages than the files"
        case .metadataHash: "metadata.yaml has another hash of a type than the files"
        case .metadataMissing: "metadata.yaml is missing"
        case .metadataRefused: "a release of ROS 2 refuses metadata.yaml"
        case .metadataStorage: "metadata.yaml says another kind of files than there are"
        case .metadataSyntax: "metadata.yaml does not read"
        case .metadataTimes: "metadata.yaml has other times than the messages"
        case .metadataTopicCount: "metadata.yaml counts other messages of a topic than there are"
        case .metadataTopics: "metadata.yaml has other topics than the files"
        case .metadataType: "metadata.yaml says another type of a topic than the files"
        case .metadataVersion: "metadata.yaml is of an unknown version"
        default: nil
        }
    }

    private var mcapMeaning: String? {
        switch self {
        case .mcapAttachmentCRC: "the bytes of an attachment are damaged"
        case .mcapAttachmentIndex: "the index of attachments is wrong"
        case .mcapChannel: "the description of a topic in the file is wrong"
        case .mcapChunk: "a block of messages in the file is damaged"
        case .mcapChunkCRC: "the bytes of a block of messages are damaged"
        case .mcapChunkIndex: "the index of the blocks of messages is wrong"
        case .mcapChunkTimes: "a block of messages has other times than it says"
        case .mcapCompression: "a block of messages is compressed in an unknown way"
        case .mcapCut: "the file is cut short"
        case .mcapDataCRC: "bytes of the file are damaged"
        case .mcapDuplicateChannel: "the file describes a topic twice"
        case .mcapEncoding: "messages are written in a form that is not that of ROS 2"
        case .mcapFooter: "the end of the file is wrong"
        case .mcapHeader: "the head of the file is wrong"
        case .mcapMagic: "the first or last bytes are not those of an MCAP file"
        case .mcapMessageIndex: "the index of messages is wrong"
        case .mcapMetadataIndex: "the index of the file's metadata is wrong"
        case .mcapNoCRC: "the file has no checksums"
        case .mcapNoIndex: "the file has no index of messages"
        case .mcapNoOffsets: "the file has no table of its summary"
        case .mcapOutsideChunk: "messages lie outside of the blocks that are indexed"
        case .mcapProfile: "the file says that it is not of ROS 2"
        case .mcapRecord: "a record of the file is damaged"
        case .mcapSchema: "the description of a type in the file is wrong"
        case .mcapStatistics: "the file counts other messages than there are"
        case .mcapSummary: "the summary at the end of the file is wrong"
        case .mcapSummaryCRC: "the bytes of the summary are damaged"
        case .mcapSummaryOffset: "the table of the summary is wrong"
        case .mcapUnrepeated: "the summary lacks topics or types of the file"
        default: nil
        }
    }

    private var topicMeaning: String? {
        switch self {
        case .definitionDiffers: "the bag describes the type with other fields than ROS 2"
        case .definitionEncoding: "the type is described in a language that is not read"
        case .definitionHash: "the hash of the type is not that of its description"
        case .definitionHashForm: "the hash of the type is written wrongly"
        case .definitionMissing: "the bag does not describe the type"
        case .definitionUnparsable: "the description of the type does not read"
        case .qosNames: "the quality of service is written in names, which older releases refuse"
        case .qosUnreadable: "the quality of service does not read"
        case .topicDuplicate: "the file has the topic twice"
        case .topicName: "the name of the topic is not one of ROS 2"
        case .topicTwoTypes: "the topic has two types"
        case .topicTypeForm: "the name of the type is not written as ROS 2 wants it"
        case .latchedMissing: "a latched topic is not repeated in each file"
        case .latchedVolatile: "a latched topic is not offered as one: who comes late gets nothing"
        default: nil
        }
    }

    private var contentMeaning: String {
        switch self {
        case .messageByteOrder: "messages are written with the high byte first"
        case .messageDecode: "a message does not fit its type"
        case .messageEnvelope: "the frame around a message is not that of its topic"
        case .messageFarTime: "messages lie far from all others in time"
        case .messageHeader: "the first bytes of a message are odd"
        case .messageOtherRelease: "the messages fit the type of another release of ROS 2"
        case .messageOrder: "messages are not in the order of their times"
        case .messagePadding: "unused bytes between the fields are not zero"
        case .messageReencode: "a message has bytes that its fields do not account for"
        case .messageRepeated: "a message is there twice"
        case .messageForm: "messages are in a form that is not looked into"
        case .messageService: "parts of services and actions are not looked into"
        case .messageUnknownField: "messages have fields that their type does not have"
        case .messageUnknownType: "the type of the messages is not known"
        case .gap: "no message for much longer than usual"
        case .stampBack: "stamps in the headers step back"
        case .stampRowDiffers: "stamps in the headers are far from the times of the messages"
        case .stampZero: "headers have no stamp"
        case .cameraMatrix: "the camera is not calibrated"
        case .cameraPrincipalPoint: "the middle of the camera's view lies outside of its image"
        case .cameraProjection: "the camera's two matrices disagree"
        case .cameraSize: "the camera's calibration is of another size than its image"
        case .cameraUnpaired: "images and calibrations do not come in pairs"
        case .cloudLayout: "the points of a cloud do not lie as it says"
        case .cloudNonFinite: "a cloud has points that are no numbers, and says that it has none"
        case .imageEncoding: "the encoding of an image is not known"
        case .imageFormat: "an image is not of the format that it says"
        case .imageLayout: "the rows of an image do not fit its bytes"
        case .imageUndecodable: "an image does not decode"
        case .poseNonFinite: "a position is no number"
        case .poseQuaternion: "an orientation is no rotation"
        case .frameUnknown: "messages are in a frame that no transform leads to"
        case .transformDisconnected: "the frames are not one tree"
        case .transformLoop: "the frames lead round in a loop"
        case .transformNonFinite: "a transform is no number"
        case .transformQuaternion: "the rotation of a transform is none"
        case .transformTwoParents: "a frame hangs on two others"
        default: rawValue
        }
    }
}
