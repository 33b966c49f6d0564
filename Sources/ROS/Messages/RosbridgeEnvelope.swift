import Text

/// The operations of rosbridge that carry messages, as JSON text.
package enum RosbridgeEnvelope {
    /// Appends `{"op":"publish","topic":...,"msg":{...}}`; nothing is appended when the message is refused.
    ///
    /// - Parameter isLatched: True to repeat that the topic is latched (`"latch":true`): servers up to rosbridge 2.1
    ///   register the topic again with each message, and warn twice where it does not say so.
    package static func appendPublish(
        topic: String,
        isLatched: Bool = false,
        message: any AnyMessage,
        to bytes: inout [UInt8]
    ) throws(JSONEncodingError) {
        try appendPublish(topic: topic, isLatched: isLatched, to: &bytes) { (bytes) throws(JSONEncodingError) in
            try message.appendJSON(to: &bytes)
        }
    }

    /// Appends a publish operation whose message `body` appends; nothing is appended when it throws.
    package static func appendPublish<Failure: Error>(
        topic: String,
        isLatched: Bool = false,
        to bytes: inout [UInt8],
        body: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        let start = bytes.count
        JSONAppend.ascii("{\"op\":\"publish\",\"topic\":", to: &bytes)
        JSONAppend.string(topic, to: &bytes)
        if isLatched { JSONAppend.ascii(",\"latch\":true", to: &bytes) }
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
