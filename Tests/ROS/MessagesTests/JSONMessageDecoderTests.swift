import Messages
import TestSupport
import Testing
import Text

/// A text that does not fit a type, and what is said about it.
struct Mismatch: Sendable {
    var type: any Message.Type
    var json: String
    var path: String
    var expected: String

    init(_ type: any Message.Type, _ json: String, _ path: String, _ expected: String) {
        self.type = type
        self.json = json
        self.path = path
        self.expected = expected
    }
}

@Suite("rosbridge JSON to messages")
struct JSONMessageDecoderTests {
    private func decode<M: Message>(_ json: String) throws(JSONMismatch) -> M {
        try M.decoding(json: Array(json.utf8))
    }

    @Test("keys may come in any order, and what is missing keeps its default")
    func anyOrder() throws {
        let json =
            #"{"pose":{"orientation":{"z":1,"x":0.5},"position":{"y":2}},"header":{"frame_id":"map","stamp":{}}}"#
        let pose: PoseStamped = try decode(json)
        #expect(pose.header.frameID == "map")
        #expect(pose.pose.position.y == 2 && pose.pose.position.x == 0)
        #expect(pose.pose.orientation.x == 0.5 && pose.pose.orientation.z == 1 && pose.pose.orientation.w == 1)
        let empty: PoseStamped = try decode(" { } ")
        #expect(empty.encodedCDR() == PoseStamped().encodedCDR())
    }

    @Test(
        "stamps have the names of ROS 2 or of ROS 1",
        arguments: [
            #"{"sec":5,"nanosec":6}"#, #"{"nanosec":6,"sec":5}"#, #"{"secs":5,"nsecs":6}"#, #"{"nsecs":6,"secs":5}"#,
        ]
    )
    func stamps(_ json: String) throws {
        let time: Time = try decode(json)
        #expect(time == Time(sec: 5, nanosec: 6))
        let duration: DurationMessage = try decode(json)
        #expect(duration.sec == 5 && duration.nanosec == 6)
    }

    @Test(
        "bytes come as base64 or as numbers",
        arguments: [
            #"{"data":"AQID","format":"jpeg"}"#, #"{"format":"jpeg","data":[1,2,3]}"#,
            #"{"format":"jpeg","data":"AQ\u0049D"}"#,
        ]
    )
    func bytes(_ json: String) throws {
        let image: CompressedImage = try decode(json)
        #expect(image.data == [1, 2, 3])
    }

