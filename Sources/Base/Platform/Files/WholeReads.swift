package import SystemPackage

extension FileDescriptor {
    /// Reads as many bytes as there is room for, in as many reads as it takes.
    ///
    /// - Throws: `Errno`; `ioError` where the file ends before.
    package func fill(_ bytes: UnsafeMutableRawBufferPointer, fromAbsoluteOffset offset: Int64) throws {
        guard try readAll(bytes, fromAbsoluteOffset: offset) == bytes.count else { throw Errno.ioError }
    }

    /// Reads as many bytes as there is room for, fewer only where the file ends: a single read may end short anywhere.
    package func readAll(_ bytes: UnsafeMutableRawBufferPointer, fromAbsoluteOffset offset: Int64) throws -> Int {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
            let count = try read(fromAbsoluteOffset: offset + Int64(done), into: rest)
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Reads so many bytes, fewer only where the file ends.
    package func bytes(_ count: Int, fromAbsoluteOffset offset: Int64) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = try readAll(UnsafeMutableRawBufferPointer(buffer), fromAbsoluteOffset: offset)
        }
    }
}
