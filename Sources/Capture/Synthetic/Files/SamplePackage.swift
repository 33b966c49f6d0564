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

    /// Refuses a file that is there, unless `isForced`.
    func prepare() throws {
        for file in [path, truth, tagTruth] where access(file.string, F_OK) == 0 {
            guard isForced else { throw SyntheticError.exists(path: file) }
        }
    }

    /// Packs the folder and removes it; the list comes first, as in what the app writes.
    func pack(_ folder: SessionFolder, _ schedule: SampleSchedule, _ layout: Record3DLayout) throws {
        let packed = folder.path("packed")
        let zip = try ZIPWriter(creating: packed)
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
        unlink(tagTruth.string)
        if schedule.options.hasTags { try folder.move(folder.path(TruthDocument.tagFile), to: tagTruth) }
        try folder.move(folder.path(TruthDocument.file), to: truth)
        try folder.move(packed, to: path)
        folder.discard()
    }
}
