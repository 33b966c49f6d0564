import Messages

/// Puts something into every field of a message: numbers that count up, short texts, two elements in each sequence.
struct MessageFiller: FieldVisitor {
    private var number = 0

    /// A message of a type, with every field at its default or filled.
    static func message(of type: any Message.Type, isFilled: Bool) -> any Message {
        isFilled ? filled(type) : type.init()
    }

    private static func filled<M: Message>(_ type: M.Type) -> M {
        var filler = MessageFiller()
        var message = M()
        message.visit(&filler)
        return message
    }

    mutating func field<P: Primitive>(_ name: StaticString, _ value: inout P) { fill(&value) }

    mutating func field<P: Primitive>(_ name: StaticString, _ values: inout [P]) {
        values = [P.blank, P.blank]
        for index in values.indices { fill(&values[index]) }
    }

    mutating func field<let count: Int, P: Primitive>(_ name: StaticString, _ values: inout [count of P]) {
        for index in 0..<count { fill(&values[index]) }
    }

    mutating func field<M: Message>(_ name: StaticString, _ value: inout M) { value.visit(&self) }

    mutating func field<M: Message>(_ name: StaticString, _ values: inout [M]) {
        values = [M(), M()]
        for index in values.indices { values[index].visit(&self) }
    }

    mutating func field<let count: Int, M: Message>(_ name: StaticString, _ values: inout [count of M]) {
        for index in 0..<count { values[index].visit(&self) }
    }

    private mutating func fill<P: Primitive>(_ value: inout P) {
        number += 1
        let small = UInt8(truncatingIfNeeded: number)
        let filled: any Primitive =
            switch value {
            case is Bool: number % 2 == 1
            case is Int8: Int8(truncatingIfNeeded: number)
            case is UInt8: small
            case is Int16: Int16(truncatingIfNeeded: -number)
            case is UInt16: UInt16(truncatingIfNeeded: number)
            case is Int32: Int32(truncatingIfNeeded: -number)
            case is UInt32: UInt32(truncatingIfNeeded: number)
            case is Int64: -Int64(number)
            case is UInt64: UInt64(truncatingIfNeeded: number)
            case is Float: Float(number) / 8
            case is Double: Double(number) / 16
            case is ROSByte: ROSByte(small)
            default: ["map", "ä\"\\", ""][number % 3]
            }
        if let filled = filled as? P { value = filled }
    }
}
