package import Bags
package import Messages
package import Platform

/// The options of the check of a bag, with what it needs from outside.
package struct BagCheckOptions: Sendable {
    /// Says why an image file cannot be decoded, or nil if it can; the format is `jpeg` or `png`.
    package typealias ImageProblem = @Sendable (_ bytes: [UInt8], _ format: String) -> String?

    /// Finds the definitions of types.
    package var types: TypeResolver
    /// Decodes pictures; without it only their headers are looked at.
    package var imageProblem: ImageProblem?
    /// True if SQLite reads every page of every file (PRAGMA integrity_check).
    package var checksIntegrity: Bool
    /// How large a compressed file may become.
    package var unpackLimit: UnpackLimit
    /// Is told how many messages are done.
    package var progress: ProgressHandler

    package init(
        types: TypeResolver = TypeResolver(),
        imageProblem: ImageProblem? = nil,
        checksIntegrity: Bool = true,
        unpackLimit: UnpackLimit = UnpackLimit(),
        progress: @escaping ProgressHandler = { _ in }
    ) {
        self.types = types
        self.imageProblem = imageProblem
        self.checksIntegrity = checksIntegrity
        self.unpackLimit = unpackLimit
        self.progress = progress
    }
}
