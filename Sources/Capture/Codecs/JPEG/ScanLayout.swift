/// How the blocks of a scan make up the rows of the smaller image.
struct ScanLayout {
    /// One component; plain memory, so that copies cost nothing.
    struct Component {
        /// Blocks of one unit of the scan.
        var blocksAcross: Int
        var blocksDown: Int
        /// True if each block gives 2 x 2 samples instead of one, because it stands for twice as many pixels.
        var isDoubled: Bool
        /// Where the component's row of samples starts in the buffer of all of them.
        var start: Int
        /// Samples of one row.
        var stride: Int
        /// In zigzag order.
        var quantisation: UnsafePointer<Int>
        var dc: HuffmanTable.View
        var ac: HuffmanTable.View

        /// Samples of one unit of the scan.
        var samplesAcross: Int { isDoubled ? 2 * blocksAcross : blocksAcross }
        var samplesDown: Int { isDoubled ? 2 * blocksDown : blocksDown }
    }

    let components: [Component]
    let unitsPerRow: Int
    let unitRows: Int
    let restartInterval: Int
    /// The number of samples of one row of units, of all components.
    let sampleCount: Int

    var unitCount: Int { unitsPerRow * unitRows }

    /// `nil` where a table is missing; `quantisation` has room for 64 values of each of three components.
    init?(_ scan: BaselineScan, tables: [HuffmanTable?], quantisation: UnsafeMutablePointer<Int>) {
        // A.2.2: a scan of one component has units of one block, with any sampling factors.
        let isGrey = scan.components.count == 1
        let across = isGrey ? 1 : scan.components[0].horizontal
        let down = isGrey ? 1 : scan.components[0].vertical
        unitsPerRow = (scan.width + 8 * across - 1) / (8 * across)
        unitRows = (scan.height + 8 * down - 1) / (8 * down)
        restartInterval = scan.restartInterval
        var components: [Component] = []
        var start = 0
        for (index, component) in scan.components.enumerated() {
            guard let dc = tables[component.dcTable], let ac = tables[component.acTable] else { return nil }
            let values = quantisation + 64 * index
            for (place, value) in scan.quantisation[component.quantisation].enumerated() { values[place] = Int(value) }
            var entry = Component(
                blocksAcross: index == 0 ? across : 1,
                blocksDown: index == 0 ? down : 1,
                isDoubled: index > 0 && across == 2 && down == 2,
                start: start,
                stride: 0,
                quantisation: UnsafePointer(values),
                dc: dc.view,
                ac: ac.view
            )
            entry.stride = unitsPerRow * entry.samplesAcross
            start += entry.stride * entry.samplesDown
            components.append(entry)
        }
        self.components = components
        sampleCount = start
    }
}
