extension [UInt8] {
    /// Appends what `fill` writes to memory of the given size, whose first content is open: as many bytes as it returns, and none
    /// if it throws.
    @inlinable
    package mutating func append<Failure: Error>(
        size: Int,
        _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        #if compiler(>=6.3)
        try append(addingCapacity: size) { (span) throws(Failure) in
            try span.withUnsafeMutableBufferPointer { (memory, count) throws(Failure) in
                count = try fill(UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: memory[..<size])))
            }
        }
        #else
        // Swift 6.2 has nothing that appends without writing zeros first.
        let old = count
        var written = 0
        append(contentsOf: repeatElement(0, count: size))
        defer { removeLast(size - written) }
        written = try withUnsafeMutableBufferPointer { (memory) throws(Failure) in
            try fill(UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: memory[old...])))
        }
        #endif
    }
}
