import Messages

extension BagOptions.Serialization {
    /// Replaces the content of `bytes` by a message in this form.
    func encode(_ message: any AnyMessage, topic: String, into bytes: inout [UInt8]) throws(BagError) {
        bytes.removeAll(keepingCapacity: true)
        switch self {
        case .cdr: message.appendCDR(to: &bytes)
        case .rosbridgeJSON:
            do {
                try RosbridgeEnvelope.appendPublish(topic: topic, message: message, to: &bytes)
            } catch {
                throw .message(topic: topic, reason: "\(error)")
            }
        }
    }
}
