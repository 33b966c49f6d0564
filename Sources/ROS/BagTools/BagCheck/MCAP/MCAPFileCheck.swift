import Bags

/// Checks one .mcap file: every record in the order of the file, the summary against them, and each message.
struct MCAPFileCheck {
    private enum Section { case data, summary, end }

    private let reporter: MCAPReporter
    private let registry: CheckedTopics
    private let messages: StoredMessages
    private var section = Section.data
    private var header: MCAPHeader?
    private var isFirst = true
    private var footer: (place: MCAPPlace, record: MCAPFooter)?
    private var dataEnd: (place: MCAPPlace, record: MCAPDataEnd)?
    private var directory: MCAPDirectoryCheck
    private var chunks: MCAPChunkCheck
    private var summary: MCAPSummaryCheck
    private var tally = MCAPTally()
    /// The topics by the file's channel numbers.
    private var topics: [UInt16: CheckedTopic] = [:]

    init(name: String, _ context: CheckContext, _ registry: CheckedTopics, _ messages: StoredMessages) {
        self.registry = registry
        self.messages = messages
        reporter = MCAPReporter(file: name, context: context)
        directory = MCAPDirectoryCheck(reporter)
        chunks = MCAPChunkCheck(reporter)
        summary = MCAPSummaryCheck(reporter)
    }

    mutating func run(opening: () throws -> any MCAPSource) {
        do {
            let source = try opening()
            noteProvenance(source)
            var walk = try MCAPWalk(source)
            while let item = try walk.next() { try note(item, &walk) }
            chunks.finish()
            for problem in walk.problems.list { reporter.add(problem) }
            finish()
            try MCAPChecksumCheck(dataEnd: dataEnd, footer: footer, chunks: chunks, reporter: reporter).run(source)
        } catch {
            reporter.at().add(.error, .bagUnreadableFile, "a file that can be read", "\(error)")
        }
    }

    /// The summary says who wrote the file, and it comes after the messages that are judged by it.
    private func noteProvenance(_ source: any MCAPSource) {
        guard let file = try? MCAPFile(source) else { return }
        for (_, record) in file.metadata {
            reporter.context.noteProvenance(
                Dictionary(record.metadata.map { ($0.key, $0.value) }) { first, _ in first }
            )
            if let text = record.metadata["serialized_metadata"], let node = try? MetadataNode.parse(text) {
                reporter.context.noteProvenance(RawMetadata(node).customData)
            }
        }
    }

    private mutating func note(_ item: MCAPItem, _ walk: inout MCAPWalk) throws {
        for problem in item.problems { reporter.add(problem) }
        if item.place.innerOffset == nil {
            chunks.finish()
            checkOrder(item)
        } else if !item.isPrivate, ![.schema, .channel, .message].contains(MCAPOpcode(rawValue: item.opcode)) {
            let name = MCAPOpcode.name(item.opcode)
            reporter.at(item.place).add(.error, .mcapRecord, "only Schema, Channel and Message in a chunk", name)
        }
        guard let record = item.record else { return }
        switch record {
        case .header(let record): header = header ?? record
        case .footer(let record): footer = (item.place, record)
        case .dataEnd(let record): dataEnd = (item.place, record)
        case .schema(let schema): directory.note(schema, at: item.place, isSummary: section == .summary)
        case .channel(let channel): directory.note(channel, at: item.place, isSummary: section == .summary)
        case .message(let message): try examine(message, &walk)
        case .chunk(let chunk): chunks.begin(chunk, at: item.place, byteCount: item.byteCount)
        case .messageIndex(let index): chunks.note(index, at: item.place)
        default: tally.note(item)
        }
        if case .metadata(let record) = record {
            let keys = record.metadata.map(\.key)
            if Set(keys).count != keys.count {
                reporter.at(item.place).add(.error, .mcapRecord, "each key of the metadata once", "one twice")
            }
        }
        // The Footer ends the summary and is no part of it.
        if case .footer = record { section = .end }
        if item.place.innerOffset == nil, section == .summary { summary.note(item, directory) }
        if case .dataEnd = record { section = .summary }
    }

