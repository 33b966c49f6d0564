/// A copy with one to three changes: a byte, a piece that is gone or there twice, a word of the format.
package func mutated(
    _ bytes: [UInt8],
    words: [String] = [],
    using generator: inout SeededRandomNumbers
) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
        let place = Int.random(in: bytes.indices, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...9, using: &generator)))
        case 2: bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
        default: bytes.insert(contentsOf: (words.randomElement(using: &generator) ?? "").utf8, at: place)
        }
    }
    return bytes
}
