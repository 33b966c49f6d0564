import Files
import SystemPackage

/// Gives frames that repeat an image the files of the first frame that showed it.
struct FrameLinker {
    let folder: SessionFolder
    let options: SampleOptions
    private var jpegs: [RenderPlan.JPEGKey: FilePath] = [:]
    private var maps: [MapKey: FilePath] = [:]

    private struct MapKey: Hashable {
        var image: Int
        var payload: SessionFolder.Payload
    }

    init(folder: SessionFolder, options: SampleOptions) {
        self.folder = folder
        self.options = options
    }

    /// Must see the frames in order: the first one of its kind has files already.
    mutating func link(_ frame: SampleFrame) throws(FileError) {
        let key = RenderPlan.JPEGKey(image: frame.image, orientation: frame.orientation)
        try link(&jpegs[key], folder.path(.rgb, frame: frame.index))
        if options.hasLidar {
            try linkMap(.depth, frame)
            try linkMap(.confidence, frame)
        }
        if options.hasRelativeDepth { try linkMap(.relativeDepth, frame) }
    }

    private mutating func linkMap(_ payload: SessionFolder.Payload, _ frame: SampleFrame) throws(FileError) {
        let key = MapKey(image: frame.image, payload: payload)
        try link(&maps[key], folder.path(payload, frame: frame.index))
    }

    private func link(_ source: inout FilePath?, _ path: FilePath) throws(FileError) {
        guard let first = source else {
            source = path
            return
        }
        if try folder.link(first, to: path) { source = path }
    }
}
