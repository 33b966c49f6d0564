import SystemPackage

extension BagOptions {
    /// Creates a chunk of the storage and durability in the options; its file name is `name` with the storage's
    /// extension.
    func chunkStorage(in directory: FilePath, name: String) throws -> any ChunkStorage {
        let options = self
        let fileName = name + (storage == .sqlite3 ? ".db3" : ".mcap")
        func create(_ path: FilePath) throws -> any ChunkFile {
            switch options.storage {
            case .sqlite3: try SQLiteChunkFile(creating: path, options: options)
            case .mcap: try MCAPChunkFile(creating: path, options: options)
            }
        }
        if durability == .resilient {
            return try TwinChunk(in: directory, fileName: fileName, creating: create)
        }
        return try WholeChunk(
            in: directory,
            plainName: fileName,
            isCompressed: compressionMode == .file,
            creating: create
        )
    }
}
