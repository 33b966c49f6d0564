package import Bags
package import Messages
package import Platform
package import SystemPackage

/// Looks at every file, row and message of a bag, and says all that is wrong with it.
///
/// One pass over the messages, in the order of the files; memory does not grow with the bag.
package enum BagChecker {
    /// Throws only where there is no bag; what is wrong with one is in the report.
    package static func check(
        _ path: FilePath,
        options: BagCheckOptions = BagCheckOptions()
    ) throws(BagError) -> BagCheckReport {
        var layout = try BagLayout(path)
        let parts = Parts(options, path)
        let (context, registry, pipeline) = (parts.context, parts.registry, parts.pipeline)
        let claims = MetadataCheck.read(layout, context)
        pipeline.expect(messages: (claims?.map.messageCount).flatMap { $0 < 0 ? nil : Int(clamping: $0) })
        arrange(&layout, claims, context)
        if let claims { MetadataCheck.checkFields(claims, layout, context) }
        LeftoverCheck.run(layout, claims, context)
        for file in layout.files {
            let check = StorageFileCheck(
                file: file,
                claims: claims,
                context: context,
                registry: registry,
                pipeline: pipeline
            )
            check.run()
        }
        parts.finish()
        if let claims, !context.lacksFile {
            let wasInterrupted = LeftoverCheck.findsAny(layout)
            MetadataComparison(claims, registry, pipeline.files, wasInterrupted: wasInterrupted, context).run()
        }
        return parts.report
    }

    /// Looks at an .mcap file that lies anywhere, without a metadata.yaml and with nothing beside it.
    ///
    /// - Parameter name: The name of the file in findings.
    package static func check(
        _ source: any MCAPSource,
        named name: String,
        options: BagCheckOptions = BagCheckOptions()
    ) -> BagCheckReport {
        let parts = Parts(options)
        let (context, registry, pipeline) = (parts.context, parts.registry, parts.pipeline)
        pipeline.expect(messages: nil)
        pipeline.beginFile(name, bytes: source.size)
        let messages = StoredMessages(areCompressed: nil, context: context, pipeline: pipeline)
        var check = MCAPFileCheck(name: name, context, registry, messages)
        check.run { source }
        pipeline.finishFile()
        CutFile.explainMCAP(name, pipeline.files.last, context)
        parts.finish()
        return parts.report
    }

    private struct Parts {
        let context: CheckContext
        let registry = CheckedTopics()
        let pipeline: MessagePipeline

        init(_ options: BagCheckOptions, _ path: FilePath? = nil) {
            context = CheckContext(options: options, path: path)
            pipeline = MessagePipeline(context: context, registry: registry)
        }

        /// Looks at what only all files together show.
        func finish() {
            pipeline.finish()
            registry.finish(context)
            // Only metadata.yaml says then that they are compressed.
            if !context.hasUnpacked { context.findings.advise(.compressionMessage, BagFindingKind.reindex) }
        }

        var report: BagCheckReport {
            BagCheckReport(
                findings: context.findings.sorted,
                omittedFindings: context.findings.omitted,
                files: pipeline.files,
                topics: registry.topics.map(BagChecker.topic).sorted {
                    ($0.name, $0.typeName) < ($1.name, $1.typeName)
                },
                isOurs: context.findings.isOurs
            )
        }
    }

    /// Puts the files in the order of metadata.yaml; files that it does not list come last.
    private static func arrange(_ layout: inout BagLayout, _ claims: RawMetadata?, _ context: CheckContext) {
        let (missing, unlisted) = layout.arrange(by: claims?.paths)
        tell(missing, layout, claims, context)
        let expected = "a place in relative_file_paths"
        // A writer that is interrupted may not have come to list the last one.
        let severity: BagFinding.Severity = LeftoverCheck.findsAny(layout) ? .warning : .error
        for name in unlisted {
            context.at(file: name).add(severity, .bagUnlistedFile, expected, "none")
        }
        for name in layout.twins {
            // rosbag2's player leaves the unpacked file beside the packed one.
            let found = "another form of a file of the bag, which is not read"
            context.at(file: name).add(.note, .bagUnlistedFile, expected, found)
        }
        for file in layout.files where file.hasWrongName {
            let expected = "a name that ends with \(file.ending), which is in it"
            context.at(file: file.name).add(.warning, .bagWrongName, expected, file.name)
        }
    }

    /// Tells of all files that are not there in one finding: what else the bag says of itself cannot be true then.
    private static func tell(
        _ missing: [String],
        _ layout: BagLayout,
        _ claims: RawMetadata?,
        _ context: CheckContext
    ) {
        guard let first = missing.first else { return }
        context.lacksFile = true
        for name in missing {
            let expected = claims == nil ? "numbers without a gap" : "files that are there"
            context.at(file: claims == nil ? name : BagLayout.metadataName).add(.error, .bagMissingFile, expected, name)
        }
        let isAlone = layout.files.isEmpty && !LeftoverCheck.findsAny(layout)
        let words =
            missing.count > 1
            ? "\(missing.count) files of this bag are missing: \(missing.someNames)"
            : "\(isAlone ? "the" : "a") file of this bag is missing: \(first)"
        context.findings.explain(.bagMissingFile, words)
        guard isAlone else { return }
        context.findings.advise(.bagMissingFile, "find what is missing: without it there is nothing to read")
    }

    private static func topic(_ topic: CheckedTopic) -> BagCheckReport.Topic {
        BagCheckReport.Topic(
            name: topic.name,
            typeName: topic.typeName,
            serializationFormat: topic.serializationFormat,
            messageCount: topic.messageCount,
            decodedCount: topic.decodedCount,
            bytes: topic.bytes
        )
    }
}

