import Bags

/// Hands stored messages to the checks, those that are compressed one by one after unpacking them.
struct StoredMessages {
    /// True if each message is a Zstandard frame; nil where nothing says so, and its first bytes tell.
    let areCompressed: Bool?
    let context: CheckContext
    let pipeline: MessagePipeline

    /// The first bytes of a Zstandard frame, which neither CDR nor JSON begins with.
    private static let zstandardMagic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

    func examine(_ topic: CheckedTopic, _ spot: Spot, _ time: Int64, _ bytes: UnsafeRawBufferPointer) {
        guard areCompressed ?? bytes.starts(with: Self.zstandardMagic) else {
            return pipeline.examine(topic, at: spot, timeNanoseconds: time, bytes: bytes)
        }
        // A message that unpacks to more than 4096 times its size is refused above 64 MiB; an image of one colour shrinks to
        // a thousandth.
        let plausible = bytes.count.multipliedReportingOverflow(by: 4096)
        let limit = min(1_000_000_000, max(64 << 20, plausible.overflow ? .max : plausible.partialValue))
        do throws(CompressionError) {
            let message = try Zstandard.decompress(bytes, limit: limit)
            message.withUnsafeBytes { pipeline.examine(topic, at: spot, timeNanoseconds: time, bytes: $0) }
        } catch {
            pipeline.count(topic, time, bytes.count)
            context.at(spot, topic: topic.name).add(.error, .compressionMessage, "a zstd frame", error.description)
        }
    }
}
