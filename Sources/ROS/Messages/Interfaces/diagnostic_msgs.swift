/// A named value, as text.
package struct KeyValue: Message {
    package static var typeName: String { "diagnostic_msgs/msg/KeyValue" }

    package var key: String = ""
    package var value: String = ""

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("key", &key)
        try visitor.field("value", &value)
    }

    package init(key: String, value: String) {
        self.key = key
        self.value = value
    }
}

/// How one component is doing.
package struct DiagnosticStatus: Message {
    package static var typeName: String { "diagnostic_msgs/msg/DiagnosticStatus" }
    package static var constants: [MessageConstant] {
        [
            MessageConstant("byte", "OK", "0"),
            MessageConstant("byte", "WARN", "1"),
            MessageConstant("byte", "ERROR", "2"),
            MessageConstant("byte", "STALE", "3"),
        ]
    }

    package var level: ROSByte = 0
    package var name: String = ""
    package var message: String = ""
    package var hardwareID: String = ""
    package var values: [KeyValue] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("level", &level)
        try visitor.field("name", &name)
        try visitor.field("message", &message)
        try visitor.field("hardware_id", &hardwareID)
        try visitor.field("values", &values)
    }
}

/// How components are doing at a time.
package struct DiagnosticArray: Message {
    package static var typeName: String { "diagnostic_msgs/msg/DiagnosticArray" }

    package var header = Header()
    package var status: [DiagnosticStatus] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("status", &status)
    }
}

extension DiagnosticStatus {
    package static let ok: ROSByte = 0
    package static let warn: ROSByte = 1
    package static let error: ROSByte = 2
    package static let stale: ROSByte = 3
}
