import Files
import SystemPackage

/// What all exports share about their output.
extension ExportCommand {
    /// A folder that is filled under another name; a file is made in one too.
    func makeFolder(isFile: Bool) throws -> OutputFolder {
        do {
            return try OutputFolder(creating: FilePath(output), replacesFile: isFile && force)
        } catch {
            throw OutputError.ofNew(error)
        }
    }

    /// Writes one file, which is there as a whole or not at all.
    func write(_ bytes: [UInt8]) throws {
        let folder = try makeFolder(isFile: true)
        do {
            try OutputFile.write(bytes, to: folder.file("file"))
            try folder.show(file: "file")
        } catch {
            folder.discard()
            throw OutputError.of(error)
        }
    }
}

extension OutputError {
    /// The error of a file that could not be written as one of the output; others as they are.
    static func of(_ error: any Error) -> any Error {
        guard let error = error as? FileError else { return error }
        return OutputError(path: error.path.string, expected: "to \(error.operation) it", found: error.found)
    }

    /// The same where the output must be new.
    static func ofNew(_ error: FileError) -> any Error {
        guard error.errno == .fileExists else { return of(error) }
        return OutputError(
            path: error.path.string,
            expected: "a path that does not exist yet",
            found: "one that does"
        )
    }
}
