/// The description of a JPEG by its markers.
package struct JPEGInfo: Hashable, Sendable {
    /// How often a component is sampled in one unit of the interleaved scan.
    package struct Sampling: Hashable, Sendable {
        package var horizontal: Int
        package var vertical: Int
    }

    /// Size in stored pixels; an EXIF orientation is not applied.
    package var width: Int
    package var height: Int
    /// One entry a component, in the order of the frame header.
    package var sampling: [Sampling]
    /// Sequential with Huffman codes and eight bits a sample (SOF0).
    package var isBaseline: Bool
    package var isProgressive: Bool
    /// True if the end-of-image marker is there: a file cut short by a crash has none.
    package var isComplete: Bool
    /// Why no decoder will take the image although it has a header and an end; `nil` where the markers show nothing.
    package var structureProblem: CodecError?

    package var components: Int { sampling.count }
}
