/// The findings of the check of a bag, and what it looked at.
package struct BagCheckReport: Sendable, Hashable {
    package struct File: Sendable, Hashable {
        /// The name in the bag's directory.
        package var name: String
        package var bytes: Int
        /// Messages that could be read.
        package var messageCount: Int
        package var firstNanoseconds: Int64?
        package var lastNanoseconds: Int64?
        /// The times of the first and the last row in the order of the file.
        package var firstWritten: Int64?
        package var lastWritten: Int64?
    }

    package struct Topic: Sendable, Hashable {
        package var name: String
        package var typeName: String
        package var serializationFormat: String
        package var messageCount: Int
        /// Messages whose fields were read and held to their type.
        package var decodedCount: Int
        /// Sum of the messages' bytes.
        package var bytes: Int
    }

    /// The worst first, then by kind and topic.
    package var findings: [BagFinding]
    /// Findings of further kinds and topics that were left out, because there are too many.
    package var omittedFindings: Int
    /// In playing order.
    package var files: [File]
    /// The topics, sorted by name.
    package var topics: [Topic]
    /// True if the bag says that this program wrote it, so that it was held to more.
    package var isOurs: Bool

    package var messageCount: Int { files.reduce(0) { $0 + $1.messageCount } }
    package var decodedCount: Int { topics.reduce(0) { $0 + $1.decodedCount } }
    /// The size of the storage files.
    package var bytes: Int { files.reduce(0) { $0 + $1.bytes } }

    /// How many findings of a severity there are; groups, not occurrences.
    package func count(of severity: BagFinding.Severity) -> Int {
        findings.count { $0.severity == severity }
    }

    /// True if nothing is damaged: no error.
    package var isSound: Bool { count(of: .error) == 0 }
}
