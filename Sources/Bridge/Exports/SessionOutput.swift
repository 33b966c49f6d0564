import Codecs
import Platform
import Recording
import Sessions
import SystemPackage

/// A session in the native layout that is being written: a folder, or a ZIP file with the folder in it.
///
/// It gets its name when all of it is there.
final class SessionOutput {
    private let folder: OutputFolder
    private let zip: ZIPWriter?
    private var streams: [String: OutputFile] = [:]
    private var folders: Set<String> = []

    private static let archive = "archive"

    /// - Parameter folder: shown as one ZIP file where its name ends in `.zip`.
    init(_ folder: OutputFolder) throws(FileError) {
        self.folder = folder
        let isZIP = folder.path.extension?.lowercased() == "zip"
        zip = isZIP ? try ZIPWriter(creating: folder.file(Self.archive)) : nil
    }

    /// The name of the session.
    var name: String {
        let last = folder.path.lastComponent
        return (zip == nil ? last?.string : last?.stem) ?? "session"
    }

    /// Adds a whole file.
    func add(_ file: String, _ bytes: [UInt8]) throws(FileError) {
        if let zip { return try zip.add("\(name)/\(file)", bytes) }
        let parent = FilePath(file).removingLastComponent().string
        if !parent.isEmpty, folders.insert(parent).inserted { try folder.makeFolder(parent) }
        try OutputFile.write(bytes, to: folder.file(file))
    }

    /// Adds a line to a file of lines.
    func append(_ line: [UInt8], to stream: String) throws(FileError) {
        let file: OutputFile
        if let open = streams[stream] {
            file = open
        } else {
            file = try OutputFile(creating: folder.file(stream))
            streams[stream] = file
        }
        try file.append(line + [UInt8(ascii: "\n")])
    }

    /// Ends all files, writes the last one, and gives the session its name.
    func finish(_ file: String, _ bytes: [UInt8]) throws {
        for (name, stream) in streams.sorted(by: { $0.key < $1.key }) {
            try stream.finish()
            if let zip { try pack(name, into: zip) }
        }
        try add(file, bytes)
        guard let zip else { return try folder.show() }
        try zip.finish()
        // Someone else may have made a file of the name.
        guard FileType(of: folder.path) == nil else {
            throw FileError(path: folder.path, operation: "create", errno: .fileExists)
        }
        try folder.show(file: Self.archive)
    }

    /// In pieces: a file of lines is as long as the session.
    private func pack(_ stream: String, into zip: ZIPWriter) throws(FileError) {
        let path = folder.file(stream)
        let (descriptor, _) = try RegularFile.open(path)
        defer { try? descriptor.close() }
        try zip.beginEntry("\(name)/\(stream)")
        while true {
            let piece = try FileError.attempt(path, "read") {
                try [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, filled in
                    filled = try descriptor.read(into: UnsafeMutableRawBufferPointer(buffer))
                }
            }
            if piece.isEmpty { break }
            try zip.append(piece)
        }
        try zip.endEntry()
    }
}

/// Everything of a frame that the native layout stores.
struct LoadedFrame: Sendable {
    /// With the turn of the picture, and the sizes of what was loaded.
    var frame: FrameReference
    var picture: [UInt8]?
    /// True if the picture was stored as something else than a JPEG file.
    var isEncoded = false
    var depth: DepthMap?
    var relativeDepth: RelativeDepthMap?
    var diagnostics = Diagnostics()
}

/// Loads frames, one loader for each worker.
final class FrameLoader {
    /// The quality for pictures that were stored as PNG: the loss is not visible.
    static let jpegQuality = 95

    private let loader: any PayloadLoader
    private let measuresSharpness: Bool
    private var encoder: JPEGEncoder?

    /// - Parameter measuresSharpness: of pictures whose sharpness was not recorded.
    init(_ session: any Session, measuresSharpness: Bool) {
        loader = session.makeLoader()
        self.measuresSharpness = measuresSharpness
    }

    /// - Parameter picture: of a session whose pictures come from a video.
    func load(_ frame: FrameReference, _ picture: VideoPicture?) throws -> LoadedFrame {
        var loaded = LoadedFrame(frame: frame)
        if let image = loader.image(of: frame, picture, &loaded.diagnostics) { try take(image, into: &loaded) }
        loaded.frame.hasImage = loaded.picture != nil
        if picture != nil, loaded.frame.hasImage { loaded.isEncoded = true }
        loaded.depth = loader.depth(of: frame, &loaded.diagnostics)
        loaded.frame.depthSize = loaded.depth?.size
        loaded.relativeDepth = loader.relativeDepth(of: frame, &loaded.diagnostics)
        loaded.frame.relativeDepthSize = loaded.relativeDepth.map { GridSize(width: $0.width, height: $0.height) }
        return loaded
    }

    private func take(_ image: StoredImage, into loaded: inout LoadedFrame) throws {
        loaded.frame.declaredOrientation = image.orientation
        let isMeasured = measuresSharpness && loaded.frame.sharpness == nil
        guard isMeasured || image.format != .jpeg else {
            loaded.picture = image.bytes
            return
        }
        let pixels = loader.decode(image, of: loaded.frame, fullSize: true, &loaded.diagnostics)
        if isMeasured { loaded.frame.sharpness = pixels.flatMap { Sharpness.variance(of: GrayImage($0)) } }
        guard image.format != .jpeg else {
            loaded.picture = image.bytes
            return
        }
        guard let pixels else { return }
        let encoder = try encoder ?? JPEGEncoder()
        self.encoder = encoder
        loaded.picture = try encoder.encode(pixels, quality: Self.jpegQuality)
        loaded.isEncoded = true
    }
}
