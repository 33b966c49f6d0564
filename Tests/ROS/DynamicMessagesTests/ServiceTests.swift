import Messages
import TestSupport
import Testing

@Suite("Messages of services and actions")
struct ServiceTests {
    private static let service = "int64 a\nint64 b\n---\nint64 sum\n"
    private static let action = "int32 order\n---\nint32[] sequence\n---\nThing[] partial\n" + separator + thing
    private static let separator = String(repeating: "=", count: 80) + "\nMSG: p/Thing\n"
    private static let thing = "uint8 x\n"

    @Test("every message of a .srv text")
    func services() throws {
        func fields(_ name: String) throws -> [String] {
            try MessageSchema(typeName: "p/srv/Add\(name)", definitionText: Self.service).layout.fields.map(\.name)
        }
        #expect(try fields("_Request") == ["a", "b"])
        #expect(try fields("_Response") == ["sum"])
        #expect(try fields("_Event") == ["info", "request", "response"])
        #expect(throws: SchemaError.self) { try fields("") }
    }

    @Test("every message of an .action text")
    func actions() throws {
        func fields(_ name: String) throws -> [String] {
            try MessageSchema(typeName: "p/action/Run\(name)", definitionText: Self.action).layout.fields.map(\.name)
        }
        #expect(try fields("_Goal") == ["order"])
        #expect(try fields("_Result") == ["sequence"])
        #expect(try fields("_Feedback") == ["partial"])
        #expect(try fields("_FeedbackMessage") == ["goal_id", "feedback"])
        #expect(try fields("_SendGoal_Request") == ["goal_id", "goal"])
        #expect(try fields("_SendGoal_Response") == ["accepted", "stamp"])
        #expect(try fields("_GetResult_Event") == ["info", "request", "response"])
        let feedback = try MessageSchema(typeName: "p/action/Run_FeedbackMessage", definitionText: Self.action)
        let json = Array(#"{"goal_id":{"uuid":"AAAAAAAAAAAAAAAAAAAAAA=="},"feedback":{"partial":[{"x":3}]}}"#.utf8)
        let bytes = try feedback.encodedCDR(try feedback.decode(json: json))
        #expect(bytes == [0, 1, 0, 0] + [UInt8](repeating: 0, count: 16) + [1, 0, 0, 0, 3])
    }
}
