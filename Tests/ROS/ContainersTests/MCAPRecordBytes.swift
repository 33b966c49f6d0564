// Records of MCAP, to be put together field by field.

/// - Parameter length: what the record claims; that of its body if it is nil.
func record(_ opcode: UInt8, length: UInt64? = nil, _ body: [UInt8]) -> [UInt8] {
    [opcode] + integer(length ?? UInt64(body.count)) + body
}

func integer<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { [UInt8]($0) }
}

func text(_ text: String) -> [UInt8] { integer(UInt32(text.utf8.count)) + Array(text.utf8) }
