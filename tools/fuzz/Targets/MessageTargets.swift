import Messages
import TestSupport
import Text

extension FuzzTarget {
    /// The compiled decoders on CDR: the first byte chooses the type, the rest is the message.
    static let messageCDR = FuzzTarget(
        name: "message-cdr",
        seeds: {
            MessageTypes.all.enumerated().flatMap { index, type in
                [false, true].map { [UInt8(index)] + MessageFiller.message(of: type, isFilled: $0).encodedCDR() }
            }
        },
        run: { input in
            guard let type = messageType(input) else { return }
            checkCDR(type, UnsafeRawBufferPointer(rebasing: input.dropFirst()))
        }
    )

    /// The compiled decoders on rosbridge JSON, in the same form.
    static let messageJSON = FuzzTarget(
        name: "message-json",
        seeds: {
            MessageTypes.all.enumerated().flatMap { index, type in
                [false, true].compactMap { isFilled in
                    let message = MessageFiller.message(of: type, isFilled: isFilled)
                    return (try? message.encodedJSON()).map { [UInt8(index)] + $0 }
                }
            }
        },
        dictionary: [
            "\"header\":", "\"stamp\":", "\"sec\":", "\"nanosec\":", "\"secs\":", "\"nsecs\":", "\"frame_id\":",
            "\"data\":", "\"x\":", "\"transforms\":", "null", "NaN", "Infinity", "-1", "4294967296", "1e999",
            "\"AAAA\"",
            "\"AA==\"", "[[", "{}",
        ],
        run: { input in
            guard let type = messageType(input) else { return }
            checkJSON(type, UnsafeRawBufferPointer(rebasing: input.dropFirst()))
        }
    )

    private static func messageType(_ input: UnsafeRawBufferPointer) -> (any Message.Type)? {
        input.first.map { MessageTypes.all[Int($0) % MessageTypes.all.count] }
    }

    private static func checkCDR<M: Message>(_ type: M.Type, _ bytes: UnsafeRawBufferPointer) {
        let message: M
        do throws(CDRError) {
            message = try M.decoding(cdr: bytes)
        } catch {
            require(error.offset >= 0 && error.offset <= bytes.count, "an offset outside of the bytes: \(error)")
            return
        }
        let encoded = message.encodedCDR()
        require(encoded.count == message.encodedCDRSize, "a size that is not that of the bytes")
        // Bytes are compared, since NaN is not equal to itself.
        let again = (try? M.decoding(cdr: encoded))?.encodedCDR()
        require(again == encoded, "what was encoded does not decode the same")
        _ = try? message.encodedJSON()
        _ = message.headerStampNanoseconds
    }

    private static func checkJSON<M: Message>(_ type: M.Type, _ bytes: UnsafeRawBufferPointer) {
        var unknown = UnknownFields()
        let message: M
        do throws(JSONMismatch) {
            message = try M.decoding(json: bytes, unknown: &unknown)
        } catch {
            require(error.error.offset <= bytes.count, "an offset outside of the text: \(error)")
            return
        }
        require(unknown.counts.allSatisfy { $0.count > 0 }, "an unknown field that was not met")
        let encoded = message.encodedCDR()
        require((try? M.decoding(cdr: encoded))?.encodedCDR() == encoded, "what was encoded does not decode the same")
        // Fields that may not hold NaN take it from others and do not pass it on.
        guard let text = try? message.encodedJSON() else { return }
        require((try? M.decoding(json: text))?.encodedCDR() == encoded, "what was written does not read the same")
    }
}
