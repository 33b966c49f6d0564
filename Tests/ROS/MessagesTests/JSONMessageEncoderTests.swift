import Messages
import TestSupport
import Testing
import Text

@Suite("Messages to rosbridge JSON")
struct JSONMessageEncoderTests {
    private func text(_ message: some Message) throws -> String {
        String(decoding: try message.encodedJSON(), as: UTF8.self)
    }

    @Test("keys come in the order of the .msg file, compactly, integers as integers")
    func exactText() throws {
        var cloud = PointCloud2()
        cloud.header = Header(stampNanoseconds: 1_700_000_000_000_000_005, frameID: "a/b\"")
        cloud.height = 1
        cloud.width = 2
        cloud.fields = [PointField(name: "x", offset: 0, datatype: PointField.float32, count: 1)]
        cloud.data = [0, 0xFF, 0x10, 0x83]
        cloud.isDense = true
        #expect(
            try text(cloud)
                == #"{"header":{"stamp":{"sec":1700000000,"nanosec":5},"frame_id":"a/b\""},"height":1,"width":2,"#
                + #""fields":[{"name":"x","offset":0,"datatype":7,"count":1}],"is_bigendian":false,"point_step":0,"#
                + #""row_step":0,"data":"AP8Qgw==","is_dense":true}"#
        )
        #expect(try text(EmptyMessage()) == "{}")
        #expect(try text(NumberMessage<UInt64>()) == #"{"data":0}"#)
    }

    @Test("only uint8[] is base64, of fixed length too")
    func byteArrays() throws {
        var message = Bytes()
        message.fixed = [1, 2, 3, 4]
        message.octets = [255]
        message.small = [-1]
        #expect(try text(message) == #"{"fixed":"AQIDBA==","octets":[255],"small":[-1]}"#)
    }

    @Test("non-finite numbers are bare tokens where they mean something")
    func nonFiniteAllowed() throws {
        var fix = NavSatFix()
        fix.altitude = .nan
        fix.positionCovariance[4] = .infinity
        let json = try text(fix)
        #expect(json.contains(#""altitude":NaN,"position_covariance":[0.0,0.0,0.0,0.0,Infinity,0.0,"#))
        var arrays = Seqs()
        arrays.b = [1.5, -.infinity]
        #expect(try text(arrays).contains(#""b":[1.5,-Infinity]"#))
        #expect(try Seqs.decoding(json: Array(text(arrays).utf8)).b == [1.5, -.infinity])
    }

    @Test("every covariance may hold them")
    func covariances() throws {
        for type in MessageTypes.all {
            let fields = MessageSchema.compiled(type).layout.fields
            for field in fields where field.name.hasSuffix("covariance") {
                if case .message = field.element { continue }
                #expect(type.nonFiniteFields.contains(field.name), "\(type.typeName)")
            }
            let names = fields.map(\.name)
            for name in type.nonFiniteFields { #expect(names.contains(name), "\(type.typeName)") }
        }
    }

    @Test("elsewhere they are refused by name, and nothing is appended")
    func nonFiniteRefused() {
        var odometry = Odometry()
        odometry.pose.covariance[0] = .nan
        odometry.twist.twist.linear.y = -.infinity
        var bytes: [UInt8] = [1, 2, 3]
        let error = #expect(throws: JSONEncodingError.self) { try odometry.appendJSON(to: &bytes) }
        #expect(
            error?.description
                == #"nav_msgs/msg/Odometry: field "twist.twist.linear.y": expected a finite number, found -inf"#
        )
        #expect(bytes == [1, 2, 3])
        var info = CameraInfo()
        info.k[4] = .nan
        let inInfo = #expect(throws: JSONEncodingError.self) { try info.encodedJSON() }
        #expect(inInfo?.typeName == CameraInfo.typeName && inInfo?.path == "k[4]" && inInfo?.found == "nan")
        var path = Path()
        path.poses = [PoseStamped(), PoseStamped()]
        path.poses[1].pose.position.x = .nan
        let inPath = #expect(throws: JSONEncodingError.self) { try path.encodedJSON() }
        #expect(inPath?.typeName == Path.typeName && inPath?.path == "poses[1].pose.position.x")
    }

    @Test("every type reads back from its own JSON", arguments: [1, 2, 3] as [UInt64])
    func roundTrip(seed: UInt64) throws {
        func check<M: Message>(_ type: M.Type) throws {
            let message = RandomFiller.message(of: type, seed: seed)
            let decoded = try M.decoding(json: message.encodedJSON())
            #expect(decoded.encodedCDR() == message.encodedCDR(), "\(type.typeName)")
        }
        for type in MessageTypes.all + testTypes { try check(type) }
    }

    @Test("a publish operation wraps the message")
    func envelope() throws {
        var bytes: [UInt8] = []
        try RosbridgeEnvelope.appendPublish(topic: "/a\"b", message: StringMessage(data: "x"), to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"op":"publish","topic":"/a\"b","msg":{"data":"x"}}"#)
        var point = Point()
        point.z = .nan
        let before = bytes
        #expect(throws: JSONEncodingError.self) {
            try RosbridgeEnvelope.appendPublish(topic: "/p", message: point, to: &bytes)
        }
        #expect(bytes == before)
    }
}
