import JSONText

/// The operations of rosbridge that carry messages, as JSON text.
package enum RosbridgeEnvelope {
    /// Appends `{"op":"publish","topic":...,"msg":{...}}`; nothing is appended when the message is refused.
    package static func appendPublish(
        topic: String,
        message: any Message,
        to bytes: inout [UInt8]
    ) throws(JSONEncodingError) {
        let start = bytes.count
        JSONAppend.ascii("{\"op\":\"publish\",\"topic\":", to: &bytes)
        JSONAppend.string(topic, to: &bytes)
        JSONAppend.ascii(",\"msg\":", to: &bytes)
        do throws(JSONEncodingError) {
            try message.appendJSON(to: &bytes)
        } catch {
            bytes.removeSubrange(start...)
            throw error
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
