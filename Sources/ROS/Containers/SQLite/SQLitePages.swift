package import Files
import Glibc
package import SystemPackage

/// Pages that are put behind those of an SQLite file while no connection has it open.
///
/// Format: https://sqlite.org/fileformat2.html. What is written here is sound only after `finish`.
package final class SQLitePages {
    package let pageBytes: Int
    /// How many pages the file has, with those that were given out.
    package private(set) var pageCount: Int
    private let path: FilePath
    private let descriptor: FileDescriptor
    private var isClosed = false

    /// - Parameter path: a database that no connection has open, and without autovacuum or reserved bytes.
    package init(appendingTo path: FilePath, pageBytes: Int) throws(FileError) {
        self.path = path
        self.pageBytes = pageBytes
        do {
            let descriptor = try FileDescriptor.open(path, .readWrite, options: .closeOnExec)
            pageCount = Int(try descriptor.seek(offset: 0, from: .end)) / pageBytes
            self.descriptor = descriptor
        } catch {
            throw FileError(path: path, operation: "open", errno: error as? Errno ?? .ioError)
        }
    }

    deinit {
        if !isClosed { try? descriptor.close() }
    }

    /// The page that SQLite locks instead of using it: that of the byte at 1 GiB.
    private var lockPage: Int { (1 << 30) / pageBytes + 1 }

    /// The number of the next page to write.
    func allocate() -> Int {
        pageCount += pageCount + 1 == lockPage ? 2 : 1
        return pageCount
    }

    func write(_ page: UnsafeRawBufferPointer, at number: Int) throws(FileError) {
        try attempt("write") {
            _ = try descriptor.writeAll(toAbsoluteOffset: Int64(number - 1) * Int64(pageBytes), page)
        }
    }

    /// How many pages `byteCount` bytes take that do not fit into a cell.
    func overflowPageCount(_ byteCount: Int) -> Int { (byteCount + pageBytes - 5) / (pageBytes - 4) }

    /// Writes the rest of a payload as a chain of pages, without copying it; returns the first one's number.
    func writeOverflow(_ payload: UnsafeRawBufferPointer) throws(FileError) -> Int {
        let numbers = (0..<overflowPageCount(payload.count)).map { _ in allocate() }
        // Each page: the number of the next one, then content.
        var heads = numbers.dropFirst().map { UInt32($0).bigEndian } + [0]
        let padding = [UInt8](repeating: 0, count: numbers.count * (pageBytes - 4) - payload.count)
        let problem = heads.withUnsafeMutableBytes { heads in
            padding.withUnsafeBytes { padding in
                writeChain(numbers, heads, payload, padding)
            }
        }
        if let problem { throw FileError(path: path, operation: "write", errno: problem) }
        return numbers[0]
    }

    /// Says in the file's header how many pages there are, and closes it.
    package func finish() throws(FileError) {
        let count = UInt32(pageCount).bigEndian
        try attempt("write") {
            _ = try withUnsafeBytes(of: count) { try descriptor.writeAll(toAbsoluteOffset: 28, $0) }
        }
        isClosed = true
        try attempt("close") { try descriptor.close() }
    }

    private func writeChain(
        _ numbers: [Int],
        _ heads: UnsafeMutableRawBufferPointer,
        _ payload: UnsafeRawBufferPointer,
        _ padding: UnsafeRawBufferPointer
    ) -> Errno? {
        let contentBytes = pageBytes - 4
        var start = 0
        while start < numbers.count {
            // As many pages as lie one after the other, within the kernel's limit of 1024 pieces.
            var end = start + 1
            while end < numbers.count, end - start < 256, numbers[end] == numbers[end - 1] + 1 { end += 1 }
            var pieces: [iovec] = []
            for index in start..<end {
                pieces.append(iovec(iov_base: heads.baseAddress.map { $0 + 4 * index }, iov_len: 4))
                let content = payload[index * contentBytes..<min((index + 1) * contentBytes, payload.count)]
                let base = UnsafeRawBufferPointer(rebasing: content).baseAddress
                pieces.append(iovec(iov_base: UnsafeMutableRawPointer(mutating: base), iov_len: content.count))
            }
            if end == numbers.count {
                let base = UnsafeMutableRawPointer(mutating: padding.baseAddress)
                pieces.append(iovec(iov_base: base, iov_len: padding.count))
            }
            if let problem = writeAll(pieces, at: (numbers[start] - 1) * pageBytes) { return problem }
            start = end
        }
        return nil
    }

    /// `pwritev` until everything is written.
    private func writeAll(_ pieces: [iovec], at offset: Int) -> Errno? {
        var pieces = pieces[...]
        var offset = offset
        while let first = pieces.first {
            if first.iov_len == 0 {
                pieces.removeFirst()
                continue
            }
            var written = pieces.withUnsafeBufferPointer {
                pwritev(descriptor.rawValue, $0.baseAddress, Int32($0.count), offset)
            }
            if written < 0 {
                let problem = Errno(rawValue: errno)
                if problem == .interrupted { continue }
                return problem
            }
            offset += written
            while written > 0, let piece = pieces.first {
                if piece.iov_len <= written {
                    written -= piece.iov_len
                    pieces.removeFirst()
                } else {
                    pieces[pieces.startIndex].iov_base += written
                    pieces[pieces.startIndex].iov_len -= written
                    written = 0
                }
            }
        }
        return nil
    }

    private func attempt(_ operation: String, _ body: () throws -> Void) throws(FileError) {
        do {
            try body()
        } catch {
            throw FileError(path: path, operation: operation, errno: error as? Errno ?? .ioError)
        }
    }
}
