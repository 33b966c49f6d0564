import Codecs
import Recording

/// Where the files of a frame are, and how they are read: what a format adds to a list of poses.
struct PayloadRecipe: Sendable {
    /// One kind of file.
    struct Source<Content>: Sendable {
        /// The names that a frame's file may have; the first one that is there counts.
        var names: @Sendable (FrameReference) -> [String]
        /// Reads a whole file.
        var decode: @Sendable ([UInt8]) throws(CodecError) -> Content
        /// What the format, or the list that names the files, says of them.
        var promise = PayloadAccount.Promise.free
    }

    var imageNames: (@Sendable (FrameReference) -> [String])?
    var imagePromise = PayloadAccount.Promise.free
    /// The pictures, where they are in a video; then there are no files of them.
    var video: PairedVideo?
    /// What the video is called, whether or not it is there.
    var videoName: String?
    /// In metres, in the grid as it is stored.
    var depth: Source<DepthMap>?
    /// 0, 1 and 2, in the grid as it is stored.
    var confidence: Source<GrayImage>?
    /// Whether depth and confidence are turned as ``FrameReference/declaredOrientation`` says of the image, and have to be turned back.
    var gridsAreTurned = false
    /// Folders whose files belong to frames by their numbers: what stands before and behind the number.
    var numberedFiles: [(prefix: String, suffix: String)] = []
    /// The file that lists the frame of a number, where each has its own: files of a listed frame that is left out are no orphans.
    var listFile: (@Sendable (Int) -> String)?
}
