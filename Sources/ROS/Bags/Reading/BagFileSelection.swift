/// Which files of a directory are those of its bag: the one decision for everything that reads, checks or repairs one.
///
/// The bag is what metadata.yaml lists. Without a list it is every storage file, in the order of the numbers in the
/// names. Only one of a file and its compressed twin (`rec_0.db3` and `rec_0.db3.zstd`) is ever read: rosbag2's player
/// leaves the unpacked one beside a file that is listed as packed.
package struct BagFileSelection: Sendable, Hashable {
    /// Names of the files to read, in playing order; all are there.
    package private(set) var files: [String] = []
    /// Listed names that are not there, not even as their twin; without a list those that numbers show to be lost.
    package private(set) var missing: [String] = []
    /// Other forms of files that are read.
    package private(set) var twins: [String] = []
    /// Storage files that metadata.yaml does not list, and that are no twins.
    package private(set) var unlisted: [String] = []
    /// Chunks that their writer had not finished.
    package private(set) var unfinished: [String] = []
    /// True if there is a list of files, with something in it.
    package let isListed: Bool

    /// - Parameter listed: Names that metadata.yaml lists, without directories; nil where there is none.
    package init(names: [String], listed: [String]?) {
        let present = Set(names)
        let stored = FileKind.inOrderOfNumbers(names.filter(FileKind.isStorageName))
        unfinished = names.filter(FileKind.isUnfinishedName)
        isListed = listed?.isEmpty == false
        guard let listed, !listed.isEmpty else {
            // Packing removes the plain file last, and unpacking makes it first: the plain one is preferred.
            files = stored.filter { !(BagFileSelection.plainName(of: $0).map(present.contains) ?? false) }
            twins = stored.filter { BagFileSelection.plainName(of: $0).map(present.contains) ?? false }
            let parts = Set(unfinished.map { String($0.prefix { $0 != "." }) })
            missing = FileKind.gaps(files.map { BagFileSelection.plainName(of: $0) ?? $0 }).filter {
                !parts.contains(String($0.prefix { $0 != "." }))
            }
            return
        }
        var seen: Set<String> = []
        var unique = listed.filter { seen.insert($0).inserted }
        // A list sorted as text has 10 before 9.
        if unique == unique.sorted() { unique = FileKind.inOrderOfNumbers(unique) }
        for name in unique {
            if present.contains(name) {
                files.append(name)
            } else if let twin = BagFileSelection.twin(of: name), present.contains(twin), seen.insert(twin).inserted {
                files.append(twin)
            } else {
                missing.append(name)
            }
        }
        let taken = Set(files)
        for name in stored where !taken.contains(name) {
            if let twin = BagFileSelection.twin(of: name), taken.contains(twin) {
                twins.append(name)
            } else {
                unlisted.append(name)
            }
        }
    }

    /// The bag with the files that no list has taken in too, as is right where listed ones are missing.
    package func takingUnlisted() -> BagFileSelection {
        var selection = self
        selection.files = FileKind.inOrderOfNumbers(files + unlisted)
        selection.unlisted = []
        return selection
    }

    /// The same file in its other form, packed or plain; nil for what is no storage file.
    private static func twin(of name: String) -> String? {
        guard FileKind.isStorageName(name) else { return nil }
        return plainName(of: name) ?? name + packedSuffix
    }

    static func plainName(of name: String) -> String? {
        name.hasSuffix(packedSuffix) ? String(name.dropLast(packedSuffix.count)) : nil
    }

    static let packedSuffix = ".zstd"
}
