/// The content of a file as its opening finds it.
extension MCAPFile {
    /// Counts the messages of a block, and adds its schemas and channels.
    mutating func explore(_ block: MCAPMessageBlock, of source: any MCAPSource) throws {
        let content = try block.content(of: source, checksum: false, problems: &problems)
        var scanner = content.scanner()
        var counts = MCAPBlockCounts()
        while let record = try scanner.nextWhole(block.expectation, &problems) {
            if record.opcode == MCAPOpcode.message.rawValue, let message = try scanner.message(record) {
                counts.note(message)
                if channelsByID[message.channelID] == nil, unknownPlaces[message.channelID] == nil {
                    unknownPlaces[message.channelID] = message.place
                }
            } else if block.isContent(record) {
                problems.add(try take(record, of: block, &scanner))
                problems.add(scanner.lengthProblem)
            }
        }
        let found = counts.countByChannel.mapValues { Int(clamping: $0) }
        for shortfall in try block.shortfalls(found, in: source) { problems.add(shortfall.problem) }
        var explored = block
        explored.channels = Set(counts.countByChannel.keys)
        (explored.startTime, explored.endTime) = (counts.startTime, counts.endTime)
        for (channel, count) in counts.countByChannel { scanned.countByChannel[channel, default: 0] += count }
        // A chunk without messages is counted, but never opened.
        blocks.append(explored)
    }

    /// Adds the schemas and channels of a block without looking at its messages.
    mutating func learn(_ block: MCAPMessageBlock, of source: any MCAPSource) throws {
        // Problems of the block are reported when its messages are read.
        var ignored = MCAPProblems()
        var scanner = try block.content(of: source, checksum: false, problems: &ignored).scanner()
        while let record = try scanner.nextWhole(block.expectation, &ignored) {
            guard record.opcode != MCAPOpcode.message.rawValue, block.isContent(record) else { continue }
            _ = try take(record, of: block, &scanner)
        }
    }

    /// Adds a schema or a channel; returns the problem of a record that cannot be read.
    private mutating func take(
        _ record: MCAPRawRecord,
        of block: MCAPMessageBlock,
        _ scanner: inout MCAPRecordScanner
    ) throws -> MCAPProblem? {
        switch try scanner.read(record, block.expectation) {
        case .success(.schema(let schema)): take(schema, scanner.place(record.offset))
        case .success(.channel(let channel)): take(channel, scanner.place(record.offset))
        case .success: break
        case .failure(let problem): return problem
        }
        return nil
    }

    private mutating func take(_ schema: MCAPSchema, _ place: MCAPPlace) {
        let known = schemas.updateValue(schemas[schema.id] ?? schema, forKey: schema.id)
        if schema.id == 0 {
            schemas[0] = nil
            problems.add(MCAPProblem("Schema.id", at: place, expected: "1 or more", found: "0"))
        } else if let known, known != schema {
            let expected = "the same Schema for the same id"
            problems.add(MCAPProblem("Schema.id", at: place, expected: expected, found: "another one for \(schema.id)"))
        }
    }

    private mutating func take(_ channel: MCAPChannel, _ place: MCAPPlace) {
        let known = channelsByID.updateValue(channelsByID[channel.id] ?? channel, forKey: channel.id)
        if known == nil { channelPlaces[channel.id] = place }
        if let known, known != channel {
            let expected = "the same Channel for the same id"
            let found = "another one for \(channel.id)"
            problems.add(MCAPProblem("Channel.id", at: place, expected: expected, found: found))
        }
    }

    /// Notes channels without a schema and messages without a channel.
    mutating func checkReferences() {
        for channel in channels
        where channel.schemaID != 0 && schemas[channel.schemaID] == nil {
            let found = "\(channel.schemaID) of channel \(channel.id)"
            let place = channelPlaces[channel.id] ?? MCAPPlace(offset: 0)
            problems.add(MCAPProblem("Channel.schema_id", at: place, expected: "a Schema of the file", found: found))
        }
        for id in scanned.countByChannel.keys.sorted() where channelsByID[id] == nil {
            let count = scanned.countByChannel.removeValue(forKey: id) ?? 0
            let found = "\(id), in \(count) messages"
            let place = unknownPlaces[id] ?? MCAPPlace(offset: 0)
            problems.add(MCAPProblem("Message.channel_id", at: place, expected: "a Channel of the file", found: found))
        }
    }
}
