import Messages
import TestSupport

// The types of the generic vectors. Bounded strings and sequences are written like unbounded ones.

struct Align: Message {
    static var typeName: String { "t/msg/Align" }
    var a = false
    var b = 0.0
    var c: UInt8 = 0
    var d: UInt16 = 0
    var e: UInt8 = 0
    var f: UInt32 = 0
    var g: UInt8 = 0
    var h: Int64 = 0

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("a", &a)
        try visitor.field("b", &b)
        try visitor.field("c", &c)
        try visitor.field("d", &d)
        try visitor.field("e", &e)
        try visitor.field("f", &f)
        try visitor.field("g", &g)
        try visitor.field("h", &h)
    }
}

struct Seqs: Message {
    static var typeName: String { "t/msg/Seqs" }
    static var nonFiniteFields: [String] { ["b", "h"] }
    var a: [UInt8] = []
    var b: [Double] = []
    var c: [String] = []
    var d: [Bool] = []
    var e: [3 of UInt16] = .init(repeating: 0)
    var f = ""
    var g: [Int32] = []
    var h: [2 of Float] = .init(repeating: 0)

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("a", &a)
        try visitor.field("b", &b)
        try visitor.field("c", &c)
        try visitor.field("d", &d)
        try visitor.field("e", &e)
        try visitor.field("f", &f)
        try visitor.field("g", &g)
        try visitor.field("h", &h)
    }
}

struct Inner: Message {
    static var typeName: String { "t/msg/Inner" }
    var x: UInt8 = 0
    var y = 0.0

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("x", &x)
        try visitor.field("y", &y)
    }
}

struct Nest: Message {
    static var typeName: String { "t/msg/Nest" }
    var a: UInt8 = 0
    var b: [Inner] = []
    var c: [2 of Inner] = .init(repeating: Inner())
    var d = ""
    var e = Inner()

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("a", &a)
        try visitor.field("b", &b)
        try visitor.field("c", &c)
        try visitor.field("d", &d)
        try visitor.field("e", &e)
    }
}

struct Empty: Message {
    static var typeName: String { "t/msg/Empty" }
    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {}
}

struct WithEmpty: Message {
    static var typeName: String { "t/msg/WithEmpty" }
    var a = Empty()
    var b: UInt32 = 0
    var c: [Empty] = []

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("a", &a)
        try visitor.field("b", &b)
        try visitor.field("c", &c)
    }
}

struct Floats: Message {
    static var typeName: String { "t/msg/Floats" }
    static var nonFiniteFields: [String] { ["a", "b", "c"] }
    var a: Float = 0
    var b = 0.0
    var c: Float = 0
    var d = 0.0

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("a", &a)
        try visitor.field("b", &b)
        try visitor.field("c", &c)
        try visitor.field("d", &d)
    }
}

/// Two arrays of bytes, which rosbridge writes differently, and one of signed bytes.
struct Bytes: Message {
    static var typeName: String { "t/msg/Bytes" }
    var fixed: [4 of UInt8] = .init(repeating: 0)
    var octets: [ROSByte] = []
    var small: [Int8] = []

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("fixed", &fixed)
        try visitor.field("octets", &octets)
        try visitor.field("small", &small)
    }
}

let testTypes: [any Message.Type] = [
    Align.self, Seqs.self, Inner.self, Nest.self, Empty.self, WithEmpty.self, Floats.self, Bytes.self,
    NumberMessage<Bool>.self, NumberMessage<Double>.self, NumberMessage<Int64>.self, NumberMessage<UInt64>.self,
]

/// A type of the product or of the tests.
func messageType(_ name: String) -> (any Message.Type)? {
    MessageTypes.type(named: name) ?? testTypes.first { $0.typeName == name }
}
