import Recording

/// Renders what the colour camera sees, with the noise of its sensor; one renderer serves one worker.
struct ImageRenderer {
    let room: Room
    let grain: SensorGrain
    let seed: UInt64
    /// Tiles are this many pixels wide and high; objects that miss one are not tried in it.
    private static let tileWidth = 64
    private static let tileHeight = 16

    /// Fills `pixels`, row-major, with 0x00BBGGRR.
    func render(_ view: PinholeView, image: Int, into pixels: inout [UInt32]) {
        let count = view.intrinsics.width * view.intrinsics.height
        if pixels.count != count { pixels = [UInt32](repeating: 0, count: count) }
        let caster = RayCaster(room: room, origin: view.origin)
        let bounds = ObjectBounds(room: room, view: view)
        room.texture.withSampler { sampler in
            let shader = Shader(room: room, noise: sampler)
            pixels.withUnsafeMutableBufferPointer { output in
                grain.withSampler { grain in
                    for top in stride(from: 0, to: view.intrinsics.height, by: ImageRenderer.tileHeight) {
                        let rows = top..<min(top + ImageRenderer.tileHeight, view.intrinsics.height)
                        renderStrip(view, rows, image, caster, bounds, shader, grain, output)
                    }
                }
            }
        }
    }

    private func renderStrip(
        _ view: PinholeView,
        _ rows: Range<Int>,
        _ image: Int,
        _ caster: RayCaster,
        _ bounds: ObjectBounds,
        _ shader: Shader,
        _ grain: SensorGrain.Sampler,
        _ output: UnsafeMutableBufferPointer<UInt32>
    ) {
        let width = view.intrinsics.width
        let offsets = rows.map { row in
            var random = SeededRandom(seed: seed, stream: UInt64(image) << 20 | UInt64(row) | 1 << 60)
            return grain.offset(&random)
        }
        for left in stride(from: 0, to: width, by: ImageRenderer.tileWidth) {
            let columns = left..<min(left + ImageRenderer.tileWidth, width)
            let candidates = bounds.candidates(columns: columns, rows: rows)
            let side = caster.commonSide(view.corners(columns: columns, rows: rows))
            for row in rows {
                let direction = view.rowDirection(row)
                let offset = offsets[row - rows.lowerBound]
                for column in stride(from: left, to: columns.upperBound, by: 4) {
                    let packed = pixel(
                        view,
                        direction,
                        column,
                        caster,
                        candidates,
                        side,
                        shader,
                        grain,
                        offset &+ column
                    )
                    store(packed, in: output, at: row * width + column, count: columns.upperBound - column)
                }
            }
        }
    }

    /// Four pixels, or fewer at the right edge.
    @inline(__always)
    private func store(
        _ packed: SIMD4<UInt32>,
        in output: UnsafeMutableBufferPointer<UInt32>,
        at place: Int,
        count: Int
    ) {
        if count >= 4, let base = output.baseAddress {
            UnsafeMutableRawPointer(base + place).storeBytes(of: packed, as: SIMD4<UInt32>.self)
        } else {
            for lane in 0..<count { output[place + lane] = packed[lane] }
        }
    }

    @inline(__always)
    private func pixel(
        _ view: PinholeView,
        _ row: SIMD3<Float>,
        _ column: Int,
        _ caster: RayCaster,
        _ candidates: borrowing RayCaster.Candidates,
        _ side: RayCaster.CommonSide?,
        _ shader: Shader,
        _ grain: SensorGrain.Sampler,
        _ place: Int
    ) -> SIMD4<UInt32> {
        let direction = view.directions(row, fromColumn: column)
        let colour: LaneTriple
        if let side, candidates.isEmpty {
            let depth = caster.depth(direction, at: side)
            let point = direction * depth + LaneTriple(view.singleOrigin)
            colour = shader.colour(at: point, index: side.index, axis: side.axis, sharpness: view.sharpness / depth)
        } else {
            let hit = caster.cast(direction, candidates, before: side)
            let point = direction * hit.depth + LaneTriple(view.singleOrigin)
            let sharpness = view.sharpness / hit.depth
            colour = shader.colour(at: point, surface: hit.surface, axis: hit.axis, sharpness: sharpness)
        }
        let (common, redOnly, blueOnly) = grain.values(at: place)
        // Shot noise grows with the light.
        let strength = 2.2 + colour.y * 0.012
        let r = ImageRenderer.byte(colour.x + (common + redOnly) * strength)
        let g = ImageRenderer.byte(colour.y + common * strength)
        let b = ImageRenderer.byte(colour.z + (common + blueOnly) * strength)
        return SIMD4<UInt32>(truncatingIfNeeded: r | g &<< 8 | b &<< 16)
    }

    /// The nearest whole number within 0 to 255: adding 2^23 leaves it in the low bits.
    @inline(__always) private static func byte(_ value: Lanes) -> LaneMask {
        unsafeBitCast(clamp(value, to: 255) + 8_388_608, to: LaneMask.self) & 0xFF
    }
}

/// Which objects may be seen in which part of the image.
private struct ObjectBounds {
    private typealias Bounds = (columns: ClosedRange<Int>, rows: ClosedRange<Int>)
    private let boxes: [Bounds?]
    private let spheres: [Bounds?]

    init(room: Room, view: PinholeView) {
        boxes = room.boxes.map { view.pixelBounds($0.low, $0.high) }
        spheres = room.spheres.map { sphere in
            let radius = Vector3(repeating: sphere.radius)
            return view.pixelBounds(sphere.centre - radius, sphere.centre + radius)
        }
    }

    func candidates(columns: Range<Int>, rows: Range<Int>) -> RayCaster.Candidates {
        func overlaps(_ bounds: Bounds?) -> Bool {
            guard let bounds else { return false }
            return bounds.columns.overlaps(columns) && bounds.rows.overlaps(rows)
        }
        return RayCaster.Candidates(
            slabs: boxes.indices.filter { overlaps(boxes[$0]) },
            balls: spheres.indices.filter { overlaps(spheres[$0]) }
        )
    }
}

extension ImageOrientation {
    /// The image, or a map of it, as it is stored: `pixels` is the sensor's, row-major, `width` x `height`.
    ///
    /// Works on squares of 32 pixels, so that neither side jumps through all of the memory.
    func turned<Value>(_ pixels: [Value], width: Int, height: Int) -> [Value] {
        if self == .landscapeRight { return pixels }
        if self == .landscapeLeft { return pixels.reversed() }
        let square = 32
        return [Value](unsafeUninitializedCapacity: width * height) { output, count in
            for top in stride(from: 0, to: height, by: square) {
                for left in stride(from: 0, to: width, by: square) {
                    for y in top..<min(top + square, height) {
                        for x in left..<min(left + square, width) {
                            // Clockwise: (height - 1 - y, x); counter-clockwise: (y, width - 1 - x).
                            let place =
                                self == .portrait
                                ? x &* height &+ (height &- 1 &- y) : (width &- 1 &- x) &* height &+ y
                            (output.baseAddress.map { $0 + place })?.initialize(to: pixels[y &* width &+ x])
                        }
                    }
                }
            }
            count = width * height
        }
    }
}
