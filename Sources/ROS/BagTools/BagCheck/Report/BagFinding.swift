/// Something that the check of a bag found: what, how bad, how often, where, and what to do about it.
///
/// Findings of one kind, topic and severity are one, with a count and the first few places.
package struct BagFinding: Sendable, Hashable {
    package enum Severity: String, Sendable, Hashable, Comparable, CaseIterable {
        /// Worth knowing; nothing is wrong.
        case note
        /// Nothing is lost, but a reader may refuse it, or the recording is not what it should be.
        case warning
        /// Something is lost, or some reader gets it wrong.
        case error

        private var rank: Int? { Self.allCases.firstIndex(of: self) }

        package static func < (left: Severity, right: Severity) -> Bool { left.rank ?? 0 < right.rank ?? 0 }
    }

    package enum Position: Sendable, Hashable {
        case file
        /// The `id` of a row of the table `messages`.
        case row(Int64)
        /// Bytes from the start of the file.
        case byte(Int)
        /// Bytes from the start of the uncompressed content of the chunk at `chunk`.
        case chunkByte(chunk: Int, Int)
    }

    package struct Place: Sendable, Hashable {
        /// The name in the bag's directory; empty for the bag as a whole.
        package var file: String
        package var position: Position
        /// The row's time, in nanoseconds since 1970.
        package var timeNanoseconds: Int64?
        package var expected: String
        package var found: String

        package var description: String {
            var parts = file.isEmpty ? [] : [file]
            switch position {
            case .file: break
            case .row(let row): parts.append("row \(row)")
            case .byte(let offset): parts.append("byte \(offset)")
            case .chunkByte(let chunk, let offset): parts.append("byte \(offset) of the chunk at \(chunk)")
            }
            let place = parts.isEmpty ? "" : parts.joined(separator: " ") + ": "
            return "\(place)expected \(expected), found \(found)"
        }
    }

    package var severity: Severity
    package var kind: BagFindingKind
    /// The topic; nil where it concerns a file or the bag.
    package var topic: String?
    /// How often, of which `places` are the first.
    package var count: Int
    package var places: [Place]
    /// The names of all files in which it occurs, in the order in which it was met.
    package var files: [String] = []
    /// What happened, in a person's words; nil where the places alone say it.
    package var words: String?

    /// What happened, in this bag or in general.
    package var meaning: String { words ?? kind.meaning }
    /// The advice that fits this bag, where the kind alone does not decide it.
    var ownAdvice: String?

    /// The advice on what to do about the finding; commands in it are between backticks, without the bag's path.
    package var advice: String {
        let special: String? =
            switch severity {
            case .note: kind.adviceForNote
            case .warning: nil
            case .error: kind.adviceForError
            }
        return ownAdvice ?? special ?? kind.advice
    }

    /// How many places of a finding are kept.
    package static let keptPlaces = 5
}

