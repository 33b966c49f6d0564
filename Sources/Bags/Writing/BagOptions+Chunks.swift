import SystemPackage

extension BagOptions {
    /// Begins a chunk of the kind that the options ask for, under `name` and the ending of the kind.
    func chunkStorage(in directory: FilePath, name: String) throws -> any ChunkStorage {
        let options = self
        let fileName = name + (storage == .sqlite3 ? ".db3" : ".mcap")
        func create(_ path: FilePath) throws -> any ChunkFile {
            switch options.storage {
            case .sqlite3:
                // The index is built at the end where nobody looks before, which is faster.
                try SQLiteChunkFile(
                    creating: path,
                    options: options,
                    hasLiveIndex: options.durability == .resilient
                )
            case .mcap: try MCAPChunkFile(creating: path, options: options)
            }
        }
        switch (durability, compressionMode) {
        case (.resilient, _): return try TwinChunk(in: directory, fileName: fileName, creating: create)
        case (.fast, .file): return try PackedChunk(in: directory, plainName: fileName, creating: create)
        case (.fast, _): return try WholeChunk(in: directory, fileName: fileName, creating: create)
        }
    }
}
