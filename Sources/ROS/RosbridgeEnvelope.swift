import JSONText

/// The operations of rosbridge that carry messages, as JSON text.
package enum RosbridgeEnvelope {
    /// Appends `{"op":"publish","topic":...,"msg":{...}}`; nothing is appended when the message is refused.
    package static func appendPublish(
        topic: String,
        message: any MessagePayload,
        to bytes: inout [UInt8]
    ) throws(JSONEncodingError) {
        try appendPublish(topic: topic, to: &bytes) { (bytes) throws(JSONEncodingError) in
            try message.appendJSON(to: &bytes)
        }
    }

    /// Appends a publish operation whose message `body` appends; nothing is appended when it throws.
    package static func appendPublish<Failure: Error>(
        topic: String,
        to bytes: inout [UInt8],
        body: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        let start = bytes.count
        JSONAppend.ascii("{\"op\":\"publish\",\"topic\":", to: &bytes)
        JSONAppend.string(topic, to: &bytes)
        JSONAppend.ascii(",\"msg\":", to: &bytes)
        do throws(Failure) {
            try body(&bytes)
        } catch {
            bytes.removeSubrange(start...)
            throw error
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
