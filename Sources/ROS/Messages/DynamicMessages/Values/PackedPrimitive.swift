/// A primitive whose arrays ``DynamicValue`` holds as they are.
package protocol PackedPrimitive: Primitive {
    static func value(_ single: Self) -> DynamicValue
    static func single(_ value: DynamicValue) -> Self?
    static func value(_ array: [Self]) -> DynamicValue
    static func array(_ value: DynamicValue) -> [Self]?
}

extension PackedPrimitive where Self: FixedWidthInteger {
    package static func value(_ single: Self) -> DynamicValue {
        isSigned ? .integer(Int64(truncatingIfNeeded: single)) : .unsigned(UInt64(truncatingIfNeeded: single))
    }

    package static func single(_ value: DynamicValue) -> Self? {
        switch value {
        case .integer(let value): Self(exactly: value)
        case .unsigned(let value): Self(exactly: value)
        default: nil
        }
    }
}

extension Int8: PackedPrimitive {
    package static func value(_ array: [Int8]) -> DynamicValue { .int8s(array) }
    package static func array(_ value: DynamicValue) -> [Int8]? {
        if case .int8s(let values) = value { values } else { nil }
    }
}

extension UInt8: PackedPrimitive {
    package static func value(_ array: [UInt8]) -> DynamicValue { .bytes(array) }
    package static func array(_ value: DynamicValue) -> [UInt8]? {
        if case .bytes(let values) = value { values } else { nil }
    }
}

extension Int16: PackedPrimitive {
    package static func value(_ array: [Int16]) -> DynamicValue { .int16s(array) }
    package static func array(_ value: DynamicValue) -> [Int16]? {
        if case .int16s(let values) = value { values } else { nil }
    }
}

extension UInt16: PackedPrimitive {
    package static func value(_ array: [UInt16]) -> DynamicValue { .uint16s(array) }
    package static func array(_ value: DynamicValue) -> [UInt16]? {
        if case .uint16s(let values) = value { values } else { nil }
    }
}

extension Int32: PackedPrimitive {
    package static func value(_ array: [Int32]) -> DynamicValue { .int32s(array) }
    package static func array(_ value: DynamicValue) -> [Int32]? {
        if case .int32s(let values) = value { values } else { nil }
    }
}

extension UInt32: PackedPrimitive {
    package static func value(_ array: [UInt32]) -> DynamicValue { .uint32s(array) }
    package static func array(_ value: DynamicValue) -> [UInt32]? {
        if case .uint32s(let values) = value { values } else { nil }
    }
}

extension Int64: PackedPrimitive {
    package static func value(_ array: [Int64]) -> DynamicValue { .int64s(array) }
    package static func array(_ value: DynamicValue) -> [Int64]? {
        if case .int64s(let values) = value { values } else { nil }
    }
}

extension UInt64: PackedPrimitive {
    package static func value(_ array: [UInt64]) -> DynamicValue { .uint64s(array) }
    package static func array(_ value: DynamicValue) -> [UInt64]? {
        if case .uint64s(let values) = value { values } else { nil }
    }
}

extension Bool: PackedPrimitive {
    package static func value(_ single: Bool) -> DynamicValue { .bool(single) }
    package static func single(_ value: DynamicValue) -> Bool? {
        if case .bool(let value) = value { value } else { nil }
    }
    package static func value(_ array: [Bool]) -> DynamicValue { .bools(array) }
    package static func array(_ value: DynamicValue) -> [Bool]? {
        if case .bools(let values) = value { values } else { nil }
    }
}

extension Float: PackedPrimitive {
    package static func value(_ single: Float) -> DynamicValue { .float32(single) }
    package static func single(_ value: DynamicValue) -> Float? {
        if case .float32(let value) = value { value } else { nil }
    }
    package static func value(_ array: [Float]) -> DynamicValue { .float32s(array) }
    package static func array(_ value: DynamicValue) -> [Float]? {
        if case .float32s(let values) = value { values } else { nil }
    }
}

extension Double: PackedPrimitive {
    package static func value(_ single: Double) -> DynamicValue { .float64(single) }
    package static func single(_ value: DynamicValue) -> Double? {
        if case .float64(let value) = value { value } else { nil }
    }
    package static func value(_ array: [Double]) -> DynamicValue { .float64s(array) }
    package static func array(_ value: DynamicValue) -> [Double]? {
        if case .float64s(let values) = value { values } else { nil }
    }
}

extension String: PackedPrimitive {
    package static func value(_ single: String) -> DynamicValue { .string(single) }
    package static func single(_ value: DynamicValue) -> String? {
        if case .string(let value) = value { value } else { nil }
    }
    package static func value(_ array: [String]) -> DynamicValue { .strings(array) }
    package static func array(_ value: DynamicValue) -> [String]? {
        if case .strings(let values) = value { values } else { nil }
    }
}
