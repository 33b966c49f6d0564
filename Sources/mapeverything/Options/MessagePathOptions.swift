import ArgumentParser
import DynamicMessages
import SystemPackage

/// Where definitions of message types are looked for.
struct MessagePathOptions: ParsableArguments {
    @Option(
        name: .customLong("msg-path"),
        help: ArgumentHelp(
            "Folder to search for .msg files, at any depth. Definitions in a bag come first, then these, then the "
                + "built-in types. May be given several times.",
            valueName: "folder"
        )
    )
    var folders: [String] = []

    /// Finds types in the folders, and those that this program knows.
    ///
    /// - Throws: what names a folder that cannot be listed.
    func resolver() throws(UsageError) -> TypeResolver {
        do throws(SchemaError) {
            return TypeResolver(directories: try MessageDirectories(folders.map { FilePath($0) }))
        } catch {
            throw UsageError("--msg-path", expected: error.expected, found: "\(error.source): \(error.found)")
        }
    }
}
