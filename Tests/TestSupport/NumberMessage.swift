package import Messages

/// A number that `std_msgs` has a message for.
package protocol StandardNumber: Primitive {
    static var standardName: String { get }
}

/// `std_msgs/msg/Int32` and its like, which the product knows as text only.
package struct NumberMessage<Value: StandardNumber>: Message {
    package static var typeName: String { "std_msgs/msg/\(Value.standardName)" }
    package static var nonFiniteFields: [String] { ["data"] }

    package var data = Value.blank

    package init() {}

    package init(_ data: Value) { self.data = data }

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("data", &data)
    }
}

package typealias Int32Message = NumberMessage<Int32>

extension Bool: StandardNumber { package static var standardName: String { "Bool" } }
extension Float: StandardNumber { package static var standardName: String { "Float32" } }
extension Double: StandardNumber { package static var standardName: String { "Float64" } }
extension Int8: StandardNumber { package static var standardName: String { "Int8" } }
extension Int32: StandardNumber { package static var standardName: String { "Int32" } }
extension Int64: StandardNumber { package static var standardName: String { "Int64" } }
extension UInt8: StandardNumber { package static var standardName: String { "UInt8" } }
extension UInt32: StandardNumber { package static var standardName: String { "UInt32" } }
extension UInt64: StandardNumber { package static var standardName: String { "UInt64" } }
