package import Bags
import Glibc
package import Messages
package import SystemPackage

/// The plan of a conversion for each topic; nothing is written yet.
package struct ConversionPlan: Sendable {
    /// A topic of one input, and what becomes of it.
    package struct Route: Sendable {
        package var input: Int
        package var source: BagTopic
        /// As it will stand in the output.
        package var output: BagTopic
        var treatment: TopicConversion
        package var treatmentText: String { treatment.text }
        package var isSkipped: Bool { treatment.isSkip }
        /// True if late subscribers get its last message: it is carried to the start of a cut, and repeated in chunks.
        var isLatched: Bool { source.isLatched || output.name == "/tf_static" }
    }

    package let readers: [BagReader]
    /// The routes by input, then by the topic numbers of its rows; nil for topics that were not selected.
    let routes: [[Route?]]
    package let options: ConversionOptions
    /// The topics that were asked for by name and are not in the inputs, a line each.
    package let unmatched: [String]

    /// Opens the inputs and decides what to do with each topic.
    ///
    /// - Throws: `BagError` for inputs that cannot be read or do not hold what they say, for two types of one topic unless
    ///   such are to be left out, and where no topic with messages can be taken.
    package init(inputs: [FilePath], options: ConversionOptions) throws(BagError) {
        var readers: [BagReader] = []
        for input in inputs {
            let reader = try BagReader(
                opening: input,
                tolerating: options.acceptsDamage ? .everything : [],
                unpacking: options.unpackLimit
            )
            try reader.refuseIfNothingOpens()
            try reader.refuseDifferences()
            readers.append(reader)
        }
        try ConversionPlan.refuseIfNothingIsReadable(readers)
        self.readers = readers
        var outputs: [String: BagTopic] = [:]
        var routes: [[Route?]] = []
        for (input, reader) in readers.enumerated() {
            var ofInput: [Route?] = []
            for index in reader.topics.indices {
                ofInput.append(try ConversionPlan.route(index, of: input, reader, options, &outputs))
            }
            routes.append(ofInput)
        }
        ConversionPlan.withdrawDefinitions(&routes, options.bag.storage)
        self.routes = routes
        try ConversionPlan.refuseIfNothingIsLeft(routes.joined().compactMap { $0 })
        var own = options
        own.bag.customData = ConversionPlan.provenance(of: readers, under: options.bag.customData)
        own.bag.profile = ConversionPlan.profile(of: readers, routes.joined().compactMap { $0 })
        self.options = own
        unmatched = ConversionPlan.unmatched(readers.flatMap(\.topics), options)
    }

    /// Takes back definitions of editions that would not fit all that they stand for: a topic, of a .db3 file a type.
    private static func withdrawDefinitions(_ routes: inout [[Route?]], _ storage: BagOptions.Storage) {
        let key = storage == .sqlite3 ? \BagTopic.typeName : \BagTopic.name
        let outputs = Dictionary(grouping: routes.joined().compactMap { $0 }.filter { !$0.isSkipped }.map(\.output)) {
            $0[keyPath: key]
        }
        let mixed = outputs.filter { _, topics in
            topics.contains { $0.edition != nil } && Set(topics.map(\.definitionText)).count > 1
        }
        for input in routes.indices {
            for index in routes[input].indices {
                guard let output = routes[input][index]?.output, mixed[output[keyPath: key]] != nil else { continue }
                routes[input][index]?.output.withdrawDefinition()
            }
        }
    }

    /// Refuses to write a bag without messages of inputs that have some.
    private static func refuseIfNothingIsLeft(_ routes: [Route]) throws(BagError) {
        guard routes.allSatisfy(\.isSkipped), let first = routes.first(where: { $0.treatment.skippedCount > 0 }) else {
            return
        }
        let rest = routes.count - 1
        let text = first.treatment.reason + (rest > 0 ? "; nor is anything left of \(rest) other topics" : "")
        // No definition helps where the bytes are of another form.
        if first.source.isOfForeignForm { throw .message(topic: first.source.name, reason: text) }
        throw .unknownTopic(first.source.name, reason: text)
    }

    /// The profile of an .mcap file: ROS 2's, unless it has what ROS 2 does not read.
    private static func profile(of readers: [BagReader], _ routes: [Route]) -> String {
        guard routes.contains(where: { !$0.isSkipped && $0.source.isOfForeignForm }) else { return "ros2" }
        let profiles = Set(readers.flatMap(\.storageFiles).map { $0.container?.profile ?? "" })
        return profiles.count == 1 ? profiles.first ?? "" : ""
    }

    /// Refuses damaged inputs without a message that can be read: no bag is made of them.
    private static func refuseIfNothingIsReadable(_ readers: [BagReader]) throws(BagError) {
        guard readers.allSatisfy({ $0.readableCount == 0 }) else { return }
        for reader in readers {
            let reasons = reader.differences + reader.problems.map(\.description)
            if !reasons.isEmpty {
                throw .incomplete(reader.path, differences: ["no message that can be read"] + reasons)
            }
        }
    }

    private static func unmatched(_ topics: [BagTopic], _ options: ConversionOptions) -> [String] {
        let stored = Set(topics.map(\.name))
        return options.selection.unmatched(
            in: topics.map { LegacyNames.topic($0.name) },
            of: "the input",
            remaps: options.remaps,
            types: options.types.keys.filter { !stored.contains($0) }.sorted()
        )
    }

    /// Every selected topic, sorted by output name, then by input.
    package var selectedRoutes: [Route] {
        routes.flatMap { $0.compactMap { $0 } }
            .sorted { ($0.output.name, $0.input, $0.source.name) < ($1.output.name, $1.input, $1.source.name) }
    }

    /// The topics of the output, sorted by name.
    var outputTopics: [BagTopic] {
        var topics: [String: BagTopic] = [:]
        for route in routes.joined() {
            guard let route, !route.treatment.isSkip else { continue }
            if topics[route.output.name] == nil { topics[route.output.name] = route.output }
        }
        return topics.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// The statements of the inputs on where they come from, as far as they agree, under those of the conversion.
    private static func provenance(of readers: [BagReader], under own: [String: String]) -> [String: String] {
        var result: [String: String] = [:]
        for key in Set(readers.flatMap { $0.metadata.customData.keys }) {
            let values = Set(readers.map { $0.metadata.customData[key] })
            // The app's remarks on its JSON are not true of another bag.
            guard values.count == 1, let value = values.first ?? nil, !key.hasPrefix("mapeverything.serialization_")
            else { continue }
            result[key] = value
        }
        return result.merging(own) { $1 }
    }

    /// How many messages will be read; nil where a part of the time was asked for.
    var messageCount: Int? {
        guard !options.hasSpan else { return nil }
        return zip(readers, routes).reduce(0) { sum, input in
            let wanted = input.1.indices.filter { input.1[$0]?.isSkipped == false }
            return sum + wanted.reduce(0) { $0 + input.0.heldCount(ofTopic: $1) }
        }
    }

    /// True if every message of every input was asked for.
    var isUnfiltered: Bool {
        !options.hasSpan && routes.joined().allSatisfy { $0 != nil }
    }

    private static func route(
        _ index: Int,
        of input: Int,
        _ reader: BagReader,
        _ options: ConversionOptions,
        _ outputs: inout [String: BagTopic]
    ) throws(BagError) -> Route? {
        let topic = reader.topics[index]
        let name = LegacyNames.topic(topic.name)
        guard options.selection.contains(name) else { return nil }
        var output = topic
        output.name = options.remaps.last { $0.from == name }?.to ?? name
        output.typeName = LegacyNames.type(options.types[name] ?? options.types[topic.name] ?? topic.typeName)
        output.serializationFormat = options.bag.serialization.rawValue
        var treatment = TopicConversion.copy(nil, isStated: false)
        do {
            let storage = reader.storageFiles.first?.storageIdentifier ?? ""
            let choice = TreatmentChoice(topic: topic, storage: storage, output: output, options: options)
            treatment = try choice.treatment(&output)
        } catch {
            treatment = .skip(reason: "\(error)", messageCount: reader.heldCount(ofTopic: index))
        }
        if !treatment.isSkip {
            if let other = outputs[output.name], other.typeName != output.typeName {
                let reason = "expected one type, found \(other.typeName) and \(output.typeName)"
                guard options.skipsUnknown else { throw .unknownTopic(output.name, reason: reason) }
                treatment = .skip(reason: reason, messageCount: reader.heldCount(ofTopic: index))
            } else {
                outputs[output.name] = outputs[output.name] ?? output
            }
        }
        return Route(input: input, source: topic, output: output, treatment: treatment)
    }
}

/// Chooses what becomes of one topic: copied or converted.
private struct TreatmentChoice {
    let topic: BagTopic
    let storage: String
    let output: BagTopic
    let options: ConversionOptions

    func treatment(_ output: inout BagTopic) throws -> TopicConversion {
        let bag = options.bag
        guard let source = BagOptions.Serialization(rawValue: topic.serializationFormat) else {
            // What is not read stays as it is, in files of the same kind.
            guard storage == bag.storage.rawValue, bag.serialization == .cdr else {
                throw UnknownForm(format: topic.serializationFormat, storage: storage)
            }
            (output.typeName, output.serializationFormat) = (topic.typeName, topic.serializationFormat)
            return .copy(nil, isStated: false)
        }
        let keepsBytes = source == bag.serialization && (source == .cdr || output.name == topic.name)
        do {
            var claim = TypeClaim(topic, as: output.typeName)
            // What JSON becomes is for the distribution that will read it.
            if source == .rosbridgeJSON { claim.isOfHumble = bag.distribution == .humble }
            let known = try options.resolver.resolve(claim)
            output.definitionText = known.definitionText
            output.definitionEncoding = "ros2msg"
            output.typeHash = known.typeHash
            return keepsBytes ? .copy(known, isStated: topic.hasDefinition) : .convert(known)
        } catch {
            // What is only copied needs no definition, except where the form is made of them.
            guard keepsBytes, bag.storage == .sqlite3 || !topic.definitionEncoding.isEmpty else { throw error }
            return .copy(nil, isStated: false)
        }
    }
}

/// Messages in a form that is not read, whatever their type is.
private struct UnknownForm: Error, CustomStringConvertible {
    var format: String
    var storage: String

    var description: String {
        "expected the serialization cdr or rosbridge_json, found \"\(format)\", "
            + "which --storage \(storage) copies as it is"
    }
}

/// The options of a conversion: what it takes from its inputs and how the result is written.
package struct ConversionOptions: Sendable {
    /// The selection by the names of the inputs, after legacy names were brought up to date and before `remaps`.
    package var selection = TopicSelection()
    package var remaps: [TopicRemap] = []
    /// The span that is wanted.
    package var start: ConversionTime?
    package var end: ConversionTime?
    /// The length of it; nil for no limit but its end.
    package var durationSeconds: Double?
    var hasSpan: Bool { start != nil || end != nil || durationSeconds != nil }
    /// Types of topics that the inputs name wrongly, by topic.
    package var types: [String: String] = [:]
    /// Leaves out topics of a second type of the same name, instead of refusing the conversion.
    package var skipsUnknown = false
    /// Leaves out copies: messages of one topic and time with the same bytes.
    package var dropsDuplicates = false
    package var resolver = TypeResolver()
    /// Takes of a damaged bag what can be read, and counts what is missing, instead of refusing it.
    package var acceptsDamage = false
    /// How large compressed files may become.
    package var unpackLimit = UnpackLimit()
    package var bag: BagOptions

    package init(bag: BagOptions = BagOptions()) {
        self.bag = bag
    }
}
