import SystemPackage

extension BagOptions {
    /// Begins a chunk of the kind that the options ask for, under `name` and the ending of the kind.
    func chunkStorage(in directory: FilePath, name: String) throws -> any ChunkStorage {
        switch durability {
        case .fast: try WholeChunk(in: directory, fileName: name + ".db3", options: self)
        case .resilient: try TwinChunk(in: directory, fileName: name + ".db3", options: self)
        }
    }
}
