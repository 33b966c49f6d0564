import CFusion
import Recording

/// Fuses a frame into blocks: the running weighted mean of Curless and Levoy (1996) along the optical axis.
///
/// A voxel takes part if its pixel's depth is at most the truncation away from it. The weight is 1 / z^2, half of that
/// for medium confidence; from a voxel behind the surface on it falls to 0, so that thin things get no ghost on the
/// other side. What lies farther before the surface is free, which is a vote and no distance: it takes weight from
/// voxels that lie behind a surface, a part of what a sample gives, until nothing is left of them. So what is looked
/// through now and then stays, and what many later frames look through goes.
struct BlockIntegrator {
    private let projection: FieldProjection
    /// What the loop over a block's voxels knows of the frame, without its pixels.
    private let shared: CFusionFrame
    private let hasWideLanes: Bool

    /// One sample weighs no more than one at half a metre, whatever is nearer.
    static let largestSample: Float = 4
    static let nearestMetres: Float = 0.05
    /// The weight that a frame looking through takes away, as a part of that which a frame seeing a surface adds.
    ///
    /// A fabric that a fifth of the views look through keeps its weight; who was seen in a few frames is gone after four
    /// times as many.
    static let carvingPart: Float = 0.25

    /// - Parameter hasWideLanes: whether this processor's wide instructions are used; the result is the same.
    init(
        _ frame: MapFrame,
        voxelMetres: Double,
        truncationVoxels: Double,
        hasWideLanes: Bool = CFusionHasWideLanes()
    ) {
        projection = FieldProjection(frame, voxelMetres: voxelMetres)
        self.hasWideLanes = hasWideLanes
        func numbers(_ step: SIMD4<Float>) -> (Float, Float, Float, Float) { (step.x, step.y, step.z, step.w) }
        shared = CFusionFrame(
            stepX: numbers(projection.alongX),
            stepY: numbers(projection.alongY),
            stepZ: numbers(projection.alongZ),
            lastColumn: Float(frame.camera.width - 1),
            lastRow: Float(frame.camera.height - 1),
            rowLength: Float(frame.camera.width),
            nearestMetres: Self.nearestMetres,
            truncation: Float(voxelMetres * truncationVoxels),
            // At 70 degrees one end of an edge through the surface lies within this, and takes its colour.
            colourReach: Float(voxelMetres * min(1.5, truncationVoxels)),
            // The weight falls behind the surface over this part of the truncation.
            fallOff: Float(truncationVoxels / max(1, truncationVoxels - 1)),
            largestSample: Self.largestSample,
            carvingPart: Self.carvingPart,
            distanceUnit: BlockLayout.distanceUnit,
            weightUnit: BlockLayout.weightUnit,
            largestWeight: BlockLayout.largestWeight,
            colourUnit: BlockLayout.colourUnit,
            depth: nil,
            colours: nil
        )
    }

    private enum View { case outside, partial, inside }

    private func view(_ start: SIMD4<Float>) -> View {
        var low = SIMD4<Float>(repeating: .infinity)
        var high = -low
        var isBehind = false
        for corner in 0..<8 {
            var point = start
            if corner & 1 != 0 { point += projection.alongX * 7 }
            if corner & 2 != 0 { point += projection.alongY * 7 }
            if corner & 4 != 0 { point += projection.alongZ * 7 }
            if point.z <= Self.nearestMetres { isBehind = true }
            let inverse = 1 / point.z
            let place = point * inverse
            low = SIMD4(min(low.x, place.x), min(low.y, place.y), 0, 0)
            high = SIMD4(max(high.x, place.x), max(high.y, place.y), 0, 0)
        }
        if isBehind { return .partial }
        let (lastColumn, lastRow) = (shared.lastColumn, shared.lastRow)
        if high.x < -0.5 || high.y < -0.5 || low.x > lastColumn + 0.5 || low.y > lastRow + 0.5 { return .outside }
        // A little less than what rounds into the grid: the sums of steps have errors of their own.
        let isInside = low.x > -0.4 && low.y > -0.4 && high.x < lastColumn + 0.4 && high.y < lastRow + 0.4
        return isInside ? .inside : .partial
    }

    /// Calls `body` with what changes blocks; the frame's pixels are there until it returns.
    func withPixels(of frame: MapFrame, _ body: (BlockPixels) -> Void) {
        frame.depth.withUnsafeBufferPointer { depth in
            (frame.colours ?? []).withUnsafeBufferPointer { colours in
                var shared = shared
                shared.depth = depth.baseAddress
                shared.colours = frame.colours == nil ? nil : colours.baseAddress
                if shared.depth != nil { body(BlockPixels(frame: shared)) }
            }
        }
    }

    struct BlockPixels {
        fileprivate let frame: CFusionFrame
    }

    /// - Parameter next: where the block lies that comes next, 0 without one.
    func integrate(_ key: BlockKey, into block: UnsafeMutablePointer<Int16>, next: UInt, _ pixels: BlockPixels) {
        let start = projection.start(key)
        switch view(start) {
        case .outside: break
        case .partial: integrate(start, block, next, pixels, CFusionPartial)
        case .inside: integrate(start, block, next, pixels, CFusionInside)
        }
    }

    /// Takes weight from the voxels of a block that the frame looks through.
    func carve(_ key: BlockKey, in block: UnsafeMutablePointer<Int16>, next: UInt, _ pixels: BlockPixels) {
        integrate(projection.start(key), block, next, pixels, CFusionSeenThrough)
    }

    private func integrate(
        _ start: SIMD4<Float>,
        _ block: UnsafeMutablePointer<Int16>,
        _ next: UInt,
        _ pixels: BlockPixels,
        _ view: CFusionView
    ) {
        let planes = CFusionBlock(
            distance: block + BlockLayout.distance,
            weight: block + BlockLayout.weight,
            colour: block + BlockLayout.colour,
            count: block + BlockLayout.count,
            next: next
        )
        withUnsafePointer(to: pixels.frame) {
            CFusionIntegrate($0, start.x, start.y, start.z, view, planes, hasWideLanes)
        }
    }
}
