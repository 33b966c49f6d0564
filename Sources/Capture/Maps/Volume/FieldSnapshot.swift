import Recording

/// A place as three numbers: unlike a `Vector3` it needs no alignment of 32 bytes, and may live in async functions.
struct MapOrigin: Hashable, Sendable {
    private let x: Double
    private let y: Double
    private let z: Double

    init(_ place: Vector3) { (x, y, z) = (place.x, place.y, place.z) }

    var vector: Vector3 { Vector3(x, y, z) }
}

/// A field that nothing changes any more, whose parts many tasks can read.
package struct FieldSnapshot: Sendable {
    let table: BlockTable
    let stores: [BlockStore]
    package let parameters: MapParameters
    /// Where block 0 begins in the world: a whole number of blocks from its origin.
    let start: MapOrigin
    var origin: Vector3 { start.vector }

    /// What the field knows about the surface near one voxel.
    package struct Voxel: Hashable, Sendable {
        /// To the surface in metres, positive before it, at most the truncation.
        package var metres: Float
        /// 1 is one sample of high confidence at one metre.
        package var weight: Float
        /// Red, green and blue, 0 to 255, and their weight.
        package var colour: SIMD4<Float>
        package var count: Int
    }

    /// The keys of all blocks, in their order.
    package var keys: [BlockKey] { table.keys.sorted() }

    /// Calls `body` with a block's values.
    @inline(__always)
    func read(_ number: Int, _ body: (UnsafePointer<Int16>) -> Void) {
        stores[number % stores.count].read(number / stores.count, body)
    }

    /// The voxel with its sample at `place` times the voxel size; `nil` where nothing was seen.
    package func voxel(_ place: SIMD3<Int32>) -> Voxel? {
        guard let number = table.number(of: BlockKey(place &>> 3)) else { return nil }
        let inside = place & 7
        let index = Int(inside.x + 8 * inside.y + 64 * inside.z)
        var result: Voxel?
        read(number) { block in
            let weight = block[BlockLayout.weight + index]
            guard weight > 0 else { return }
            let colour = block + BlockLayout.colour + 4 * index
            let unit = BlockLayout.colourUnit
            result = Voxel(
                metres: Float(block[BlockLayout.distance + index]) / BlockLayout.distanceUnit
                    * Float(parameters.truncationMetres),
                weight: Float(weight) / BlockLayout.weightUnit,
                colour: SIMD4(
                    Float(colour[0]) / unit,
                    Float(colour[1]) / unit,
                    Float(colour[2]) / unit,
                    Float(colour[3]) / BlockLayout.weightUnit
                ),
                count: Int(block[BlockLayout.count + index])
            )
        }
        return result
    }
}
