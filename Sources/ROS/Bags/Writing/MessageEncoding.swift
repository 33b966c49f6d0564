package import Messages

extension BagOptions.Serialization {
    /// Replaces the content of `bytes` by a message in this serialization.
    func encode(_ message: any AnyMessage, topic: String, into bytes: inout [UInt8]) throws(BagError) {
        bytes.removeAll(keepingCapacity: true)
        do {
            try append(message, topic: topic, to: &bytes)
        } catch {
            throw .message(topic: topic, reason: "\(error)")
        }
    }

    /// Appends a message in this serialization; appends nothing if it throws.
    package func append(
        _ message: any AnyMessage,
        topic: String,
        to bytes: inout [UInt8]
    ) throws(JSONEncodingError) {
        switch self {
        case .cdr: message.appendCDR(to: &bytes)
        case .rosbridgeJSON: try RosbridgeEnvelope.appendPublish(topic: topic, message: message, to: &bytes)
        }
    }
}
