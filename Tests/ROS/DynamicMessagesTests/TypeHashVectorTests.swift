import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing
import Text

/// Hashes that rosidl itself computed.
@Suite(
    "Type hashes of ROS 2 Jazzy",
    .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
)
struct TypeHashVectorTests {
    /// Prints the .msg texts of all types that rosbags knows.
    private static let listing = """
        import json, sys
        from rosbags.typesys import Stores, get_typestore
        store = get_typestore(Stores.ROS2_JAZZY)
        print(json.dumps({name: store.generate_msgdef(name, ros_version=2)[0]
            for name in json.load(open(sys.argv[1])) if name in store.fielddefs}))
        """

    @Test("every type has its hash, from the texts of rosbags or from ours")
    func vectors() throws {
        let path = Vectors.path("rihs01_jazzy.json").string
        var texts: [String: String] = try PeerPython.json(Self.listing, [path])
        texts["rosbridge_msgs/msg/ConnectedClient"] =
            "string ip_address\nbuiltin_interfaces/Time connection_time\n"
        texts["rosbridge_msgs/msg/ConnectedClients"] =
            "rosbridge_msgs/ConnectedClient[] clients\n" + String(repeating: "=", count: 80)
            + "\nMSG: rosbridge_msgs/ConnectedClient\nstring ip_address\nbuiltin_interfaces/Time connection_time\n"
        let vectors = try #require(try Vectors.load("rihs01_jazzy.json").object)
        #expect(vectors.members.count >= 143)
        for member in vectors.members {
            let text = try #require(texts[member.key] ?? MessageTypes.type(named: member.key)?.definitionText)
            let schema = try MessageSchema(typeName: member.key, definitionText: text)
            #expect(schema.typeHash == member.value["hash"]?.string, "\(member.key)")
            // Our own text of it says the same.
            let again = try MessageSchema(typeName: member.key, definitionText: schema.definitionText)
            #expect(again.typeHash == schema.typeHash, "\(member.key)")
            #expect(again.definitionText == schema.definitionText, "\(member.key)")
        }
    }

    @Test("bounds of strings and sequences are hashed as REP 2016 numbers them")
    func bounds() throws {
        // The digest of a text written by hand after type_description_interfaces.
        let fields = [
            (#""a""#, 21, 0, 5), (#""b""#, 22, 0, 6), (#""c""#, 18, 0, 0), (#""d""#, 117, 7, 8), (#""e""#, 65, 2, 0),
            (#""f""#, 165, 0, 9), (#""g""#, 160, 0, 0), (#""h""#, 51, 3, 0),
        ]
        let texts = fields.map { name, id, capacity, stringCapacity in
            "{\"name\": \(name), \"type\": {\"type_id\": \(id), \"capacity\": \(capacity), "
                + "\"string_capacity\": \(stringCapacity), \"nested_type_name\": \"\"}}"
        }
        let text =
            "{\"type_description\": {\"type_name\": \"p/msg/B\", \"fields\": [\(texts.joined(separator: ", "))]}, "
            + "\"referenced_type_descriptions\": []}"
        let schema = try MessageSchema(
            typeName: "p/B",
            definitionText: """
                string<=5 a
                wstring<=6 b
                wstring c
                string<=8[<=7] d
                string[2] e
                string<=9[] f
                byte[] g
                char[3] h
                """
        )
        #expect(schema.typeHash == "RIHS01_" + SHA256.hexadecimalDigest(Array(text.utf8)))
    }
}