/// The options of the check of a bag, with what it needs from outside.
package struct BagCheckOptions: Sendable {
    /// Says why an image file cannot be decoded, or nil if it can; the format is `jpeg` or `png`.
    package typealias ImageProblem = @Sendable (_ bytes: [UInt8], _ format: String) -> String?

    /// Finds the definitions of types.
    package var types: TypeResolver
    /// Decodes pictures; without it only their headers are looked at.
    package var imageProblem: ImageProblem?
    /// True if SQLite reads every page of every file (PRAGMA integrity_check).
    package var checksIntegrity: Bool
    /// How large a compressed file may become.
    package var unpackLimit: UnpackLimit
    /// Is told how many messages are done.
    package var progress: ProgressHandler

    package init(
        types: TypeResolver = TypeResolver(),
        imageProblem: ImageProblem? = nil,
        checksIntegrity: Bool = true,
        unpackLimit: UnpackLimit = UnpackLimit(),
        progress: @escaping ProgressHandler = { _ in }
    ) {
        self.types = types
        self.imageProblem = imageProblem
        self.checksIntegrity = checksIntegrity
        self.unpackLimit = unpackLimit
        self.progress = progress
    }
}

/// The state that all checks of one bag share: where findings go, and what was asked for.
final class CheckContext {
    let options: BagCheckOptions
    var findings = Findings()
    /// True if a file of the bag is not here or cannot be read, so that nothing can be said of what it holds.
    var lacksFile = false
    /// True if a message was compressed, and could be unpacked.
    var hasUnpacked = false

    private let path: FilePath?
    /// The topics as readers see them, who know the editions of their types; read when that is a question.
    private lazy var readTopics: [BagTopic] = {
        let tolerance: BagTolerance = [.missingFiles, .unfinishedFiles, .damage]
        let reader = path.flatMap {
            try? BagReader(opening: $0, tolerating: tolerance, unpacking: options.unpackLimit)
        }
        return reader?.topics ?? []
    }()

    init(options: BagCheckOptions, path: FilePath?) {
        self.options = options
        self.path = path
    }

    /// The claim on a topic's type, with what its messages say of the edition.
    func claim(of topic: BagTopic) -> TypeClaim {
        var claim = TypeClaim(topic)
        guard topic.editionChoice != nil else { return claim }
        claim.edition = readTopics.first { $0.name == topic.name && $0.typeName == topic.typeName }?.edition
        return claim
    }

    /// Takes the custom data of a bag, from wherever they are, as word of who wrote it.
    ///
    /// Data that a rosbridge client or a node of ROS 2 sent, or another tool recorded, keep their habits when this program stores them.
    /// The phone app has keys of the same prefix, and no version.
    func noteProvenance(_ customData: [String: String]) {
        guard customData["mapeverything.version"] != nil else { return }
        guard !["rosbridge", "ros2", "convert"].contains(customData["mapeverything.source"] ?? "") else { return }
        findings.isOurs = true
    }
}
