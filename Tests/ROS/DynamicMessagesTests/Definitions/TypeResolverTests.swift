import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing

/// Whose word counts about a type.
struct TypeResolverTests {
    private static let range = "sensor_msgs/msg/Range"

    private func definition(_ text: String, _ name: String = range, hash: String = "") -> TypeClaim {
        TypeClaim(typeName: name, definitionText: text, definitionEncoding: "ros2msg", typeHash: hash)
    }

    /// A resolver with one .msg file.
    private func resolver(_ directory: TemporaryDirectory, _ name: String, _ text: String) throws -> TypeResolver {
        let url = URL(filePath: directory.appending("\(name).msg").string)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        return TypeResolver(directories: try MessageDirectories([directory.path]))
    }

    @Test("a definition that came with the type counts before everything")
    func ownDefinition() throws {
        let directory = try TemporaryDirectory()
        let resolver = try resolver(directory, "sensor_msgs/msg/Range", "int8 named")
        let type = try resolver.resolve(definition("int32 own"))
        #expect(type.schema.layout.fields.map(\.name) == ["own"])
        #expect(type.definitionText == "int32 own" && type.compiled == nil)
        // Its hash is that of its text: readers drop a topic whose hash is another.
        #expect(try resolver.resolve(definition("int32 own", hash: "stated")).typeHash == type.typeHash)
        // A compiled type of other fields is not that type.
        let imu = try resolver.resolve(definition("int32 own", Imu.typeName))
        #expect(imu.compiled == nil && imu.schema.layout.fields.map(\.name) == ["own"])
        #expect(try resolver.resolve(definition(Imu.definitionText, Imu.typeName)).compiled is Imu.Type)
    }

    @Test("a definition that cannot be read is no definition")
    func brokenDefinition() throws {
        #expect(try TypeResolver().resolve(definition("string<=")).schema.layout.fields.count == 7)
        let error = #expect(throws: UnknownType.self) {
            try TypeResolver().resolve(definition("string<=", "foo_msgs/msg/Bar"))
        }
        #expect(error.map { "\($0)".contains("foo_msgs/msg/Bar") && "\($0)".contains("line 1") } == true)
    }

    @Test("folders that somebody named count before what this program knows")
    func directories() throws {
        let directory = try TemporaryDirectory()
        let resolver = try resolver(directory, "sensor_msgs/msg/Range", "int8 named")
        #expect(try resolver.resolve(Self.range).schema.layout.fields.map(\.name) == ["named"])
        #expect(try resolver.resolve("sensor_msgs/JointState").schema.layout.fields.count == 5)
        // Unless a hash tells which one it is.
        let hash = try TypeResolver().resolve(Self.range).typeHash
        #expect(try resolver.resolve(TypeClaim(typeName: Self.range, typeHash: hash)).typeHash == hash)
        // The same fields are the same type.
        let texts = try self.resolver(
            directory,
            "std_msgs/msg/Header",
            "builtin_interfaces/Time stamp\nstring frame_id"
        )
        #expect(try texts.resolve("std_msgs/Header").compiled is Header.Type)
    }

    @Test("a hash tells of which distribution a type is, and so does that there is none")
    func editions() throws {
        let latest = try TypeResolver().resolve(Self.range)
        let humble = try TypeResolver().resolve(TypeClaim(typeName: Self.range, isOfHumble: true))
        #expect(latest.schema.layout.fields.count == 7 && humble.schema.layout.fields.count == 6)
        for type in [latest, humble] {
            for isOfHumble in [true, false] {
                let claim = TypeClaim(typeName: Self.range, typeHash: type.typeHash, isOfHumble: isOfHumble)
                #expect(try TypeResolver().resolve(claim).typeHash == type.typeHash)
            }
        }
        let joints = TypeClaim(typeName: "sensor_msgs/JointState", isOfHumble: true)
        #expect(try TypeResolver().resolve(joints).typeName == "sensor_msgs/msg/JointState")
    }

    @Test("texts that depend on common types find them")
    func dependencies() throws {
        let type = try TypeResolver().resolve(
            definition("nav_msgs/OccupancyGrid[] maps\nGoalInfo i", "action_msgs/msg/X")
        )
        #expect(type.schema.definitionText.contains("MSG: nav_msgs/MapMetaData\n"))
        #expect(type.schema.definitionText.contains("MSG: unique_identifier_msgs/UUID\nuint8[16] uuid\n"))
    }

    @Test("what services exchange, from the text of the service")
    func services() throws {
        let event = try TypeResolver().resolve("std_srvs/srv/SetBool_Event").schema
        #expect(event.layout.fields.map(\.name) == ["info", "request", "response"])
        #expect(event.definitionText.contains("MSG: service_msgs/ServiceEventInfo\n"))
        #expect(throws: UnknownType.self) { try TypeResolver().resolve("std_srvs/srv/SetBool_Other") }
        #expect(throws: UnknownType.self) { try TypeResolver().resolve("std_srvs/srv/SetBool") }
    }

    @Test("legacy names are those of today")
    func legacyNames() throws {
        let type = try TypeResolver().resolve("reconstructor_msgs/msg/DepthAnythingCalibration")
        #expect(type.compiled is DepthAnythingCalibration.Type)
    }

    @Test(
        "what is no type is refused",
        arguments: [
            "", "/", "String", "std_msgs", "std_msgs/msg/", "a/b/c/d", "std_msgs/msg/Strin",
            "sensor_msgs/msg/Range humble",
        ]
    )
    func unknown(name: String) {
        #expect(throws: UnknownType.self) { try TypeResolver().resolve(name) }
    }
}
