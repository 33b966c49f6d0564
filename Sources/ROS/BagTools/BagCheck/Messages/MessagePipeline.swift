import Messages
import Platform

/// Counts and reads each message once, and shows it to all checks.
final class MessagePipeline {
    private let context: CheckContext
    private let registry: CheckedTopics
    private let checks: [any MessageCheck]
    private var decoder = MessageDecoder()
    private(set) var files: [BagCheckReport.File] = []
    private var examinedCount = 0
    private var expectedCount: Int?

    init(context: CheckContext, registry: CheckedTopics) {
        self.context = context
        self.registry = registry
        checks = [
            RowOrderCheck(), StampCheck(), GapCheck(), LatchedCheck(), ContentCheck(), PairingCheck(),
            TransformTreeCheck(), ChunkOverlapCheck(),
            FarTimesCheck(),
        ]
    }

    /// Takes how many messages there are in all, as far as the bag says so.
    func expect(messages count: Int?) {
        expectedCount = count
        tell()
    }

    private func tell() {
        context.options.progress(WorkProgress("checking", examinedCount, of: expectedCount, .messages))
    }

    func beginFile(_ name: String, bytes: Int) {
        files.append(BagCheckReport.File(name: name, bytes: bytes, messageCount: 0))
    }

    /// Takes a message of the file that was begun last.
    ///
    /// - Parameter bytes: as serialised, decompressed; valid during the call.
    func examine(_ topic: CheckedTopic, at spot: Spot, timeNanoseconds: Int64, bytes: UnsafeRawBufferPointer) {
        count(topic, timeNanoseconds, bytes.count)
        examinedCount += 1
        if examinedCount % 256 == 0 { tell() }
        let content = decoder.decode(bytes, of: topic, at: spot, context)
        if content != nil { topic.decodedCount += 1 }
        var stamp: Int64?
        if case .none = topic.stampRole {} else { stamp = content?.headerStampNanoseconds }
        let message = ExaminedMessage(
            topic: topic,
            file: files.count - 1,
            spot: spot,
            timeNanoseconds: timeNanoseconds,
            bytes: bytes,
            content: content,
            stampNanoseconds: stamp
        )
        for check in checks { check.examine(message, context) }
    }

    func finishFile() {
        guard let file = files.last else { return }
        for check in checks { check.finishFile(files.count - 1, file.name, context) }
    }

    func finish() {
        tell()
        for check in checks { check.finish(context) }
        if !context.lacksFile, files.allSatisfy({ $0.messageCount == 0 }) {
            context.at().add(.warning, .bagEmpty, "messages", "none")
        }
    }

    /// Counts a message without showing it to the checks, because its bytes cannot be had.
    func count(_ topic: CheckedTopic, _ timeNanoseconds: Int64, _ byteCount: Int) {
        topic.messageCount += 1
        topic.bytes += byteCount
        guard var file = files.popLast() else { return }
        file.messageCount += 1
        file.firstNanoseconds = min(file.firstNanoseconds ?? timeNanoseconds, timeNanoseconds)
        file.lastNanoseconds = max(file.lastNanoseconds ?? timeNanoseconds, timeNanoseconds)
        file.firstWritten = file.firstWritten ?? timeNanoseconds
        file.lastWritten = timeNanoseconds
        files.append(file)
    }

    /// Counts a message that has no time.
    func countUntimed(_ topic: CheckedTopic, _ byteCount: Int) {
        topic.messageCount += 1
        topic.bytes += byteCount
        if !files.isEmpty { files[files.count - 1].messageCount += 1 }
    }
}
