import ROS

extension BagOptions.Serialization {
    /// Replaces the content of `bytes` by a message in this form.
    func encode(_ message: any Message, topic: String, into bytes: inout [UInt8]) throws(BagError) {
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
        // SQLite's limit, and what rosbag2's reader accepts.
        guard bytes.count <= 1_000_000_000 else {
            throw .message(topic: topic, reason: "expected at most 1,000,000,000 bytes, found \(bytes.count)")
        }
    }
}
