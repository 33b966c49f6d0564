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
        frame.depth.withUnsafeBufferPointer { depth in
            (frame.colours ?? []).withUnsafeBufferPointer { colours in
                guard let address = depth.baseAddress else { return }
                let colours = frame.colours == nil ? nil : colours.baseAddress
                for item in items {
                    store.mutate(item.block) { block in
                        if item.isSeenThrough {
                            integrator.carve(item.key, in: block, address)
                        } else {
                            integrator.integrate(item.key, into: block, address, colours)
                        }
                    }
                }
            }
        }
    }
}
