/// The names of the files of a frame in the native layout, relative to the session, and their encodings.
package enum NativeFiles {
    package static let frames = "frames.jsonl"
    package static let metadata = "metadata.json"
    package static let motion = "imu.jsonl"
    package static let locations = "gps.jsonl"
    package static let headings = "heading.jsonl"
    package static let radio = "radio.jsonl"
    package static let indoor = "indoor.jsonl"

    package static func picture(_ index: Int) -> String { "rgb/\(padded(index, 6)).jpg" }
    package static func depth(_ index: Int) -> String { "depth/\(padded(index, 6)).bin" }
    package static func confidence(_ index: Int) -> String { "confidence/\(padded(index, 6)).bin" }
    package static func relativeDepth(_ index: Int) -> String { "relative_depth/\(padded(index, 6)).bin" }

    /// Float32, little-endian, in the order of the values.
    package static func floats(_ values: [Float]) -> [UInt8] {
        values.map { $0.bitPattern.littleEndian }.withUnsafeBytes { Array($0) }
    }
}

/// A number with leading zeros.
package func padded(_ number: Int, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}
