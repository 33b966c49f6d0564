package import Perception
import Platform
import Recording

/// A truncated signed distance field in a hash of blocks.
///
/// Curless and Levoy 1996; Niessner, Zollhoefer, Izadi and Stamminger 2013.
/// Frames go in one after the other; the same frames give the same field with any number of workers.
///
/// This library fuses the depth of a session into one map. Begin reading here; ``BlockIntegrator`` changes a block by a
/// frame, ``MeshExtractor`` makes the surface of a ``FieldSnapshot``, Formats has the files it is written to.
package final class MapVolume {
    package let parameters: MapParameters
    /// Frames that needed blocks for which there was no room any more.
    package private(set) var frameCountWithoutRoom = 0
    package private(set) var frameCount = 0

    /// Where block 0 begins; decided with the first frame.
    private var start: MapOrigin?
    private var table = BlockTable()
    private var uses: [BlockUse] = []
    private let shards: [VolumeShard]
    /// The latest frame, whose blocks are counted and not yet changed.
    private var waiting: WaitingFrame?
    private let maximumBlocks: Int

    /// - Parameter jobs: how many workers share the blocks of a frame.
    package init(_ parameters: MapParameters = MapParameters(), jobs: Int = 1) throws(CloudError) {
        try parameters.validate()
        self.parameters = parameters
        maximumBlocks = min(parameters.maximumBytes / BlockLayout.bytes, Int(Int32.max))
        shards = (0..<max(1, jobs)).map { _ in VolumeShard() }
    }

    package var blockCount: Int { table.count }

    /// The size of the field in bytes.
    package var byteCount: Int { table.count * BlockLayout.bytes }

    /// Takes a frame, which is fused by the next call or by `snapshot`; without room for more blocks it updates those that there are.
    ///
    /// - Returns: True if the map can hold it: the camera is no farther from the first one than blocks can be numbered.
    @discardableResult
    package func integrate(_ frame: MapFrame) async -> Bool {
        guard let frame = placed(frame) else { return false }
        frameCount += 1
        let work = items(await advance(to: frame))
        let counts = shards.indices.map { (table.count + shards.count - 1 - $0) / shards.count }
        waiting = WaitingFrame(frame: frame, work: work, blockCounts: counts)
        return true
    }

    /// A frame of which it is known what it concerns.
    private struct WaitingFrame: Sendable {
        var frame: MapFrame
        var work: [[VolumeShard.Item]]
        var blockCounts: [Int]
    }

    /// Fuses the frame that waits, and looks for what the next one concerns: together, so that workers wait for each other once a
    /// frame.
    private func advance(to next: MapFrame?) async -> [BlockWalk.Part] {
        let (parameters, known, latest) = (parameters, next == nil ? [] : table.keys, waiting)
        waiting = nil
        return await mapOrdered(shards.count) { [shards] part in
            if let latest {
                let count = latest.blockCounts[part]
                await shards[part].integrate(latest.frame, latest.work[part], blockCount: count, parameters)
            }
            guard let next else { return BlockWalk.Part(band: [], seenThrough: []) }
            let walk = BlockWalk(
                next,
                voxelMetres: parameters.voxelSizeMetres,
                truncationMetres: parameters.truncationMetres
            )
            return walk.part(part, of: shards.count, known: known)
        }
    }

    /// Within this of the world's origin a Float is fine enough, and blocks are those of every session.
    private static let nearMetres = 250.0
    /// Beyond this a pose is no place on Earth.
    private static let farthestMetres = 1e8

    /// A frame whose pose counts from block 0; `nil` where its blocks could not be numbered.
    private func placed(_ frame: MapFrame) -> MapFrame? {
        let place = frame.worldFromCamera.translation
        guard place.length < Self.farthestMetres else { return nil }
        let block = 8 * parameters.voxelSizeMetres
        let origin = start?.vector ?? (place.length < Self.nearMetres ? .zero : (place / block).rounded(.down) * block)
        start = MapOrigin(origin)
        let reach = parameters.depthLimits.maximumDepthMetres + 2 * parameters.truncationMetres + 2 * block
        guard (place - origin).length + 2 * reach < Double(BlockKey.limit) * block else { return nil }
        return origin == .zero ? frame : frame.moved(by: -1 * origin)
    }

    /// Every block and the frames that concerned it, in the order of keys.
    package var history: [(key: BlockKey, use: BlockUse)] {
        zip(table.keys, uses).map { (key: $0, use: $1) }.sorted { $0.key < $1.key }
    }

    /// The field as it is now, for extraction.
    package func snapshot() async -> FieldSnapshot {
        _ = await advance(to: nil)
        var stores: [BlockStore] = []
        for shard in shards { stores.append(await shard.store) }
        return FieldSnapshot(table: table, stores: stores, parameters: parameters, start: start ?? MapOrigin(.zero))
    }

    /// The blocks that a frame concerns, for each worker.
    private func items(_ parts: [BlockWalk.Part]) -> [[VolumeShard.Item]] {
        let stamp = UInt32(truncatingIfNeeded: frameCount)
        var result = [[VolumeShard.Item]](repeating: [], count: shards.count)
        func add(_ number: Int, _ key: BlockKey, isSeenThrough: Bool = false) {
            result[number % shards.count].append(
                VolumeShard.Item(block: number / shards.count, key: key, isSeenThrough: isSeenThrough)
            )
        }
        // Taken out while it is changed, so that each access is not checked.
        var (table, uses) = (self.table, self.uses)
        (self.table, self.uses) = (BlockTable(), [])
        defer { (self.table, self.uses) = (table, uses) }
        var isShortOfRoom = false
        defer { if isShortOfRoom { frameCountWithoutRoom += 1 } }
        for key in parts.lazy.map(\.band).joined() {
            if let number = table.number(of: key) {
                if uses[number].note(stamp) { add(number, key) }
            } else if table.count < maximumBlocks {
                uses.append(BlockUse(latestFrame: stamp, frameCount: 1))
                add(table.add(key), key)
            } else {
                isShortOfRoom = true
            }
        }
        for number in parts.lazy.map(\.seenThrough).joined() where uses[number].note(stamp) {
            add(number, table.keys[number], isSeenThrough: true)
        }
        return result
    }
}

