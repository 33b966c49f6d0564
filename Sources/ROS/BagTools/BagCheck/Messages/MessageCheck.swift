import Messages

/// A message on its way through the checks; the bytes are valid only during the call.
struct ExaminedMessage {
    let topic: CheckedTopic
    /// The number of the file in playing order.
    let file: Int
    let spot: Spot
    /// The row's time, or the log time.
    let timeNanoseconds: Int64
    let bytes: UnsafeRawBufferPointer
    /// nil where the message could not be read, or nothing describes its type.
    let content: (any AnyMessage)?
    /// The time that the message itself gives, where its type has one.
    let stampNanoseconds: Int64?
}

/// One question that is asked of every message, in the order of the files and rows.
///
/// A check keeps a bounded state of each topic, and tells what it finds as it goes or at the end.
protocol MessageCheck: AnyObject {
    func examine(_ message: ExaminedMessage, _ context: CheckContext)
    /// After the last message of a file.
    func finishFile(_ file: Int, _ name: String, _ context: CheckContext)
    /// After the last message.
    func finish(_ context: CheckContext)
}

extension MessageCheck {
    func finishFile(_ file: Int, _ name: String, _ context: CheckContext) {}
    func finish(_ context: CheckContext) {}
}
