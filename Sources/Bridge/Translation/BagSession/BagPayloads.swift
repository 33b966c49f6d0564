import Bags
import Messages
import Perception
import Recording
import Sessions

/// Loads the pictures of frames from the rows of a bag; one for each worker, with files of its own.
final class BagPayloads: PayloadLoader {
    private let reader: BagReader
    private let topics: BagTopics
    private let index: BagPayloadIndex
    private let rows: BagRowReader
    private let decoder = ImageDecoder()
    private var decoders: [Int: RowDecoder] = [:]

    init(_ reader: BagReader, _ topics: BagTopics, _ index: BagPayloadIndex) {
        (self.reader, self.topics, self.index) = (reader, topics, index)
        rows = BagRowReader(reader)
    }

    func image(of frame: FrameReference, _ picture: VideoPicture?, _ diagnostics: inout Diagnostics) -> StoredImage? {
        guard frame.hasImage, let place = index.image(of: frame), let topic = topics.imageIndex else { return nil }
        return read(place, topic, .brokenImage, &diagnostics) { row, rowDecoder, file, diagnostics in
            let bytes: [UInt8]
            if topics.indices[.image] != nil {
                bytes = try rowDecoder.message(row, as: CompressedImage.self).data
            } else {
                bytes = try BagPictures.png(rowDecoder.message(row, as: Image.self))
            }
            return try decoder.stored(bytes, of: frame, file: file, &diagnostics)
        }
    }

    func decode(
        _ image: StoredImage,
        of frame: FrameReference,
        fullSize: Bool,
        _ diagnostics: inout Diagnostics
    ) -> RGBImage? {
        let file = place(index.image(of: frame), topics.imageIndex)
        return decoder.decode(image, fullSize: fullSize, file: file, &diagnostics)
    }

    func depthFile(of frame: FrameReference) -> String { place(index.depth(of: frame), topics.depthIndex) }

    func depth(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> DepthMap? {
        guard let size = frame.depthSize, let place = index.depth(of: frame), let topic = topics.depthIndex else {
            return nil
        }
        let map = depth(at: place, topic, &diagnostics)
        guard var map else { return nil }
        guard map.size == size else {
            let expected = "\(size.width)x\(size.height)"
            let found = "\(map.width)x\(map.height)"
            diagnostics.record(
                Problem(.wrongDepthSize, file: depthFile(of: frame), expected: expected, found: found)
            )
            return nil
        }
        map.confidence = confidence(of: frame, size, &diagnostics)
        return map
    }

    /// The size of the depth at a place; `nil` where it does not read.
    func depthSize(at place: RowPlace) -> GridSize? {
        var ignored = Diagnostics()
        return topics.depthIndex.flatMap { depth(at: place, $0, &ignored)?.size }
    }

    /// The size of the image at a place, as it is stored; `nil` where it does not read.
    func imageSize(at place: RowPlace) -> GridSize? {
        var ignored = Diagnostics()
        guard let topic = topics.imageIndex else { return nil }
        return read(place, topic, .brokenImage, &ignored) { row, rowDecoder, file, _ in
            guard topics.indices[.image] != nil else {
                let head = try PictureHead(row, rowDecoder)
                return GridSize(width: Int(head.width), height: Int(head.height))
            }
            return try decoder.inspect(rowDecoder.message(row, as: CompressedImage.self).data, file: file).size
        }
    }

    private func depth(at place: RowPlace, _ topic: Int, _ diagnostics: inout Diagnostics) -> DepthMap? {
        read(place, topic, .brokenDepth, &diagnostics) { row, rowDecoder, _, _ in
            topics.indices[.depth] != nil
                ? try BagPictures.depth(rowDecoder.message(row, as: Image.self))
                : try BagPictures.depth(rowDecoder.message(row, as: CompressedImage.self))
        }
    }

    private func confidence(of frame: FrameReference, _ size: GridSize, _ diagnostics: inout Diagnostics) -> [UInt8]? {
        guard let place = index.confidence(of: frame), let topic = topics.indices[.confidence] else { return nil }
        return read(place, topic, .brokenConfidence, &diagnostics) { row, rowDecoder, file, diagnostics in
            let grid = try BagPictures.grey(rowDecoder.message(row, as: Image.self))
            guard grid.width == size.width, grid.height == size.height else {
                let expected = "\(size.width)x\(size.height), as of the depth"
                throw Problem(
                    .wrongConfidenceSize,
                    file: file,
                    expected: expected,
                    found: "\(grid.width)x\(grid.height)"
                )
            }
            if let largest = grid.pixels.max(), largest > 2 {
                diagnostics.record(
                    Problem(.confidenceOutOfRange, file: file, expected: "0, 1 and 2", found: "\(largest)")
                )
            }
            return grid.pixels
        }
    }

    /// Makes something of a row; what is wrong with it is recorded, with its topic and place.
    private func read<Content>(
        _ place: RowPlace,
        _ topic: Int,
        _ kind: ProblemKind,
        _ diagnostics: inout Diagnostics,
        _ make: (_ bytes: [UInt8], _ decoder: RowDecoder, _ file: String, inout Diagnostics) throws -> Content
    ) -> Content? {
        let file = self.place(place, topic)
        do {
            let bytes = try rows.row(at: place).bytes
            return try make(bytes, rowDecoder(topic), file, &diagnostics)
        } catch let problem as Problem {
            diagnostics.record(problem)
        } catch let error as BagPictures.Unreadable {
            diagnostics.record(Problem(kind, file: file, expected: error.expected, found: error.found))
        } catch {
            let expected = "a message of \(reader.topics[topic].typeName) that decodes"
            diagnostics.record(Problem(kind, file: file, expected: expected, found: "\(error)"))
        }
        return nil
    }

    private func rowDecoder(_ topic: Int) throws -> RowDecoder {
        if let known = decoders[topic] { return known }
        let made = try RowDecoder(reader.topics[topic])
        decoders[topic] = made
        return made
    }

    private func place(_ place: RowPlace?, _ topic: Int?) -> String {
        [topic.map { reader.topics[$0].name }, place.map { reader.text(of: $0) }].compactMap(\.self)
            .joined(separator: ": ")
    }
}
