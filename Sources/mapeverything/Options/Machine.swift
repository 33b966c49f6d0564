import CMalloc
import Glibc

enum Machine {
    /// Keeps the C library from growing the heap with the length of a session.
    ///
    /// Left alone it raises the size from which a block gets pages of its own whenever such a block is freed; images
    /// and encoded messages then fragment the heap, and a long replay takes twice the memory of a short one.
    static func boundHeap() {
        mallopt(M_MMAP_THRESHOLD, 1 << 20)
        // Giving every freed message back to the system, to be zeroed and mapped anew for the next, takes as long as
        // converting it.
        mallopt(M_TRIM_THRESHOLD, 8 << 20)
        mallopt(M_ARENA_MAX, 4)
    }

    /// The processors that are on, at most sixteen: more workers than that only cost memory.
    static var coreCount: Int { max(1, min(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 16)) }
}

/// Small text files that the user names.
enum TextFile {
    static func read(_ path: String, maximumBytes: Int) -> String? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= maximumBytes {
            let count = fread(&block, 1, block.count, file)
            // A folder opens like a file, and cannot be read.
            guard ferror(file) == 0 else { return nil }
            if count == 0 { break }
            bytes += block[..<count]
        }
        return bytes.count <= maximumBytes ? String(validating: bytes, as: UTF8.self) : nil
    }
}
