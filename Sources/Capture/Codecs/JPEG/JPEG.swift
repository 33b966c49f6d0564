import Glibc
import Platform

/// Reading a JPEG's markers without decoding it (ITU-T T.81, annex B).
package enum JPEG {
    /// Reads size, sampling, completeness and structure from the markers; no header value is trusted for anything but itself.
    ///
    /// The first bytes of a file suffice for the size; then `isComplete` is false. Nothing is decoded: damage inside of the
    /// coded data that leaves the markers as they were is not seen.
    package static func inspect(_ bytes: [UInt8]) throws(CodecError) -> JPEGInfo {
        // A typed error does not pass through withUnsafeBytes.
        try bytes.withUnsafeBytes { buffer in
            Result { () throws(CodecError) in try inspect(buffer) }
        }.get()
    }

    /// The same for borrowed bytes.
    package static func inspect(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> JPEGInfo {
        var markers = JPEGMarkers(bytes)
        try markers.readStart()
        var info: JPEGInfo?
        var structure = JPEGStructure(bytes)
        while let segment = try markers.next() {
            structure.add(segment)
            switch segment.marker {
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard info == nil else { throw CodecError(.jpeg, at: segment.offset, "a second frame header") }
                info = try frameHeader(segment, in: ByteReader(bytes, .big))
            case 0xD9:
                info?.isComplete = true
            default:
                break
            }
        }
        guard var info else {
            throw CodecError(.jpeg, at: bytes.count, "ends before the frame header")
        }
        info.structureProblem = structure.problem
        return info
    }

    /// True if a stretch of the bytes repeats one value, as where a file system lost a page of the file.
    ///
    /// Looks at a part of the bytes only; a page of 4096 equal ones is never missed. An evenly coloured image may have
    /// such stretches too: decoding it tells.
    package static func mayHaveHole(_ bytes: [UInt8]) -> Bool {
        let (window, step) = (256, 2048)
        return bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return false }
            var place = 0
            while place + window < buffer.count {
                if memcmp(base + place, base + place + 1, window) == 0 { return true }
                place += step
            }
            return false
        }
    }

    /// T.81, B.2.2: precision, lines, samples a line, and three bytes a component.
    private static func frameHeader(
        _ segment: JPEGMarkers.Segment,
        in reader: ByteReader
    ) throws(CodecError) -> JPEGInfo {
        let start = segment.payload.lowerBound
        guard segment.payload.count >= 6,
            let height = reader.uint16(at: start + 1),
            let width = reader.uint16(at: start + 3),
            let componentCount = reader.byte(at: start + 5)
        else { throw CodecError(.jpeg, at: segment.offset, "frame header too short") }
        guard width > 0, height > 0 else {
            throw CodecError(.jpeg, at: segment.offset, "expected a size above zero, found \(width) x \(height)")
        }
        guard (1...4).contains(componentCount), segment.payload.count == 6 + 3 * Int(componentCount) else {
            throw CodecError(.jpeg, at: segment.offset, "frame header of \(componentCount) components does not fit")
        }
        var sampling: [JPEGInfo.Sampling] = []
        for component in 0..<Int(componentCount) {
            let factors = reader.byte(at: start + 6 + 3 * component + 1) ?? 0
            let horizontal = Int(factors >> 4)
            let vertical = Int(factors & 15)
            guard (1...4).contains(horizontal), (1...4).contains(vertical) else {
                throw CodecError(.jpeg, at: segment.offset, "sampling factors \(horizontal) x \(vertical)")
            }
            sampling.append(JPEGInfo.Sampling(horizontal: horizontal, vertical: vertical))
        }
        return JPEGInfo(
            width: width,
            height: height,
            sampling: sampling,
            isBaseline: segment.marker == 0xC0 && reader.byte(at: start) == 8,
            isProgressive: segment.marker == 0xC2,
            isComplete: false,
            structureProblem: nil
        )
    }
}

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
