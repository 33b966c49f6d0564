import Glibc
import Platform
package import Recording
import SystemPackage

/// The frames of a list in time order: a few in memory, of a long list the others in a temporary file without a name.
///
/// In memory a list costs nothing a frame, or four bytes where it was not in the order of time.
package final class FrameTable: Sendable {
    /// How many frames are read from the file at a time.
    package static let chunk = 256

    package let count: Int
    private let frames: [FrameReference]
    private let spilled: FileDescriptor?
    /// Closes the file with the table.
    private let owner: FileOwner?
    /// The places of the frames in time order; `nil` where they are so already.
    private let order: [Int32]?

    fileprivate init(count: Int, frames: [FrameReference], file: NamelessFile?, order: [Int32]?) throws(FileError) {
        self.count = count
        self.frames = frames
        self.order = order
        owner = try file.map { (file) throws(FileError) in try FileOwner(file) }
        spilled = owner?.descriptor
    }

    /// The frames from a place of the time order on, at most a chunk or `limit`.
    package func frames(from place: Int, atMost limit: Int = FrameTable.chunk) throws -> [FrameReference] {
        let places = place..<min(count, place + limit)
        guard !places.isEmpty else { return [] }
        guard let spilled else {
            return places.map { place in
                if let order { return frames[Int(order[place])] }
                return frames[place]
            }
        }
        guard let order else { return try read(spilled, places) }
        return try places.flatMap { try read(spilled, Int(order[$0])..<Int(order[$0]) + 1) }
    }

    /// The place of the first frame that is not before a time, by halving.
    package func place(of time: Timestamp) throws -> Int {
        try (0..<count).sortedIndex(where: { place in
            try frames(from: place, atMost: 1).first.map { $0.time >= time } ?? true
        })
    }

    /// Passes all frames in the order of time.
    package func forEach(_ body: (FrameReference) throws -> Void) throws {
        for place in stride(from: 0, to: count, by: Self.chunk) {
            for frame in try frames(from: place) { try body(frame) }
        }
    }

    private func read(_ file: FileDescriptor, _ places: Range<Int>) throws -> [FrameReference] {
        let stride = MemoryLayout<FrameReference>.stride
        return try [FrameReference](unsafeUninitializedCapacity: places.count) { buffer, filled in
            let bytes = UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[..<(places.count * stride)]
            )
            try file.fill(bytes, fromAbsoluteOffset: Int64(places.lowerBound * stride))
            filled = places.count
        }
    }
}

/// Holds a temporary file open.
private final class FileOwner: Sendable {
    let descriptor: FileDescriptor

    /// A descriptor of its own: the other goes with the file.
    init(_ file: NamelessFile) throws(FileError) {
        descriptor = try FileError.attempt(NamelessFile.directory, "keep a temporary file in") {
            try file.descriptor.duplicate()
        }
    }

    deinit { try? descriptor.close() }
}

/// Takes frames in any order.
struct FrameTableBuilder {
    /// So many frames stay in memory; a longer list goes to a file.
    static let limit = 2048

    private var frames: [FrameReference] = []
    private var times: [Timestamp] = []
    private var file: NamelessFile?
    private var isOrdered = true
    private var failure: FileError?

    /// A long list that finds no room in the folder for temporary files fails when it is finished.
    mutating func add(_ frame: FrameReference) {
        guard failure == nil else { return }
        if let last = times.last, frame.time < last { isOrdered = false }
        times.append(frame.time)
        frames.append(frame)
        guard frames.count == Self.limit else { return }
        do throws(FileError) {
            try spill()
        } catch {
            failure = error
        }
    }

    private mutating func spill() throws(FileError) {
        if file == nil { file = try NamelessFile() }
        guard let file else { return }
        _ = try FileError.attempt(NamelessFile.directory, "write to a temporary file in") {
            try frames.withUnsafeBytes { try file.descriptor.writeAll($0) }
        }
        frames.removeAll(keepingCapacity: true)
    }

    /// - Parameter dropped: places, in the order of adding, of frames that are not to be in the table.
    consuming func finish(without dropped: Set<Int> = []) throws(FileError) -> FrameTable {
        if let failure { throw failure }
        if file != nil { try spill() }
        var order: [Int32]?
        if !isOrdered || !dropped.isEmpty {
            let places = times.indices.filter { !dropped.contains($0) }
            order = places.sorted { (times[$0], $0) < (times[$1], $1) }.map { Int32($0) }
        }
        return try FrameTable(count: order?.count ?? times.count, frames: frames, file: file, order: order)
    }
}
