package import Messages

/// Fills every field of a message with seeded random values.
package struct RandomFiller: FieldVisitor {
    private var generator: SeededRandomNumbers

    /// A message of a type, filled.
    package static func message<M: Message>(of type: M.Type, seed: UInt64) -> M {
        var filler = RandomFiller(generator: SeededRandomNumbers(seed: seed))
        var message = M()
        message.visit(&filler)
        return message
    }

    package mutating func field<P: Primitive>(_ name: StaticString, _ value: inout P) { fill(&value) }

    package mutating func field<P: Primitive>(_ name: StaticString, _ values: inout [P]) {
        values = [P](repeating: P.blank, count: Int.random(in: 0...9, using: &generator))
        for index in values.indices { fill(&values[index]) }
    }

    package mutating func field<let count: Int, P: Primitive>(_ name: StaticString, _ values: inout [count of P]) {
        for index in 0..<count { fill(&values[index]) }
    }

    package mutating func field<M: Message>(_ name: StaticString, _ value: inout M) { value.visit(&self) }

    package mutating func field<M: Message>(_ name: StaticString, _ values: inout [M]) {
        values = [M](repeating: M(), count: Int.random(in: 0...3, using: &generator))
        for index in values.indices { values[index].visit(&self) }
    }

    package mutating func field<let count: Int, M: Message>(_ name: StaticString, _ values: inout [count of M]) {
        for index in 0..<count { values[index].visit(&self) }
    }

    private mutating func fill<P: Primitive>(_ value: inout P) {
        let random = generator.next()
        let filled: any Primitive =
            switch value {
            case is Bool: random & 1 == 1
            case is Int8: Int8(truncatingIfNeeded: random)
            case is UInt8: UInt8(truncatingIfNeeded: random)
            case is Int16: Int16(truncatingIfNeeded: random)
            case is UInt16: UInt16(truncatingIfNeeded: random)
            case is Int32: Int32(truncatingIfNeeded: random)
            case is UInt32: UInt32(truncatingIfNeeded: random)
            case is Int64: Int64(truncatingIfNeeded: random)
            case is UInt64: random
            case is Float: Float(Int32(truncatingIfNeeded: random)) / 1024
            case is Double: Double(Int64(truncatingIfNeeded: random)) / 0x1p40
            case is ROSByte: ROSByte(UInt8(truncatingIfNeeded: random))
            default: String(["", "map", "a\"b\\/\n", "ä€😀", "\u{1}x"][Int(random % 5)])
            }
        if let filled = filled as? P { value = filled }
    }
}