/// The subject of a finding; the raw value is stable, for scripts.
package enum BagFindingKind: String, Sendable, Hashable, CaseIterable {
    // The bag and its files.
    case bagChunkOverlap = "bag.chunk-overlap"
    case bagEmpty = "bag.empty"
    case bagForeignFile = "bag.foreign-file"
    case bagLeftover = "bag.leftover"
    case bagMissingFile = "bag.missing-file"
    case bagMixedFormats = "bag.mixed-formats"
    case bagNotFetched = "bag.not-fetched"
    case bagUnlistedFile = "bag.unlisted-file"
    case bagUnreadableFile = "bag.unreadable-file"
    case bagWrongName = "bag.wrong-name"
    case compressionFields = "compression.fields"
    case compressionFile = "compression.file"
    case compressionMessage = "compression.message"

    // metadata.yaml.
    case metadataCount = "metadata.count"
    case metadataFileCount = "metadata.file-count"
    case metadataFiles = "metadata.files"
    case metadataFileTimes = "metadata.file-times"
    case metadataFormat = "metadata.format"
    case metadataHash = "metadata.hash"
    case metadataMissing = "metadata.missing"
    case metadataRefused = "metadata.refused"
    case metadataStorage = "metadata.storage"
    case metadataSyntax = "metadata.syntax"
    case metadataTimes = "metadata.times"
    case metadataTopicCount = "metadata.topic-count"
    case metadataTopics = "metadata.topics"
    case metadataType = "metadata.type"
    case metadataVersion = "metadata.version"

    // .db3 files.
    case databaseColumns = "db3.columns"
    case databaseIndex = "db3.index"
    case databaseIntegrity = "db3.integrity"
    case databaseJournal = "db3.journal"
    case databaseMetadataTable = "db3.metadata-table"
    case databaseOrphans = "db3.orphans"
    case databaseRows = "db3.rows"
    case databaseSchema = "db3.schema"
    case databaseTables = "db3.tables"
    case databaseUnreadable = "db3.unreadable"

    // .mcap files.
    case mcapAttachmentCRC = "mcap.attachment-crc"
    case mcapAttachmentIndex = "mcap.attachment-index"
    case mcapChannel = "mcap.channel"
    case mcapChunk = "mcap.chunk"
    case mcapChunkCRC = "mcap.chunk-crc"
    case mcapChunkIndex = "mcap.chunk-index"
    case mcapChunkTimes = "mcap.chunk-times"
    case mcapCompression = "mcap.compression"
    case mcapCut = "mcap.cut"
    case mcapDataCRC = "mcap.data-crc"
    case mcapDuplicateChannel = "mcap.duplicate-channel"
    case mcapEncoding = "mcap.encoding"
    case mcapFooter = "mcap.footer"
    case mcapHeader = "mcap.header"
    case mcapMagic = "mcap.magic"
    case mcapMessageIndex = "mcap.message-index"
    case mcapMetadataIndex = "mcap.metadata-index"
    case mcapNoCRC = "mcap.no-crc"
    case mcapNoIndex = "mcap.no-index"
    case mcapNoOffsets = "mcap.no-offsets"
    case mcapOutsideChunk = "mcap.outside-chunk"
    case mcapProfile = "mcap.profile"
    case mcapRecord = "mcap.record"
    case mcapSchema = "mcap.schema"
    case mcapStatistics = "mcap.statistics"
    case mcapSummary = "mcap.summary"
    case mcapSummaryCRC = "mcap.summary-crc"
    case mcapSummaryOffset = "mcap.summary-offset"
    case mcapUnrepeated = "mcap.unrepeated"

    // Topics and what they say of their types.
    case definitionDiffers = "definition.differs"
    case definitionEncoding = "definition.encoding"
    case definitionHash = "definition.hash"
    case definitionHashForm = "definition.hash-form"
    case definitionMissing = "definition.missing"
    case definitionUnparsable = "definition.unparsable"
    case qosNames = "qos.names"
    case qosUnreadable = "qos.unreadable"
    case topicDuplicate = "topic.duplicate"
    case topicName = "topic.name"
    case topicTwoTypes = "topic.two-types"
    case topicTypeForm = "topic.type-form"

    // Messages.
    case messageByteOrder = "message.byte-order"
    case messageDecode = "message.decode"
    case messageEnvelope = "message.envelope"
    case messageFarTime = "message.far-time"
    case messageHeader = "message.cdr-header"
    case messageOtherRelease = "message.other-release"
    case messageOrder = "message.order"
    case messagePadding = "message.padding"
    case messageReencode = "message.reencode"
    case messageRepeated = "message.repeated"
    case messageForm = "message.form"
    case messageService = "message.service"
    case messageUnknownField = "message.unknown-field"
    case messageUnknownType = "message.unknown-type"
    case gap
    case latchedMissing = "latched.missing"
    case latchedVolatile = "latched.volatile"
    case stampBack = "stamp.back"
    case stampRowDiffers = "stamp.row-differs"
    case stampZero = "stamp.zero"

    // What messages hold.
    case cameraMatrix = "camera.matrix"
    case cameraPrincipalPoint = "camera.principal-point"
    case cameraProjection = "camera.projection"
    case cameraSize = "camera.size"
    case cameraUnpaired = "camera.unpaired"
    case cloudLayout = "cloud.layout"
    case cloudNonFinite = "cloud.non-finite"
    case imageEncoding = "image.encoding"
    case imageFormat = "image.format"
    case imageLayout = "image.layout"
    case imageUndecodable = "image.undecodable"
    case poseNonFinite = "pose.non-finite"
    case poseQuaternion = "pose.quaternion"
    case frameUnknown = "frame.unknown"
    case transformDisconnected = "tf.disconnected"
    case transformLoop = "tf.loop"
    case transformNonFinite = "tf.non-finite"
    case transformQuaternion = "tf.quaternion"
    case transformTwoParents = "tf.two-parents"
}
