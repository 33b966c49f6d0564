import Bags

/// The Schema and Channel records of a file: numbered once, there before they are used, repeated in the summary.
struct MCAPDirectoryCheck {
    private let reporter: MCAPReporter
    /// The schemas by number, from the data section.
    private(set) var schemas: [UInt16: MCAPSchema] = [:]
    private(set) var channels: [UInt16: MCAPChannel] = [:]
    private(set) var summarySchemas: [UInt16: MCAPSchema] = [:]
    private(set) var summaryChannels: [UInt16: MCAPChannel] = [:]

    init(_ reporter: MCAPReporter) {
        self.reporter = reporter
    }

    mutating func note(_ schema: MCAPSchema, at place: MCAPPlace, isSummary: Bool) {
        if schema.id == 0 { reporter.at(place).add(.error, .mcapSchema, "a Schema with an id of 1 or more", "0") }
        if [schemas[schema.id], summarySchemas[schema.id]].contains(where: { $0 != nil && $0 != schema }) {
            reporter.at(place).add(.error, .mcapSchema, "one Schema of id \(schema.id)", "another, \(schema.name)")
        }
        if isSummary, schemas[schema.id] == nil {
            let expected = "Schema \(schema.id) in the data section too"
            reporter.at(place).add(.warning, .mcapSchema, expected, "\(schema.name) in the summary alone")
        }
        if schema.encoding.isEmpty, !schema.data.isEmpty {
            reporter.at(place).add(.error, .mcapSchema, "no data without an encoding", "\(schema.data.count) bytes")
        }
        if isSummary { summarySchemas[schema.id] = schema } else { schemas[schema.id] = schema }
    }

    mutating func note(_ channel: MCAPChannel, at place: MCAPPlace, isSummary: Bool) {
        if [channels[channel.id], summaryChannels[channel.id]].contains(where: { $0 != nil && $0 != channel }) {
            reporter.at(place, topic: channel.topic)
                .add(.error, .mcapChannel, "one Channel of id \(channel.id)", "another, \(channel.topic)")
        }
        if isSummary, channels[channel.id] == nil {
            reporter.at(place, topic: channel.topic)
                .add(.warning, .mcapChannel, "Channel \(channel.id) in the data section too", "it in the summary alone")
        }
        if channel.schemaID != 0, schemas[channel.schemaID] == nil {
            // The summary may hold both where a topic had no messages, in either order.
            let severity: BagFinding.Severity = isSummary ? .warning : .error
            reporter.at(place, topic: channel.topic)
                .add(severity, .mcapChannel, "Schema \(channel.schemaID) before the Channel", "none")
        }
        let keys = channel.metadata.map(\.key)
        if Set(keys).count != keys.count {
            reporter.at(place, topic: channel.topic)
                .add(.error, .mcapRecord, "each key of the metadata once", "one twice")
        }
        if isSummary { summaryChannels[channel.id] = channel } else { channels[channel.id] = channel }
    }

    /// Checks the records that readers by index find in the summary; the format leaves them to the writer.
    func checkRepeated(_ channelIDs: [UInt16], chunkAt offset: Int) {
        let place = MCAPPlace(offset: offset)
        let severity = reporter.context.findings.severity(foreign: .note)
        for id in channelIDs {
            guard let channel = summaryChannels[id] else {
                let expected = "the channels of an indexed chunk in the summary"
                reporter.at(place).add(severity, .mcapUnrepeated, expected, "no Channel \(id)")
                continue
            }
            guard channel.schemaID != 0, summarySchemas[channel.schemaID] == nil else { continue }
            let expected = "the schemas of an indexed chunk in the summary"
            let found = "no Schema \(channel.schemaID)"
            reporter.at(place, topic: channel.topic).add(severity, .mcapUnrepeated, expected, found)
        }
    }

    /// Checks the rules of the profile ros2 in the registry of profiles.
    func checkProfile() {
        for channel in channels.values.sorted(by: { $0.id < $1.id }) {
            if channel.messageEncoding != "cdr" {
                let expected = "the message_encoding cdr of the profile ros2"
                reporter.at(topic: channel.topic).add(.error, .mcapEncoding, expected, "\"\(channel.messageEncoding)\"")
            }
            if channel.metadata["offered_qos_profiles"] == nil {
                reporter.at(topic: channel.topic)
                    .add(.warning, .mcapProfile, "offered_qos_profiles in the metadata of the Channel", "none")
            }
            guard let schema = schemas[channel.schemaID] else {
                reporter.at(topic: channel.topic).add(.error, .mcapProfile, "a Schema of the Channel", "none")
                continue
            }
            // What has no definition has a finding of its own.
            if !["ros2msg", "ros2idl", "unknown"].contains(schema.encoding) {
                let found = "\"\(schema.encoding)\""
                reporter.at(topic: channel.topic).add(.warning, .mcapProfile, "a schema of ros2msg or ros2idl", found)
            }
        }
        checkDuplicateTopics()
    }

    private func checkDuplicateTopics() {
        let byTopic = Dictionary(grouping: channels.values, by: \.topic)
        for topic in byTopic.keys.sorted() {
            guard let count = byTopic[topic]?.count, count > 1 else { continue }
            reporter.at(topic: topic).add(.warning, .mcapDuplicateChannel, "one Channel of the topic", "\(count)")
        }
    }
}