    /// Which records may stand where.
    private mutating func checkOrder(_ item: MCAPItem) {
        let opcode = MCAPOpcode(rawValue: item.opcode)
        if isFirst, opcode != .header {
            reporter.at(item.place)
                .add(.error, .mcapHeader, "a Header as the first record", MCAPOpcode.name(item.opcode))
        }
        if !isFirst, opcode == .header { reporter.at(item.place).add(.error, .mcapHeader, "one Header", "another") }
        isFirst = false
        guard opcode != .header, opcode != .footer, opcode != .dataEnd, !item.isPrivate else { return }
        let isAllowed =
            switch (section, opcode) {
            case (.data, .schema?), (.data, .channel?), (.data, .message?), (.data, .chunk?), (.data, .messageIndex?),
                (.data, .attachment?), (.data, .metadata?):
                true
            case (.summary, .schema?), (.summary, .channel?), (.summary, .chunkIndex?), (.summary, .attachmentIndex?),
                (.summary, .metadataIndex?), (.summary, .statistics?), (.summary, .summaryOffset?):
                true
            default: false
            }
        guard !isAllowed else { return }
        let name = MCAPOpcode.name(item.opcode)
        let place = section == .data ? "data section" : section == .summary ? "summary" : "end of the file"
        reporter.at(item.place).add(.error, .mcapRecord, "only records that may stand in the \(place)", name)
    }

    private mutating func examine(_ message: MCAPMessage, _ walk: inout MCAPWalk) throws {
        tally.note(message)
        chunks.note(message)
        guard let topic = topic(message) else {
            let expected = "the Channel before its messages"
            reporter.at(message.place).add(.error, .mcapChannel, expected, "a message of channel \(message.channelID)")
            return
        }
        if let problem = message.timeProblem {
            let expected = "a log_time of \(problem.expected)"
            reporter.at(message.place).add(.error, .mcapRecord, expected, problem.found)
        }
        let time = Int64(clamping: message.logTime)
        let spot = reporter.spot(message.place, timeNanoseconds: time)
        let data = try walk.data(of: message)
        data.withUnsafeBytes { messages.examine(topic, spot, time, $0) }
    }

    private mutating func topic(_ message: MCAPMessage) -> CheckedTopic? {
        if let topic = topics[message.channelID] { return topic }
        guard let channel = directory.channels[message.channelID] else { return nil }
        let topic = declare(channel)
        topics[message.channelID] = topic
        return topic
    }

    private mutating func declare(_ channel: MCAPChannel) -> CheckedTopic {
        let schema = directory.schemas[channel.schemaID] ?? directory.summarySchemas[channel.schemaID]
        let topic = BagTopic(channel, schema)
        let declaration = TopicDeclaration(topic: topic, owesDefinition: true, file: reporter.file)
        return registry.declare(declaration, reporter.context)
    }

    private mutating func finish() {
        // Topics without messages are declared too: in the data section, or in the summary alone.
        let channels = directory.summaryChannels.merging(directory.channels) { _, inData in inData }
        for channel in channels.values.sorted(by: { $0.id < $1.id }) where topics[channel.id] == nil {
            topics[channel.id] = declare(channel)
        }
        if let header {
            if header.library.isEmpty { reporter.at().add(.warning, .mcapHeader, "a library in the Header", "none") }
            if header.profile == "ros2" {
                directory.checkProfile()
            } else {
                // A file of another world than ROS 2 says so rightly.
                let isOther = !topics.isEmpty && topics.values.allSatisfy { $0.serializationFormat != "cdr" }
                let found = "\"\(header.profile)\""
                reporter.at().add(isOther ? .note : .warning, .mcapProfile, "the profile ros2", found)
            }
        }
        finishSummary()
        tally.checkIndexes(reporter)
    }

    private func finishSummary() {
        guard dataEnd != nil, let footer else {
            let missing = dataEnd == nil ? "no DataEnd" : "no Footer"
            reporter.at().add(.error, .mcapCut, "DataEnd, a summary and a Footer at the end", missing)
            return
        }
        summary.check(footer.record, at: footer.place)
        summary.check(chunks, directory)
        // All of this is optional in the format; what rosbag2 does with files without it is worth knowing.
        let isROS = header?.profile == "ros2"
        if let (place, statistics) = summary.statistics {
            tally.check(statistics, at: place, directory, chunkCount: chunks.facts.count, reporter)
        } else if tally.messageCount > 0 {
            reporter.at(footer.place)
                .add(foreign: isROS ? .warning : .note, .mcapNoIndex, "Statistics, which rosbag2 needs", "none")
        }
        if !summary.hasChunkIndexes, tally.messageCount > 0 {
            let found = chunks.facts.isEmpty ? "no chunks" : "none"
            reporter.at(footer.place).add(foreign: .note, .mcapNoIndex, "ChunkIndex records", found)
        } else if !summary.hasOffsets, tally.messageCount > 0 {
            reporter.at(footer.place).add(foreign: .note, .mcapNoOffsets, "SummaryOffset records", "none")
        }
        if summary.hasChunkIndexes, tally.outsideCount > 0 {
            let found = "\(tally.outsideCount) outside"
            reporter.at(tally.firstOutside)
                .add(.error, .mcapOutsideChunk, "all messages of an indexed file in chunks", found)
        }
    }
}
