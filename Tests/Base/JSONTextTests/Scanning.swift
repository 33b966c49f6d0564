import TestSupport
import Text

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
