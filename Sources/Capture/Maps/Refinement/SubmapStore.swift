import Platform
import SystemPackage

/// The submaps of a walk: the last ones used in memory, the others in a temporary file.
final class SubmapStore {
    /// So many are in memory, at about 130 kB each.
    private static let limit = 160

    /// The place of each submap's middle key frame in the walk.
    private(set) var anchors: [Int] = []
    private var kept: [Int: (submap: Submap, use: Int)] = [:]
    private var uses = 0
    private var file: NamelessFile?
    private var end: Int64 = 0
    /// Where each submap that was written lies in the file.
    private var extents: [Int: (offset: Int64, count: Int)] = [:]

    var count: Int { anchors.count }

    func append(_ submap: Submap, anchor: Int) throws {
        try keep(submap, as: count)
        anchors.append(anchor)
    }

    subscript(index: Int) -> Submap {
        get throws {
            if let known = kept[index] {
                uses += 1
                kept[index]?.use = uses
                return known.submap
            }
            let submap = Submap(try read(index))
            try keep(submap, as: index)
            return submap
        }
    }

    private func keep(_ submap: Submap, as index: Int) throws {
        uses += 1
        kept[index] = (submap, uses)
        guard kept.count > Self.limit else { return }
        // A quarter of them at once, those that were not used for the longest time.
        for (old, entry) in kept.sorted(by: { $0.value.use < $1.value.use }).prefix(Self.limit / 4) {
            try write(entry.submap, as: old)
            kept[old] = nil
        }
    }

    private func write(_ submap: Submap, as index: Int) throws {
        guard extents[index] == nil else { return }
        let file = try self.file ?? NamelessFile()
        self.file = file
        let bytes = submap.bytes
        try FileError.attempt(NamelessFile.directory, "write to a temporary file in") {
            _ = try file.descriptor.writeAll(toAbsoluteOffset: end, bytes)
        }
        extents[index] = (end, bytes.count)
        end += Int64(bytes.count)
    }

    private func read(_ index: Int) throws -> [UInt8] {
        guard let file, let extent = extents[index] else { return [] }
        return try [UInt8](unsafeUninitializedCapacity: extent.count) { buffer, filled in
            let bytes = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<extent.count])
            try FileError.attempt(NamelessFile.directory, "read from a temporary file in") {
                try file.descriptor.fill(bytes, fromAbsoluteOffset: extent.offset)
            }
            filled = extent.count
        }
    }
}
