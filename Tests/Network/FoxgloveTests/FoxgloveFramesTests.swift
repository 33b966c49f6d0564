import Foxglove
import Testing
import Text

/// The bytes that the SDK 0.30 sends and takes.
@Suite struct FoxgloveFramesTests {
    private func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue ?? 0) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    @Test("messages, times and states are the SDK's bytes")
    func sent() {
        let head = FoxgloveFrames.messageHead(subscription: 7, timeNanoseconds: 0x1797_9CFE_53F7_6500)
        #expect(head == bytes("01 07000000 0065f753fe9c9717"))
        #expect(FoxgloveFrames.time(12_345) == bytes("02 3930000000000000"))
        let playing = FoxglovePlaybackState(status: .playing, timeNanoseconds: 12_345, speed: 1)
        #expect(FoxgloveFrames.state(playing) == bytes("05 00 3930000000000000 0000803f 00 00000000"))
        var sought = FoxglovePlaybackState(status: .ended, timeNanoseconds: 1, speed: 0.5)
        (sought.didSeek, sought.requestID) = (true, "r1")
        #expect(FoxgloveFrames.state(sought) == bytes("05 03 0100000000000000 0000003f 01 02000000 7231"))
    }

    @Test("requests for the playback are read")
    func requests() throws {
        let pause = try FoxglovePlaybackRequest(
            bytes("01 0000803f 00 0000000000000000 07000000 736f6d652d6964")[...]
        )
        #expect(!pause.plays && pause.speed == 1 && pause.seekNanoseconds == nil && pause.requestID == "some-id")
        let seek = try FoxglovePlaybackRequest(bytes("00 00000040 01 15cd5b0700000000 00000000")[...])
        #expect(seek.plays && seek.speed == 2 && seek.seekNanoseconds == 123_456_789 && seek.requestID.isEmpty)
        let late = try FoxglovePlaybackRequest(bytes("00 0000807f 01 ffffffffffffffff 00000000")[...])
        #expect(late.seekNanoseconds == .max && late.speed == .infinity)
    }

    @Test(
        "what is no request is refused",
        arguments: [
            "", "09", "00 0000803f", "02 0000803f 00 0000000000000000 00000000",
            "00 0000803f 00 0000000000000000 05000000 61",
            "00 0000803f 00 0000000000000000 ffffffff 61", "00 0000803f 00 0000000000000000 02000000 fffe",
            "00 0000803f 00 0000000000000000 e9030000 " + String(repeating: "61", count: 1001),
        ]
    )
    func refused(hex: String) {
        let frame = bytes(hex)
        #expect(throws: FoxgloveProblem.self) { try FoxglovePlaybackRequest(frame[...]) }
    }

    private func request(_ text: String) throws -> FoxgloveRequest { try FoxgloveRequest(Array(text.utf8)) }

    @Test("texts are read; in a list the good entries count")
    func texts() throws {
        let mixed = try request(
            #"{"op":"subscribe","subscriptions":[{"id":1,"channelId":2},{"id":-1,"channelId":2},{"id":3},7]}"#
        )
        #expect(mixed == .subscribe([.init(id: 1, channel: 2)], unreadable: 3))
        #expect(try request(#"{"op":"unsubscribe","subscriptionIds":[1,"x"]}"#) == .unsubscribe([1]))
        #expect(
            try request(#"{"op":"getParameters","parameterNames":["a"],"id":"7"}"#)
                == .getParameters(names: ["a"], id: "7")
        )
        #expect(
            try request(#"{"op":"setParameters","parameters":[{"name":"a","value":true},{"value":1}]}"#)
                == .setParameters([.init(name: "a", value: .bool(true))], id: nil)
        )
        #expect(try request(#"{"op":"fetchAsset","uri":"package://x","requestId":1}"#) == .notOffered(op: "fetchAsset"))
    }

    @Test(
        "texts that are none are refused with a status",
        arguments: [
            "", "{", "[]", "7", #"{"op":7}"#, #"{"op":"nonsense"}"#, #"{"op":"subscribe"}"#,
            #"{"op":"subscribe","subscriptions":7}"#, #"{"op":"getParameters"}"#,
        ]
    )
    func refusedTexts(text: String) {
        #expect {
            try request(text)
        } throws: { error in
            (error as? FoxgloveProblem)?.level == 2 && (error as? FoxgloveProblem)?.message.hasPrefix("Invalid") == true
        }
    }
}
