import Codecs
import Recording
import Sessions

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
