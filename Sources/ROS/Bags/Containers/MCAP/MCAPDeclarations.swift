/// The schemas and channels of a writer, and which of them are in the file.
struct MCAPDeclarations {
    /// An encoded record with its number.
    struct Encoded {
        var id: UInt16
        var isChannel: Bool
        var record: [UInt8]
    }

    private var schemas: [MCAPSchema] = []
    private var channels: [MCAPChannel] = []
    private var isSchemaDeclared: [Bool] = []
    private var isChannelDeclared: [Bool] = []
    /// The records that were declared since ``takeFresh()``.
    private var fresh: [Encoded] = []
    /// The size of the records that are not declared yet.
    private(set) var undeclaredBytes = 0

    var freshBytes: Int { fresh.reduce(0) { $0 + $1.record.count } }
    var freshChannelCount: Int { fresh.count { $0.isChannel } }

    mutating func addSchema(name: String, encoding: String, data: [UInt8]) throws(MCAPProblem) -> UInt16 {
        let known = schemas.first { $0.name == name && $0.encoding == encoding && $0.data == data }
        if let known { return known.id }
        let id = try Self.nextID("Schema", schemas.count)
        schemas.append(MCAPSchema(id: id, name: name, encoding: encoding, data: data))
        isSchemaDeclared.append(false)
        undeclaredBytes += schemas[schemas.count - 1].encoded().count
        return id
    }

    mutating func addChannel(
        topic: String,
        schema: UInt16,
        messageEncoding: String,
        metadata: [MCAPAttribute]
    ) throws(MCAPProblem) -> UInt16 {
        guard Int(schema) <= schemas.count else {
            throw Self.problem("Channel.schema_id", "at most \(schemas.count)", "\(schema)")
        }
        let channel = MCAPChannel(
            id: try Self.nextID("Channel", channels.count),
            schemaID: schema,
            topic: topic,
            messageEncoding: messageEncoding,
            metadata: metadata
        )
        channels.append(channel)
        isChannelDeclared.append(false)
        undeclaredBytes += channel.encoded().count
        return channel.id
    }

    /// True if messages of the channel may follow.
    func isDeclared(_ channel: UInt16) throws(MCAPProblem) -> Bool {
        guard channel > 0, Int(channel) <= channels.count else {
            throw Self.problem("Message.channel_id", "1 to \(channels.count)", "\(channel)")
        }
        return isChannelDeclared[Int(channel) - 1]
    }

    /// Encodes a known channel that is not in the file yet, after its schema if that is not either.
    mutating func declare(_ id: UInt16) -> [[UInt8]] {
        let channel = channels[Int(id) - 1]
        var records: [Encoded] = []
        if channel.schemaID > 0, !isSchemaDeclared[Int(channel.schemaID) - 1] {
            isSchemaDeclared[Int(channel.schemaID) - 1] = true
            let record = schemas[Int(channel.schemaID) - 1].encoded()
            records.append(Encoded(id: channel.schemaID, isChannel: false, record: record))
        }
        isChannelDeclared[Int(id) - 1] = true
        records.append(Encoded(id: id, isChannel: true, record: channel.encoded()))
        undeclaredBytes -= records.reduce(0) { $0 + $1.record.count }
        fresh += records
        return records.map(\.record)
    }

    /// Encodes all channels that are not in the file yet.
    mutating func declareRest() -> [[UInt8]] {
        channels.filter { !isChannelDeclared[Int($0.id) - 1] }.flatMap { declare($0.id) }
    }

    /// Returns the records declared since the last call, for the summary.
    mutating func takeFresh() -> [Encoded] {
        defer { fresh.removeAll() }
        return fresh
    }

    private static func nextID(_ record: String, _ count: Int) throws(MCAPProblem) -> UInt16 {
        guard let id = UInt16(exactly: count + 1) else {
            throw problem("\(record).id", "at most 65535 of them", "one more")
        }
        return id
    }

    private static func problem(_ what: String, _ expected: String, _ found: String) -> MCAPProblem {
        MCAPProblem(what, at: MCAPPlace(offset: 0), expected: expected, found: found)
    }
}
