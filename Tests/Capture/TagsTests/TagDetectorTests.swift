import Codecs
import Foundation
import Perception
import Recording
import SystemPackage
import TestSupport
import Testing

/// What is found in drawn and in real pictures.
@Suite struct TagDetectorTests {
    private func pose(_ tilt: Double, roll: Double, _ place: Vector3) -> Transform {
        let turn = Quaternion(angleRadians: tilt, axis: Vector3(0, 1, 0))
        return Transform(
            rotation: (turn * Quaternion(angleRadians: roll, axis: Vector3(0, 0, 1))).normalized,
            translation: place
        )
    }

    @Test(
        "a drawn tag is found with its number, its corners in their order and its pose",
        arguments: [
            (TagFamily.tag36h11, 0), (.tag36h11, 586), (.tag25h9, 3), (.tag16h5, 7), (.tagStandard41h12, 11),
            (.tagCircle21h7, 5),
        ]
    )
    func drawn(family: TagFamily, id: Int) throws {
        var parameters = TagDetectorParameters()
        parameters.families = [family]
        let detector = try TagDetector(parameters)
        for (tilt, roll) in [(0.0, 0.0), (0.6, 0.3), (-0.9, .pi / 2), (0.3, .pi), (0.5, -2.0)] {
            let pose = pose(tilt, roll: roll, Vector3(0.05, -0.03, -0.8))
            let tag = try #require(RenderedTag(family, id, pose: pose, edge: 0.16))
            var image = RenderedTag.wall
            tag.draw(on: &image)
            let found = try #require(try detector.detect(image).tags.first)
            #expect(found.family == family && found.id == id && found.hamming == 0)
            let errors = zip(found.corners, tag.corners).map { (($0 - $1) * ($0 - $1)).sum().squareRoot() }.sorted()
            #expect(errors[1] < 0.3 && errors[3] < 0.8, "\(tilt) \(roll): \(errors)")
            let sizes = try #require(TagSizes(["0.16"]))
            let sighting = try #require(
                TagMeasurer(sizes: sizes).sighting(of: found, camera: RenderedTag.camera, depth: nil)
            )
            let error = (pose.inverse * sighting.cameraFromTag).rotation.angleRadians
            if abs(tilt) >= 0.5 { #expect(error < 1.5 * .pi / 180, "\(tilt) \(roll): \(error)") }
            #expect((sighting.cameraFromTag.translation - pose.translation).length < 0.008)
        }
    }

