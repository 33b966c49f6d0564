package import Perception
package import Recording

/// How voxels fall onto the depth grid: three numbers that grow linearly with the voxel's place.
///
/// Lanes: across, down, depth, 0. `across / depth` is the column, `down / depth` the row, and `depth` in metres along
/// the optical axis.
struct FieldProjection {
    /// From a voxel to the next one along each axis.
    let alongX: SIMD4<Float>
    let alongY: SIMD4<Float>
    let alongZ: SIMD4<Float>
    /// What the numbers gain along each axis, a metre each.
    private let perX: SIMD4<Double>
    private let perY: SIMD4<Double>
    private let perZ: SIMD4<Double>
    private let origin: Vector3
    private let voxelMetres: Double

    init(_ frame: MapFrame, voxelMetres: Double) {
        let camera = frame.camera
        let (right, up, back) = frame.worldFromCamera.rotation.columns
        let (across, down) = (camera.fx * right - camera.cx * back, -camera.fy * up - camera.cy * back)
        func step(_ axis: Int) -> SIMD4<Float> {
            SIMD4<Float>(SIMD4(across[axis], down[axis], -back[axis], 0) * voxelMetres)
        }
        alongX = step(0)
        alongY = step(1)
        alongZ = step(2)
        perX = SIMD4(across.x, down.x, -back.x, 0)
        perY = SIMD4(across.y, down.y, -back.y, 0)
        perZ = SIMD4(across.z, down.z, -back.z, 0)
        origin = frame.worldFromCamera.translation
        self.voxelMetres = voxelMetres
    }

    /// The numbers of a block's first voxel, in double precision up to the last step.
    func start(_ key: BlockKey) -> SIMD4<Float> {
        let point = Vector3(key.place) * (8 * voxelMetres) - origin
        let numbers = perX * point.x + perY * point.y + perZ * point.z
        return SIMD4(Float(numbers.x), Float(numbers.y), Float(numbers.z), 0)
    }
}

/// A depth map that is ready to be fused: any task can make it, and workers share it.
package final class MapFrame: Sendable {
    /// For the depth grid, whose pixels are at whole numbers.
    let camera: CameraIntrinsics
    /// Camera axes: x right, y up, z backward.
    let worldFromCamera: Transform
    /// Metres along the optical axis, `invalid` where nothing was measured.
    ///
    /// The lowest bit tells high confidence.
    let depth: [Float]
    /// 0x00RRGGBB of each pixel; `nil` without an image.
    let colours: [UInt32]?

    /// So far behind the camera that no voxel is near it.
    static let invalid: Float = -1e9
    /// More pixels have no exact number in a Float while they are computed.
    static let maximumPixels = 1 << 22

    private init(_ frame: MapFrame, worldFromCamera: Transform) {
        (camera, depth, colours) = (frame.camera, frame.depth, frame.colours)
        self.worldFromCamera = worldFromCamera
    }

    /// The same seen from elsewhere.
    func moved(by way: Vector3) -> MapFrame {
        let pose = worldFromCamera
        return MapFrame(self, worldFromCamera: Transform(rotation: pose.rotation, translation: pose.translation + way))
    }

    /// The same in other axes.
    package func turned(by turn: Transform) -> MapFrame { MapFrame(self, worldFromCamera: turn * worldFromCamera) }

    /// `nil` where the grid has too many pixels.
    package init?(_ samples: DepthSamples, worldFromCamera: Transform) {
        guard samples.metres.count <= Self.maximumPixels else { return nil }
        camera = samples.camera
        self.worldFromCamera = worldFromCamera
        colours = samples.colours
        depth = zip(samples.metres, samples.confidence).map { metres, confidence in
            guard metres > 0 else { return Self.invalid }
            return Float(bitPattern: metres.bitPattern & ~1 | (confidence >= 2 ? 1 : 0))
        }
    }
}

// Eight voxels at a time. Only arithmetic, comparisons and bit operations, as in PointClouds: on x86-64 without flags
// everything else of Swift's SIMD becomes one call per lane.
typealias Floats = SIMD8<Float>
typealias Integers = SIMD8<Int32>
typealias Shorts = SIMD8<Int16>

/// Adding this rounds a number of less than 2^22 to an integer, which the low bits of the sum then hold.
let roundingMagic: Float = 12_582_912
let roundingMagicBits: Int32 = 0x4B40_0000

/// All ones in the lanes where `mask` holds, 0 elsewhere.
@inline(__always)
func bits(_ mask: SIMDMask<SIMD8<Int32>>) -> Integers { unsafeBitCast(mask, to: Integers.self) }

@inline(__always)
func select(_ mask: Integers, _ yes: Floats, _ no: Floats) -> Floats {
    let chosen = unsafeBitCast(yes, to: Integers.self) & mask | unsafeBitCast(no, to: Integers.self) & ~mask
    return unsafeBitCast(chosen, to: Floats.self)
}

/// The nearest whole numbers, of numbers below 2^22.
@inline(__always)
func rounded(_ values: Floats) -> Floats { (values + roundingMagic) - roundingMagic }

/// Whole numbers below 2^22 as integers.
@inline(__always)
func integers(_ values: Floats) -> Integers {
    unsafeBitCast(values + roundingMagic, to: Integers.self) &- roundingMagicBits
}

@inline(__always)
func loadShorts(_ address: UnsafePointer<Int16>) -> Shorts {
    UnsafeRawPointer(address).loadUnaligned(as: Shorts.self)
}

@inline(__always)
func storeShorts(_ values: Shorts, _ address: UnsafeMutablePointer<Int16>) {
    UnsafeMutableRawPointer(address).storeBytes(of: values, as: Shorts.self)
}

/// One byte a lane, lane 0 lowest, from lanes that are all ones or all zeros.
@inline(__always)
func laneBytes(_ lanes: Integers) -> UInt64 {
    unsafeBitCast(SIMD8<Int8>(truncatingIfNeeded: lanes), to: UInt64.self)
}

/// All ones where a column or row is one of a grid; comparisons are false for what is no number.
@inline(__always)
func inGrid(_ places: Floats, _ last: Float) -> Integers { bits(places .>= 0) & bits(places .<= last) }

/// The values at eight places, which must be there.
@inline(__always)
func gather(_ values: UnsafePointer<Float>, _ places: Integers) -> Floats {
    Floats(
        values[Int(places[0])],
        values[Int(places[1])],
        values[Int(places[2])],
        values[Int(places[3])],
        values[Int(places[4])],
        values[Int(places[5])],
        values[Int(places[6])],
        values[Int(places[7])]
    )
}
