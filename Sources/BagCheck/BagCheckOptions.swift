package import SystemPackage

/// What the check of a bag needs from outside.
package struct BagCheckOptions: Sendable {
    /// Says why an image file cannot be decoded, or nil if it can; the format is `jpeg` or `png`.
    package typealias ImageProblem = @Sendable (_ bytes: [UInt8], _ format: String) -> String?

    /// Directories that are searched for the .msg files of types that neither the bag nor this program describes.
    package var messagePaths: [FilePath]
    /// Decodes pictures; without it only their headers are looked at.
    package var imageProblem: ImageProblem?
    /// Whether SQLite reads every page of every file (PRAGMA integrity_check).
    package var checksIntegrity: Bool

    package init(
        messagePaths: [FilePath] = [],
        imageProblem: ImageProblem? = nil,
        checksIntegrity: Bool = true
    ) {
        self.messagePaths = messagePaths
        self.imageProblem = imageProblem
        self.checksIntegrity = checksIntegrity
    }
}
