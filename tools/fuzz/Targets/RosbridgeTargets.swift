import Rosbridge
import Text

extension FuzzTarget {
    /// What a client may send to a recorder: an operation a line, fragments among them.
    static let rosbridgeOperations = FuzzTarget(
        name: "rosbridge-operations",
        seeds: {
            let parts = Fragmenter(maximumFrameLength: Fragmenter.smallestLimit)
                .fragments(of: Array((publish + String(repeating: " ", count: 300)).utf8), id: "1")
            return [advertise, publish, call, #"{"op":"unadvertise","topic":"/a"}"#].map { Array($0.utf8) }
                + [Array(parts.joined(separator: [newline])), Array(parts.reversed().joined(separator: [newline]))]
        },
        dictionary: words,
        run: { input in
            var table = FragmentTable(byteLimit: limit)
            for line in input.split(separator: newline) {
                guard let joined = take(Array(line), &table) else { continue }
                require(joined.count <= limit, "an operation of \(joined.count) bytes")
                _ = take(joined, &table)
            }
        }
    )

    /// What a server may answer to a publisher.
    static let rosbridgeReply = FuzzTarget(
        name: "rosbridge-reply",
        seeds: {
            [
                #"{"op":"service_response","id":"1","values":{"topics":["/a"],"types":["b"]},"result":true}"#,
                #"{"op":"service_response","id":2,"values":{"subscribers":["/a"]}}"#,
                #"{"op":"status","level":"error","msg":"no"}"#,
            ].map { Array($0.utf8) }
        },
        dictionary: words,
        run: { input in _ = ServerReply(Array(input)) }
    )

    /// A text that is sent in fragments and joined again: the first byte says how long a frame may be.
    static let rosbridgeFragments = FuzzTarget(
        name: "rosbridge-fragments",
        seeds: { [publish, #"{"op":"op","a":"\\\"ü😀\u0001"}"#].map { [0] + Array($0.utf8) + Array($0.utf8) } },
        dictionary: words,
        run: { input in
            guard let first = input.first, let text = String(validating: input.dropFirst(), as: UTF8.self) else {
                return
            }
            let json = Array(text.utf8)
            let length = Fragmenter.smallestLimit + Int(first)
            var table = FragmentTable(byteLimit: max(1, json.count))
            var joined: [UInt8]?
            for frame in Fragmenter(maximumFrameLength: length).fragments(of: json, id: "1") {
                require(frame.count <= length, "a frame of \(frame.count) bytes, not \(length)")
                require(joined == nil, "a fragment after the last")
                joined = take(frame, &table)
            }
            require(joined == json, "another text when it is joined")
        }
    )

    /// The names in a certificate's DER.
    static let certificateNames = FuzzTarget(
        name: "certificate-names",
        seeds: {
            let name = element(
                0x30,
                element(0x31, element(0x30, element(6, [0x55, 4, 3]) + element(12, [0x61, 0x62])))
            )
            let fields = element(2, [1]) + element(0x30, []) + name + element(0x30, []) + name
            let long: [UInt8] = [0x30, 0x82, 0, UInt8(element(0x30, fields).count)]
            return [
                element(0x30, element(0x30, fields)), element(0x30, element(0x30, element(0xA0, [2]) + fields)),
                long + element(0x30, fields),
            ]
        },
        run: { input in
            guard let names = DistinguishedNames(certificate: Array(input)) else { return }
            require(
                names.issuer.count + names.subject.count < input.count,
                "names that are longer than the certificate"
            )
            for name in [names.issuer, names.subject] { _ = (names.commonName(in: name), names.organization(in: name)) }
        }
    )

    private static let limit = 2_000
    private static let newline = UInt8(ascii: "\n")
    private static let advertise =
        #"{"op":"advertise","topic":"/a","type":"std_msgs/String","latch":true,"queue_size":5}"#
    private static let publish = #"{"op":"publish","id":"x","topic":"/a","msg":{"data":"b"}}"#
    private static let call = #"{"op":"call_service","service":"/rosapi/subscribers","args":{"topic":"/a"},"id":7}"#

    private static let words =
        [
            "op", "id", "topic", "type", "service", "args", "latch", "queue_size", "msg", "num", "total", "data",
            "values",
            "result", "topics", "types",
        ].map { "\"\($0)\":" }
        + [
            "\"publish\"", "\"fragment\"", "\"call_service\"", "9223372036854775807", "-1", "{}", "[]", "null", "\n",
            "NaN",
        ]

    /// Reads an operation; returns the text that is whole with a last fragment.
    private static func take(_ text: [UInt8], _ table: inout FragmentTable) -> [UInt8]? {
        guard let operation = text.withUnsafeBytes({ try? ClientOperation.parse($0) })?.operation else { return nil }
        switch operation {
        case .publish(_, let offset?):
            let isValue = text.withUnsafeBytes { bytes in
                var scanner = JSONScanner(bytes, allowsNonFinite: true).scanner(at: offset)
                return (try? scanner.skipValue()) != nil
            }
            require(isValue, "a message that is not where it was said to be")
        case .fragment(let id, let number, let total, let data):
            let joined = try? table.add(id: id, number: number, total: total, data: data)
            require(table.byteCount <= table.byteLimit, "\(table.byteCount) bytes are kept")
            return joined
        default: break
        }
        return nil
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, UInt8(content.count)] + content }
}