    @Test("floats take integers and the non-finite tokens")
    func floats() throws {
        let message: Floats = try decode(#"{"a":1,"b":NaN,"c":-Infinity,"d":-0}"#)
        #expect(message.a == 1 && message.b.isNaN && message.c == -.infinity && message.d.sign == .minus)
    }

    @Test("keys that are no fields are counted by path, without indices")
    func unknownFields() throws {
        let json =
            #"{"zz":1,"poses":[{"header":{"seq":1}},{"header":{"seq":2},"q":[]}],"header":{"seq":0,"frame_id":"m"}}"#
        var unknown = UnknownFields()
        let path = try Array(json.utf8).withUnsafeBytes { try Path.decoding(json: $0, unknown: &unknown) }
        #expect(path.poses.count == 2 && path.header.frameID == "m")
        #expect(unknown.counts.map(\.path) == ["header.seq", "poses.header.seq", "poses.q", "zz"])
        #expect(unknown.counts.map(\.count) == [1, 2, 1, 1])
        let error = #expect(throws: JSONMismatch.self) { try Path.decoding(json: Array(json.utf8)) }
        #expect(error?.error.expected.hasPrefix("a field of ") == true)
    }

    static let mismatches: [Mismatch] = [
        Mismatch(NumberMessage<UInt32>.self, #"{"data":640.0}"#, "data", "an integer"),
        Mismatch(NumberMessage<UInt32>.self, #"{"data":-1}"#, "data", "an integer from 0 to 18446744073709551615"),
        Mismatch(NumberMessage<UInt8>.self, #"{"data":256}"#, "data", "an integer from 0 to 255"),
        Mismatch(NumberMessage<Int8>.self, #"{"data":-129}"#, "data", "an integer from -128 to 127"),
        Mismatch(NumberMessage<Int32>.self, #"{"data":true}"#, "data", "an integer"),
        Mismatch(NumberMessage<Int32>.self, #"{"data":NaN}"#, "data", "an integer"),
        Mismatch(NumberMessage<Bool>.self, #"{"data":1}"#, "data", "true or false"),
        Mismatch(NumberMessage<Double>.self, #"{"data":null}"#, "data", "a number"),
        Mismatch(NumberMessage<Double>.self, #"{"data":"1"}"#, "data", "a number"),
        Mismatch(NumberMessage<Double>.self, #"{"data":true}"#, "data", "a number"),
        Mismatch(NumberMessage<Float>.self, #"{"data":1e39}"#, "data", "a number within the range of a float32"),
        Mismatch(StringMessage.self, #"{"data":1}"#, "data", "a string"),
        Mismatch(CameraInfo.self, #"{"k":[1,2]}"#, "k", "an array of 9"),
        Mismatch(CameraInfo.self, #"{"k":[]}"#, "k", "an array of 9"),
        Mismatch(CameraInfo.self, #"{"k":[0,0,0,0,0,0,0,0,0,0]}"#, "k", "the end of an array of 9"),
        Mismatch(CompressedImage.self, #"{"data":"AQI"}"#, "data", "padded base64"),
        Mismatch(CompressedImage.self, #"{"data":null}"#, "data", "base64 or an array"),
        Mismatch(CompressedImage.self, #"{"data":[1,256]}"#, "data", "an integer from 0 to 255"),
        Mismatch(Bytes.self, #"{"fixed":"AQID"}"#, "fixed", "4 bytes in base64"),
        Mismatch(Bytes.self, #"{"fixed":[1,2,3]}"#, "fixed", "an array of 4"),
        Mismatch(Bytes.self, #"{"octets":"AQID"}"#, "octets", "an array"),
        Mismatch(Header.self, #"{"stamp":1.5}"#, "stamp", "an object"),
        Mismatch(Nest.self, #"{"c":[{}]}"#, "c", "an array of 2"),
        Mismatch(
            TFMessage.self,
            #"{"transforms":[{},{"header":{"stamp":{"sec":2147483648}}}]}"#,
            "transforms[1].header.stamp.sec",
            "an integer from -2147483648 to 2147483647"
        ),
        Mismatch(StringMessage.self, "[]", "", "an object"),
        Mismatch(StringMessage.self, #"{"data":"a"} x"#, "", "the end of the text"),
    ]

    @Test("what does not fit is refused, with its field", arguments: mismatches.indices)
    func refused(_ index: Int) {
        let mismatch = Self.mismatches[index]
        let error = #expect(throws: JSONMismatch.self) { try mismatch.type.decoding(json: Array(mismatch.json.utf8)) }
        #expect(error?.path == mismatch.path)
        #expect(error?.error.expected == mismatch.expected)
    }

    @Test("every cut is an error at or before the cut, and nothing worse")
    func cutEverywhere() throws {
        for seed in 1...3 as ClosedRange<UInt64> {
            let bytes = try RandomFiller.message(of: MeshSnapshot.self, seed: seed).encodedJSON()
            for length in 0..<bytes.count {
                let error = #expect(throws: JSONMismatch.self) {
                    try MeshSnapshot.decoding(json: Array(bytes[..<length]))
                }
                #expect((error?.error.offset ?? .max) <= length)
            }
        }
    }

    @Test("a key given twice counts once: the other is no field")
    func duplicateKeys() throws {
        var unknown = UnknownFields()
        let json = Array(#"{"data":"a","data":"b"}"#.utf8)
        _ = try json.withUnsafeBytes { try StringMessage.decoding(json: $0, unknown: &unknown) }
        #expect(unknown.counts.map(\.path) == ["data"])
    }

    @Test(
        "of a key given twice the last value counts, wherever the others are",
        arguments: [
            #"{"x":1,"y":2,"z":3,"y":4}"#, #"{"y":9,"x":1,"z":3,"y":4}"#, #"{"x":7,"x":1,"y":4,"z":3}"#,
            #"{"x":5,"y":4,"z":3,"x":6,"x":1}"#, #"{"z":3,"y":4,"y":4,"x":1}"#,
        ]
    )
    func lastValueCounts(json: String) throws {
        var unknown = UnknownFields()
        let nested = Array(#"{"position":\#(json),"orientation":{"w":0.5}}"#.utf8)
        let pose = try nested.withUnsafeBytes { try Pose.decoding(json: $0, unknown: &unknown) }
        #expect(pose.position.x == 1 && pose.position.y == 4 && pose.position.z == 3 && pose.orientation.w == 0.5)
        #expect(unknown.counts.allSatisfy { $0.path.hasPrefix("position.") } && !unknown.isEmpty)
        #expect(throws: JSONMismatch.self) { try Pose.decoding(json: nested) }
    }

    @Test("nesting deeper than any message is refused where it is skipped")
    func nestedBomb() {
        let json = #"{"bomb":"# + String(repeating: "[", count: 100_000)
        let error = #expect(throws: JSONMismatch.self) { try StringMessage.decoding(json: Array(json.utf8)) }
        #expect(error?.error.expected == "at most 128 levels of nesting")
    }

    @Test("mutated texts are read or refused, never worse", arguments: [41, 42] as [UInt64])
    func mutations(seed: UInt64) throws {
        var generator = SeededRandomNumbers(seed: seed)
        let original = try RandomFiller.message(of: RadioObservation.self, seed: seed).encodedJSON()
        var readCount = 0
        for _ in 0..<2_000 {
            var bytes = original
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            if Bool.random(using: &generator) {
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            } else {
                bytes.remove(at: index)
            }
            var unknown = UnknownFields()
            let message: RadioObservation
            do throws(JSONMismatch) {
                message = try decode(bytes, unknown: &unknown)
            } catch {
                #expect(error.error.offset <= bytes.count)
                continue
            }
            readCount += 1
            #expect(try RadioObservation.decoding(json: message.encodedJSON()).encodedCDR() == message.encodedCDR())
        }
        #expect(readCount > 0)
    }

    private func decode(_ bytes: [UInt8], unknown: inout UnknownFields) throws(JSONMismatch) -> RadioObservation {
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONMismatch) in
            try RadioObservation.decoding(json: UnsafeRawBufferPointer(buffer), unknown: &unknown)
        }
    }
}
