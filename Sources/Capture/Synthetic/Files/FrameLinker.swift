import Files
import SystemPackage

/// Gives frames that repeat an image the files of the first frame that showed it.
struct FrameLinker {
    let folder: SessionFolder
    let options: SampleOptions
    let files: SampleFiles
    private var pictures: [RenderPlan.JPEGKey: FilePath] = [:]
    private var maps: [MapKey: FilePath] = [:]

    private enum Map { case depth, confidence, relativeDepth }

    private struct MapKey: Hashable {
        var image: Int
        var map: Map
    }

    init(folder: SessionFolder, options: SampleOptions, files: SampleFiles) {
        self.folder = folder
        self.options = options
        self.files = files
    }

    /// Must see the frames in order: the first one of its kind has files already.
    mutating func link(_ frame: SampleFrame) throws(FileError) {
        if let picture = files.picture {
            let key = RenderPlan.JPEGKey(image: frame.image, orientation: frame.orientation)
            try link(&pictures[key], folder.path(picture(frame)))
        }
        if options.hasLidar {
            try linkMap(.depth, frame, files.depth?.name)
            try linkMap(.confidence, frame, files.confidence?.name)
        }
        if options.hasRelativeDepth { try linkMap(.relativeDepth, frame, files.relativeDepth?.name) }
    }

    private mutating func linkMap(
        _ map: Map,
        _ frame: SampleFrame,
        _ name: ((SampleFrame) -> String)?
    ) throws(FileError) {
        guard let name else { return }
        try link(&maps[MapKey(image: frame.image, map: map)], folder.path(name(frame)))
    }

    private func link(_ source: inout FilePath?, _ path: FilePath) throws(FileError) {
        guard let first = source else {
            source = path
            return
        }
        if try folder.link(first, to: path) { source = path }
    }
}