/// Which frames concerned a block.
package struct BlockUse: Sendable, Hashable {
    /// The number of the last one, from 1.
    package fileprivate(set) var latestFrame: UInt32
    package fileprivate(set) var frameCount: UInt32

    /// Counts a frame; `false` where it was counted already.
    fileprivate mutating func note(_ frame: UInt32) -> Bool {
        guard latestFrame != frame else { return false }
        latestFrame = frame
        frameCount &+= 1
        return true
    }
}

/// How frames become one map.
package struct MapParameters: Sendable, Hashable {
    /// The distance between neighbouring samples of the field, in metres.
    package var voxelSizeMetres: Double = 0.02
    /// The field reaches this many voxels to either side of a surface.
    package var truncationVoxels: Double = 4
    /// The bytes that blocks may take; beyond it none is added, and the frames that needed more are counted.
    package var maximumBytes: Int = 2_000_000_000
    /// Connected pieces of the mesh with less area are dropped, in square metres.
    package var minimumComponentSquareMetres: Double = 0.01
    /// Which pixels count, as for clouds.
    package var depthLimits = CloudParameters()

    package init() {}

    package var truncationMetres: Double { voxelSizeMetres * truncationVoxels }

    /// Throws unless every number makes sense.
    package func validate() throws(CloudError) {
        try CloudError.require((0.001...1).contains(voxelSizeMetres), "voxelSizeMetres", voxelSizeMetres, "0.001 to 1")
        try CloudError.require((1...16).contains(truncationVoxels), "truncationVoxels", truncationVoxels, "1 to 16")
        try CloudError.require(maximumBytes >= 0, "maximumBytes", Double(maximumBytes), "0 or more")
        let area = minimumComponentSquareMetres
        try CloudError.require(area >= 0 && area.isFinite, "minimumComponentSquareMetres", area, "0 or more")
        try depthLimits.validate()
    }
}

/// Every n-th block of a volume: one worker's part, so that no two ever write the same memory.
actor VolumeShard {
    private(set) var store = BlockStore()

    /// A block of a frame, by its number within this shard.
    struct Item: Sendable {
        var block: Int
        var key: BlockKey
        /// No surface that the frame sees is near it.
        var isSeenThrough = false
    }

    /// Fuses a frame into the listed blocks.
    func integrate(_ frame: MapFrame, _ items: [Item], blockCount: Int, _ parameters: MapParameters) {
        // Taken out while it is changed, so that each access is not checked.
        var store = self.store
        self.store = BlockStore()
        defer { self.store = store }
        store.grow(to: blockCount)
        let integrator = BlockIntegrator(
            frame,
            voxelMetres: parameters.voxelSizeMetres,
            truncationVoxels: parameters.truncationVoxels
        )
        integrator.withPixels(of: frame) { pixels in
            for (index, item) in items.enumerated() {
                let next = index + 1 < items.count ? store.address(items[index + 1].block) : 0
                store.mutate(item.block) { block in
                    if item.isSeenThrough {
                        integrator.carve(item.key, in: block, next: next, pixels)
                    } else {
                        integrator.integrate(item.key, into: block, next: next, pixels)
                    }
                }
            }
        }
    }
}
