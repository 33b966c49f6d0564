package import Bags
package import SystemPackage

/// What a conversion did, by topic, with everything that was not carried over.
package struct ConversionReport: Sendable {
    package struct Topic: Sendable {
        package var name: String
        package var typeName: String
        /// What became of its messages.
        package var treatment: String
        package var read = 0
        package var written = 0
        package var bytes = 0
        /// Messages that could not be converted.
        package var broken = 0
    }

    /// A message that could not be converted.
    package struct BrokenMessage: Sendable, CustomStringConvertible {
        package var input: FilePath
        package var topic: String
        package var timeNanoseconds: Int64
        package var reason: String

        package var description: String { "\(input): \(topic) at \(timeNanoseconds) ns: \(reason)" }
    }

    package struct UnknownKey: Sendable, Hashable {
        package var topic: String
        package var path: String
        package var count: Int
    }

    /// A topic that was left out because of its type.
    package struct SkippedTopic: Sendable {
        package var name: String
        package var typeName: String
        package var reason: String
        package var hasMessages: Bool
    }

    /// Sorted by name.
    package var topics: [Topic] = []
    /// The first twenty; `topics` has the counts.
    package var broken: [BrokenMessage] = []
    /// Keys of JSON messages that their types do not have, sorted by topic and path.
    package var unknownKeys: [UnknownKey] = []
    /// Topics that were left out because of their type, with the reason.
    package var skipped: [SkippedTopic] = []
    /// Latched messages from before the start that were carried to it.
    package var carriedLatched = 0
    package var times: TimeSpan?
    package var warnings: [String] = []
    package var wasInterrupted = false
    /// Whether an input is cut or damaged, so that messages may have been lost before; `warnings` say where.
    package var hasDamagedInputs = false

    package var readCount: Int { topics.reduce(0) { $0 + $1.read } }
    package var writtenCount: Int { topics.reduce(0) { $0 + $1.written } }
    package var brokenCount: Int { topics.reduce(0) { $0 + $1.broken } }
    package var lostAnything: Bool {
        hasDamagedInputs || brokenCount > 0 || skipped.contains(where: \.hasMessages) || !unknownKeys.isEmpty
    }

    static let listedBroken = 20
}
