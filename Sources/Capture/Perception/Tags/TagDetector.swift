import CAprilTag
package import Recording

/// The parameters of a search for tags in images.
package struct TagDetectorParameters: Hashable, Sendable {
    package var families: [TagFamily] = [.tag36h11]
    /// Looks for squares in an image of half the size: faster, blind for small tags.
    package var isFast = false
    /// Bits that may be wrong; families with few bits between their tags get none.
    package var maximumHamming = 1
    /// The least contrast between bits and threshold, in levels of brightness.
    package var minimumMargin = 50.0
    /// The shortest edge, in pixels; 0 leaves it to the library, which sees a tag while its bits are two to three pixels.
    package var minimumEdgePixels = 0.0

    package init() {}
}

/// A tag that was found in an image.
package struct TagDetection: Hashable, Sendable {
    package var family: TagFamily
    package var id: Int
    package var hamming: Int
    package var margin: Double
    /// Bottom left, bottom right, top right, top left of the upright tag; pixels count from the middle of the first one.
    package var corners: [SIMD2<Double>]

    package init(family: TagFamily, id: Int, hamming: Int, margin: Double, corners: [SIMD2<Double>]) {
        self.family = family
        self.id = id
        self.hamming = hamming
        self.margin = margin
        self.corners = corners
    }
}

/// The tags that were found in an image, and how many were rejected.
package struct TagDetections: Sendable {
    package var tags: [TagDetection] = []
    package var rejected = TagRejections()
}

/// The numbers of rejected tags by reason.
package struct TagRejections: Hashable, Sendable {
    package var hamming = 0
    package var margin = 0
    package var edge = 0

    package init() {}

    package var count: Int { hamming + margin + edge }

    /// Each reason with how often it was one, such as "3 little contrast".
    package var reasons: [String] {
        [(hamming, "wrong bits"), (margin, "little contrast"), (edge, "too small")].filter { $0.0 > 0 }
            .map { "\($0.0) \($0.1)" }
    }

    package static func += (a: inout TagRejections, b: TagRejections) {
        a.hamming += b.hamming
        a.margin += b.margin
        a.edge += b.edge
    }
}

/// Why an image cannot be searched.
package struct TagImageError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
}

/// Finds AprilTags by the library of their inventors; one detector serves one worker.
package final class TagDetector {
    private let parameters: TagDetectorParameters
    private let detector: UnsafeMutablePointer<apriltag_detector_t>
    private var families: [(TagFamily, UnsafeMutablePointer<apriltag_family_t>)] = []

    /// Smaller images have no tag; larger ones overflow the library's numbers.
    private static let sides = 16...16_384

    package init(_ parameters: TagDetectorParameters) throws(TagImageError) {
        guard let detector = apriltag_detector_create() else {
            throw TagImageError(description: "AprilTag's library cannot make a detector")
        }
        self.parameters = parameters
        self.detector = detector
        detector.pointee.nthreads = 1
        detector.pointee.quad_decimate = parameters.isFast ? 2 : 1
        detector.pointee.refine_edges = true
        for family in parameters.families {
            guard let made = family.make() else { continue }
            families.append((family, made))
            apriltag_detector_add_family_bits(detector, made, Int32(bits(family)))
        }
    }

    deinit {
        apriltag_detector_destroy(detector)
        for (family, made) in families { family.release(made) }
    }

    /// Bits that the library corrects: never so many that another tag of the family is as near.
    private func bits(_ family: TagFamily) -> Int {
        let most = family == .tag16h5 || family == .tag25h9 || family == .tagCircle21h7 ? 0 : 2
        return max(0, min(most, parameters.maximumHamming))
    }

    /// Tags in the order of family, id and place.
    package func detect(_ image: GrayImage) throws(TagImageError) -> TagDetections {
        guard Self.sides.contains(image.width), Self.sides.contains(image.height),
            image.pixels.count == image.width * image.height
        else {
            throw TagImageError(
                description: "expected an image of \(Self.sides.lowerBound) to \(Self.sides.upperBound) pixels a side, "
                    + "found \(image.width)x\(image.height)"
            )
        }
        var found = TagDetections()
        var pixels = image.pixels
        pixels.withUnsafeMutableBufferPointer { buffer in
            var view = image_u8_t(
                width: Int32(image.width),
                height: Int32(image.height),
                stride: Int32(image.width),
                buf: buffer.baseAddress
            )
            guard let list = apriltag_detector_detect(detector, &view) else { return }
            defer { apriltag_detections_destroy(list) }
            for index in 0..<zarray_size(list) {
                var detection: UnsafeMutablePointer<apriltag_detection_t>?
                zarray_get(list, index, &detection)
                if let detection { take(detection.pointee, &found) }
            }
        }
        found.tags.sort { Self.isBefore($0, $1) }
        return found
    }

    private static func isBefore(_ a: TagDetection, _ b: TagDetection) -> Bool {
        if a.family != b.family { return a.family.rawValue < b.family.rawValue }
        if a.id != b.id { return a.id < b.id }
        return (a.corners[0].x, a.corners[0].y) < (b.corners[0].x, b.corners[0].y)
    }

    private func take(_ detection: apriltag_detection_t, _ found: inout TagDetections) {
        guard let family = families.first(where: { $0.1 == detection.family })?.0 else { return }
        let p = detection.p
        // The library counts from the image's corner, and gives the corners from the bottom left on.
        let corners = [p.0, p.1, p.2, p.3].map { SIMD2($0.0 - 0.5, $0.1 - 0.5) }
        let edges = (0..<4).map { index in
            let side = corners[(index + 1) % 4] - corners[index]
            return (side * side).sum().squareRoot()
        }
        guard Int(detection.hamming) <= parameters.maximumHamming else { return found.rejected.hamming += 1 }
        guard Double(detection.decision_margin) >= parameters.minimumMargin else { return found.rejected.margin += 1 }
        guard let shortest = edges.min(), shortest >= parameters.minimumEdgePixels else {
            return found.rejected.edge += 1
        }
        found.tags.append(
            TagDetection(
                family: family,
                id: Int(detection.id),
                hamming: Int(detection.hamming),
                margin: Double(detection.decision_margin),
                corners: corners
            )
        )
    }
}