    @Test("one number twice in a picture is found twice; small tags and other families are not believed")
    func twice() throws {
        var image = RenderedTag.wall
        for x in [-0.25, 0.25] {
            try #require(RenderedTag(.tag36h11, 9, pose: pose(0.2, roll: 0, Vector3(x, 0, -0.9)), edge: 0.15)).draw(
                on: &image
            )
        }
        #expect(try TagDetector(TagDetectorParameters()).detect(image).tags.map(\.id) == [9, 9])
        var strict = TagDetectorParameters()
        strict.minimumEdgePixels = 300
        let rejected = try TagDetector(strict).detect(image)
        #expect(rejected.tags.isEmpty && rejected.rejected.edge == 2)
        strict = TagDetectorParameters()
        strict.families = [.tag16h5]
        #expect(try TagDetector(strict).detect(image).tags.isEmpty)
    }

    @Test("a tag of fourteen pixels is found unless longer edges are asked for, which is counted")
    func smallTag() throws {
        var image = RenderedTag.wall
        let far = pose(0.1, roll: 0.1, Vector3(0, 0, -3))
        let edge = 14.0 * 3 / RenderedTag.camera.fx
        try #require(RenderedTag(.tag36h11, 21, pose: far, edge: edge)).draw(on: &image)
        #expect(try TagDetector(TagDetectorParameters()).detect(image).tags.map(\.id) == [21])
        var parameters = TagDetectorParameters()
        parameters.minimumEdgePixels = 20
        let found = try TagDetector(parameters).detect(image)
        #expect(found.tags.isEmpty && found.rejected.reasons == ["1 too small"])
    }

    @Test("noise and pictures of the wrong size crash nothing")
    func nonsense() throws {
        var generator = SeededRandomNumbers(seed: 4)
        let detector = try TagDetector(TagDetectorParameters())
        for _ in 0..<60 {
            let (width, height) = (
                Int.random(in: 16...90, using: &generator), Int.random(in: 16...90, using: &generator)
            )
            let coarse = Int.random(in: 1...9, using: &generator)
            let seeds = (0..<100).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let pixels = (0..<width * height).map { place in
                seeds[(place % width / coarse * 7 + place / width / coarse * 13) % 100]
            }
            #expect(try detector.detect(GrayImage(width: width, height: height, pixels: pixels)).tags.isEmpty)
        }
        for (width, height, count) in [(0, 0, 0), (8, 8, 64), (20, 20, 399), (20_000, 20, 400_000)] {
            #expect(throws: TagImageError.self) {
                try detector.detect(
                    GrayImage(width: width, height: height, pixels: [UInt8](repeating: 0, count: count))
                )
            }
        }
    }

    private func photo(_ name: String) throws -> GrayImage {
        let path = Captures.path("apriltag-pupil/\(name).png").string
        let image = try PNGImage(decoding: Array(Data(contentsOf: URL(fileURLWithPath: path))))
        return GrayImage(RGBImage(width: image.width, height: image.height, pixels: image.pixels))
    }

    @Test(
        "no tag of a photo that the library finds is left out",
        .enabled(if: Captures.have("apriltag-pupil"), Comment(rawValue: Captures.absence))
    )
    func recall() throws {
        var library = TagDetectorParameters()
        (library.maximumHamming, library.minimumMargin) = (2, 0)
        let detectors = try (TagDetector(TagDetectorParameters()), TagDetector(library))
        for index in 1...10 {
            let image = try photo("test_image_multiple_" + (index < 10 ? "0" : "") + "\(index)")
            let (ours, all) = try (detectors.0.detect(image), detectors.1.detect(image))
            #expect(ours.tags.count == all.tags.count && ours.rejected.count == 0 && !ours.tags.isEmpty)
        }
    }

    /// Photos of a tag that was turned in steps of ten degrees.
    @Test(
        "turns between photos are those that were made",
        .enabled(if: Captures.have("apriltag-pupil"), Comment(rawValue: Captures.absence))
    )
    func photos() throws {
        let detector = try TagDetector(TagDetectorParameters())
        let measurer = TagMeasurer(sizes: try #require(TagSizes(["0.065"])))
        let camera = CameraIntrinsics(width: 1056, height: 792, fx: 329.873, fy: 332.946, cx: 528, cy: 396)
        let angles = Array(stride(from: -70, through: 70, by: 10))
        let poses = try angles.map { angle in
            let tags = try detector.detect(photo("test_image_rotation_\(angle)")).tags
            #expect(tags.map(\.id) == [76])
            return try #require(measurer.sighting(of: tags[0], camera: camera, depth: nil)).cameraFromTag
        }
        // The photos have a wide lens whose distortion nobody knows, and were turned by hand.
        var errors: [Double] = []
        for (a, first) in zip(angles, poses) {
            for (b, second) in zip(angles, poses) {
                let degrees = (first.inverse * second).rotation.angleRadians * 180 / .pi
                errors.append(abs(degrees - Double(abs(a - b))))
                #expect(errors[errors.count - 1] < 7, "\(a) \(b): \(degrees)")
            }
        }
        #expect(errors.reduce(0, +) / Double(errors.count) < 3)
        // The tag stays where it is turned, a fifth of a metre away.
        for pose in poses { #expect((0.19...0.22).contains(pose.translation.length)) }
    }
}
