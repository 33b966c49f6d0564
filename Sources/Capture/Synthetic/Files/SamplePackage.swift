import Codecs
import Files
import Glibc
import SystemPackage

/// A sample that is one file: written as a folder beside it, then packed in the order of its frames.
struct SamplePackage {
    let path: FilePath
    let isForced: Bool

    /// Where the folder lies until it is packed.
    var parts: FilePath { FilePath(path.string + ".parts") }
    /// No reader looks for it in the file.
    var truth: FilePath { FilePath(path.string + "." + TruthDocument.file) }

    private var tagTruth: FilePath { FilePath(path.string + "." + TruthDocument.tagFile) }

    /// Refuses a file that is there, or removes it and its truth if `isForced`.
    func prepare() throws {
        for file in [path, truth, tagTruth] where access(file.string, F_OK) == 0 {
            guard isForced else { throw SyntheticError.exists(path: file) }
            guard unlink(file.string) == 0 else {
                throw FileError(path: file, operation: "unlink", errno: Errno(rawValue: Glibc.errno))
            }
        }
    }

    /// Packs the folder and removes it; the list comes first, as in what the app writes.
    func pack(_ folder: SessionFolder, _ schedule: SampleSchedule, _ layout: Record3DLayout) throws {
        let zip = try ZIPWriter(creating: path)
        func add(_ name: String, as member: String? = nil) throws(FileError) {
            try zip.add(member ?? name, try OutputFile.contents(of: folder.path(name)))
        }
        let files = layout.files
        try add("metadata")
        if let picture = files.picture { try add(picture(schedule.frame(0)), as: "icon") }
        for index in 0..<schedule.frameCount {
            try Task.checkCancellation()
            let frame = schedule.frame(index)
            let names = [files.picture, files.depth?.name, files.confidence?.name].compactMap(\.self)
            for name in names { try add(name(frame)) }
        }
        try zip.finish()
        try move(TruthDocument.file, of: folder, to: truth)
        if schedule.options.hasTags { try move(TruthDocument.tagFile, of: folder, to: tagTruth) }
        try folder.remove(Record3DLayout.leavings)
        rmdir(folder.root.string)
    }

    private func move(_ name: String, of folder: SessionFolder, to path: FilePath) throws(FileError) {
        guard rename(folder.path(name).string, path.string) == 0 else {
            throw FileError(path: path, operation: "create", errno: Errno(rawValue: Glibc.errno))
        }
    }
}
