import Messages
import TestSupport
import Testing

/// Which edition of a type its messages are of, by their bytes.
struct EditionChoiceTests {
    private static let states = "control_msgs/msg/JointTrajectoryControllerState"
    private static let marker = "visualization_msgs/msg/Marker"

    private static func claim(_ name: String, _ release: String?) -> TypeClaim {
        var claim = TypeClaim(typeName: name)
        claim.edition = .of(release: release)
        return claim
    }

    /// A random message of an edition.
    private static func message(_ name: String, _ release: String?, seed: UInt64 = 1) throws -> [UInt8] {
        let schema = try TypeResolver().resolve(claim(name, release)).schema
        return try schema.encodedCDR(try schema.decode(json: RandomJSON.text(schema.layout, seed: seed)))
    }

    private static func outcome(_ claim: TypeClaim, _ messages: [[UInt8]]) throws -> EditionChoice.Outcome? {
        var choice = try #require(EditionChoice(claim))
        for message in messages { choice.note(message) }
        return choice.outcome
    }

    @Test("is the one that they fit to their end, whatever was claimed", arguments: [true, false])
    func bytes(isOfHumble: Bool) throws {
        for (name, releases) in [
            (Self.states, [nil, "jazzy-2024", "humble", "humble-2022"]), (Self.marker, [nil, "galactic"]),
            ("visualization_msgs/msg/InteractiveMarker", [nil, "galactic"]),
            ("sensor_msgs/msg/Range", [nil, "humble"]), ("moveit_msgs/msg/MoveItErrorCodes", [nil, "humble"]),
        ] {
            for release in releases {
                let messages = try (1...3).map { try Self.message(name, release, seed: $0) }
                let claim = TypeClaim(typeName: name, isOfHumble: isOfHumble)
                let outcome = try #require(try Self.outcome(claim, messages))
                var told = claim
                told.edition = outcome
                let type = try TypeResolver().resolve(told)
                #expect(try type.typeHash == TypeResolver().resolve(Self.claim(name, release)).typeHash, "\(name)")
                for message in messages { _ = try type.schema.decode(cdr: message) }
            }
        }
        let old = try TypeResolver().resolve(Self.claim(Self.marker, "galactic"))
        #expect(old.compiled == nil && !old.definitionText.contains("texture"))
        #expect(try TypeResolver().resolve(Self.claim(Self.marker, nil)).compiled is Marker.Type)
    }

    @Test("is the claimed one where several fit, and none where no message was looked at")
    func claims() throws {
        let none: [UInt8] = [0, 1, 0, 0, 0, 0, 0, 0]
        let array = TypeClaim(typeName: "visualization_msgs/msg/MarkerArray")
        #expect(try Self.outcome(array, [none, none]) == .of(release: nil))
        var hashed = array
        hashed.typeHash = try TypeResolver().resolve(Self.claim(array.typeName, "foxy")).typeHash
        #expect(try Self.outcome(hashed, [none]) == .of(release: "galactic"))
        #expect(try Self.outcome(array, []) == nil)
        #expect(EditionChoice(TypeClaim(typeName: "sensor_msgs/msg/Imu")) == nil)
        #expect(EditionChoice(TypeClaim(typeName: "unknown_msgs/msg/Marker")) == nil)
        let own = TypeClaim(typeName: Self.marker, definitionText: "int8 a", definitionEncoding: "ros2msg")
        #expect(EditionChoice(own) == nil)
    }

    @Test("is unknown where none fits: then nothing is claimed")
    func unknown() throws {
        let strange = try Self.message(Self.states, "humble") + [UInt8](repeating: 1, count: 8)
        var claim = TypeClaim(typeName: Self.states, isOfHumble: true)
        claim.edition = try Self.outcome(claim, [strange, strange])
        #expect(claim.edition == .unknown)
        let error = #expect(throws: UnknownType.self) { try TypeResolver().resolve(claim) }
        #expect(error.map { "\($0)".contains("of other releases") } == true)
    }

    @Test("does not turn on one damaged message, and looks at so many")
    func damage() throws {
        let sound = try Self.message(Self.states, "humble"), claim = TypeClaim(typeName: Self.states)
        #expect(try Self.outcome(claim, [Array(sound.dropLast(9)), sound, sound]) == .of(release: "humble"))
        var choice = try #require(EditionChoice(claim))
        var count = 0
        while !choice.isDecided {
            // A count of four milliards of names, of which none follows.
            choice.note([0, 1, 0, 0] + [UInt8](repeating: 0xFF, count: count % 40))
            count += 1
        }
        #expect(count == EditionChoice.messageLimit && choice.outcome == .unknown)
    }
}
