package import Bags
package import Messages
package import SystemPackage

/// The result of a conversion, by topic, with everything that was not carried over.
package struct ConversionReport: Sendable {
    package struct Topic: Sendable {
        package var name: String
        package var typeName: String
        package var treatment: String
        package var read = 0
        package var written = 0
        package var bytes = 0
        /// Messages that could not be converted.
        package var broken = 0
        /// Messages that were copied though they do not read as the type.
        package var unfit = 0
        /// What is wrong with the first of them.
        var misfit = ""
    }

    /// A message that could not be converted.
    package struct BrokenMessage: Sendable, CustomStringConvertible {
        package var input: FilePath
        package var topic: String
        package var timeNanoseconds: Int64
        package var reason: String

        package var description: String { "\(input): \(topic) at \(timeNanoseconds) ns: \(reason)" }
    }

    /// Attachments and metadata records.
    package struct Extras: Sendable, Hashable {
        /// Their names, in the order of the inputs.
        package var attachments: [String] = []
        package var metadataRecords: [String] = []
        package var isEmpty: Bool { attachments.isEmpty && metadataRecords.isEmpty }
    }

    /// Sorted by name.
    package var topics: [Topic] = []
    /// The first twenty; `topics` has the counts.
    package var broken: [BrokenMessage] = []
    /// Keys of JSON messages that their types do not have, sorted by topic and path.
    package var unknownKeys: [UnknownKey] = []
    /// Topics that were left out because of their type, with the reason.
    package var skipped: [SkippedTopic] = []
    /// Messages in the inputs: what their tables, statistics and metadata.yaml say, the largest of it.
    package var inputCount = 0
    /// Messages that the chosen topics and times leave out.
    package var filteredCount = 0
    /// Copies that were left out because that was asked for.
    package var repeatedCount = 0
    /// Messages of the inputs that could not be read.
    package var missingCount = 0
    /// Why, and what else is damaged in the inputs; empty where they hold what they say.
    package var damage: [String] = []
    /// The attachments and metadata records of .mcap files that went along.
    package var keptExtras = Extras()
    /// The attachments and metadata records of .mcap files that the output has no place for, or that could not be read.
    package var droppedExtras = Extras()
    /// Latched messages from before the start that were carried to it.
    package var carriedLatched = 0
    package var times: TimeSpan?
    package var warnings: [String] = []
    package var wasInterrupted = false

    package var readCount: Int { topics.reduce(0) { $0 + $1.read } }
    package var writtenCount: Int { topics.reduce(0) { $0 + $1.written } }
    package var brokenCount: Int { topics.reduce(0) { $0 + $1.broken } }
    /// Messages of topics that were left out because of their type.
    package var skippedCount: Int { skipped.reduce(0) { $0 + $1.messageCount } }
    package var lostAnything: Bool {
        isIncomplete || skippedCount > 0 || !unknownKeys.isEmpty || !droppedExtras.isEmpty
    }

    /// True if a part of an input is missing that no filter left out.
    package var isIncomplete: Bool { missingCount > 0 || brokenCount > 0 || !damage.isEmpty }

    /// The missing parts, each with its number; empty where nothing is missing.
    package var shortfalls: [String] {
        var texts: [String] = []
        if missingCount > 0 { texts.append("\(missingCount) of \(inputCount) messages cannot be read") }
        if brokenCount > 0 {
            texts.append("\(brokenCount) of \(inputCount) messages are not what their topic says")
        }
        return texts + damage
    }

    static let listedBroken = 20
}
