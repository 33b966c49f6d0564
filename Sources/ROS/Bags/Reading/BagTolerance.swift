/// The faults that a reader passes over with a warning instead of refusing the bag.
package struct BagTolerance: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Files that metadata.yaml lists and that are not there; in their place files that it does not list are read.
    package static let missingFiles = BagTolerance(rawValue: 1)
    /// Files with the journal of an interrupted write, read as they lie.
    package static let unfinishedFiles = BagTolerance(rawValue: 2)
    /// A metadata.yaml or files that are damaged: what is sound before the damage is read.
    package static let damage = BagTolerance(rawValue: 4)

    /// A .db3 file whose tables cannot be read: its rows are saved one by one into a temporary file, which is read.
    package static let salvage = BagTolerance(rawValue: 8)

    package static let everything: BagTolerance = [.missingFiles, .unfinishedFiles, .damage, .salvage]
}
