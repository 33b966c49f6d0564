import JSONText

/// Runs a scanner over a text, in memory of exactly its size.
func scan<Result>(
    _ text: String,
    allowsNonFinite: Bool = false,
    _ body: (inout JSONScanner) throws(JSONError) -> Result
) throws(JSONError) -> Result {
    try scan(Array(text.utf8), allowsNonFinite: allowsNonFinite, body)
}

/// Runs a scanner over bytes.
func scan<Result>(
    _ bytes: [UInt8],
    allowsNonFinite: Bool = false,
    _ body: (inout JSONScanner) throws(JSONError) -> Result
) throws(JSONError) -> Result {
    try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
        var scanner = JSONScanner(UnsafeRawBufferPointer(buffer), allowsNonFinite: allowsNonFinite)
        return try body(&scanner)
    }
}

/// Passes over the one value of a text.
func skim(_ bytes: [UInt8]) throws(JSONError) {
    try scan(bytes) { (scanner) throws(JSONError) in
        try scanner.skipValue()
        try scanner.finish()
    }
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
