import ArgumentParser

/// What is done about message types that a bag names wrongly or does not define.
struct UnknownTypeOptions: ParsableArguments {
    @Option(name: .customLong("type"), help: "Correct the type of a topic: TOPIC=TYPE. May be given several times.")
    var types: [String] = []

    @Flag(help: "Leave out topics of unknown types knowingly. Default: they are left out too, and the status is 1.")
    var skipUnknown = false

    @OptionGroup
    var messagePath: MessagePathOptions

    /// Types by topic.
    func typesByTopic() throws -> [String: String] {
        var result: [String: String] = [:]
        for text in types {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, parts[1].contains("/") else {
                throw UsageError("--type", expected: "TOPIC=TYPE, such as /scan=sensor_msgs/msg/LaserScan", found: text)
            }
            result[parts[0].hasPrefix("/") ? parts[0] : "/" + parts[0]] = parts[1]
        }
        return result
    }
}

/// A topic whose messages cannot be decoded, where nothing else is left: it ends the work before anything is written.
struct UnknownTopicError: Error, CustomStringConvertible {
    var topic: String
    var reason: String

    var description: String { "topic \(topic): \(reason)" }

    let advice = "--msg-path DIR names a folder with its .msg files, --type TOPIC=TYPE another type."
}
