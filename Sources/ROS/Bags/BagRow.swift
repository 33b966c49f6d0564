/// A message as it stands in a bag: which topic, when, and its bytes.
package struct BagRow: Sendable, Hashable {
    /// Index into the topics of the reader or writer.
    package var topic: Int
    package var timeNanoseconds: Int64
    package var bytes: [UInt8]

    package init(topic: Int, timeNanoseconds: Int64, bytes: [UInt8]) {
        self.topic = topic
        self.timeNanoseconds = timeNanoseconds
        self.bytes = bytes
    }
}
