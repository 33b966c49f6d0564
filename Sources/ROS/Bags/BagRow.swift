/// A message as a bag stores it: topic, time and bytes.
package struct BagRow: Sendable, Hashable {
    /// The index into the topics of the reader or writer.
    package var topic: Int
    package var timeNanoseconds: Int64
    package var bytes: [UInt8]

    package init(topic: Int, timeNanoseconds: Int64, bytes: [UInt8]) {
        self.topic = topic
        self.timeNanoseconds = timeNanoseconds
        self.bytes = bytes
    }
}
