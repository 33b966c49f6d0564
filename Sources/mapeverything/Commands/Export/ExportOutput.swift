import Files
import SystemPackage

/// What all exports share about their output.
extension ExportCommand {
    /// A folder that is filled under another name; a file is made in one too.
    func makeFolder(isFile: Bool) throws -> OutputFolder {
        if isFile { _ = try newFile() }
        do {
            return try OutputFolder(creating: FilePath(output), replacesFile: isFile && force)
        } catch {
            throw OutputError.ofNew(error, output)
        }
    }

    /// The one file of the export, which is refused before any work where it cannot be.
    func newFile() throws -> NewFile { try NewFile(output, to.outputKind, replaces: force, inputs: [path]) }
}
