/// Decodes the blocks of the units of a scan, one after the other.
struct BlockDecoder {
    private(set) var source: BitSource
    /// The last first coefficient of each component.
    private var predictions: (Int, Int, Int) = (0, 0, 0)
    /// Sixty-four coefficients in natural order, zero between blocks.
    private let block: UnsafeMutablePointer<Int32>

    init(_ source: BitSource, block: UnsafeMutablePointer<Int32>) {
        self.source = source
        self.block = block
    }

    /// F.2.1.3.1: predictions start at zero again after each restart marker.
    mutating func restart(_ source: BitSource) {
        self.source = source
        predictions = (0, 0, 0)
    }

    /// Decodes units of one row; false where the data is not sound or goes beyond `bitLimit`.
    mutating func decode(
        _ layout: ScanLayout,
        columns: Range<Int>,
        from start: UnsafeRawPointer,
        bitLimit: Int,
        into samples: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        var predictions = predictions
        defer { self.predictions = predictions }
        let light = layout.components[0]
        guard layout.components.count == 3 else {
            for column in columns {
                guard single(light, column, &predictions.0, samples) else { return false }
                guard source.bitsUsed(since: start) <= bitLimit else { return false }
            }
            return true
        }
        let blue = layout.components[1]
        let red = layout.components[2]
        for column in columns {
            guard single(light, column, &predictions.0, samples) else { return false }
            if blue.isDoubled {
                guard doubled(blue, column, &predictions.1, samples), doubled(red, column, &predictions.2, samples)
                else { return false }
            } else {
                guard single(blue, column, &predictions.1, samples), single(red, column, &predictions.2, samples)
                else { return false }
            }
            guard source.bitsUsed(since: start) <= bitLimit else { return false }
        }
        return true
    }

    /// One sample a block: the other coefficients are stepped over.
    @inline(__always)
    private mutating func single(
        _ component: ScanLayout.Component,
        _ unit: Int,
        _ prediction: inout Int,
        _ samples: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        let output = samples + component.start + unit &* component.blocksAcross
        for line in 0..<component.blocksDown {
            for across in 0..<component.blocksAcross {
                guard readDC(component.dc, &prediction), skipBlock(component.ac) else { return false }
                let value = ReducedTransform.single(prediction &* component.quantisation[0])
                guard ReducedTransform.isSound(value) else { return false }
                output[line &* component.stride &+ across] = ReducedTransform.sample(value)
            }
        }
        return true
    }

    /// 2 x 2 samples of the unit's one block.
    @inline(__always)
    private mutating func doubled(
        _ component: ScanLayout.Component,
        _ unit: Int,
        _ prediction: inout Int,
        _ samples: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        guard readDC(component.dc, &prediction) else { return false }
        let dc = prediction &* component.quantisation[0]
        let output = samples + component.start + 2 &* unit
        source.ensure()
        guard let last = readBlock(component) else { return false }
        if last == 0 {
            let value = ReducedTransform.single(dc)
            guard ReducedTransform.isSound(value) else { return false }
            let sample = ReducedTransform.sample(value)
            output[0] = sample
            output[1] = sample
            output[component.stride] = sample
            output[component.stride &+ 1] = sample
            return true
        }
        block[0] = Int32(truncatingIfNeeded: dc)
        guard let (a, b, c, d) = ReducedTransform.double(UnsafePointer(block)) else { return false }
        block.update(repeating: 0, count: 64)
        guard ReducedTransform.isSound(a), ReducedTransform.isSound(b), ReducedTransform.isSound(c),
            ReducedTransform.isSound(d)
        else { return false }
        output[0] = ReducedTransform.sample(a)
        output[1] = ReducedTransform.sample(b)
        output[component.stride] = ReducedTransform.sample(c)
        output[component.stride &+ 1] = ReducedTransform.sample(d)
        return true
    }

    @inline(__always)
    private mutating func readDC(_ table: HuffmanTable.View, _ prediction: inout Int) -> Bool {
        source.ensure()
        let size = BlockDecoder.symbol(table, &source)
        // F.1.2.1.1: at most 11 bits; a missing code is far above.
        guard size <= 11 else { return false }
        if size > 0 { prediction &+= source.value(size) }
        return true
    }

    /// Takes the next symbol, 256 where there is none; needs 16 available bits.
    @inline(__always)
    private static func symbol(_ table: HuffmanTable.View, _ source: inout BitSource) -> Int {
        var entry = Int(table.lookUp[source.peek(HuffmanTable.lookUpBits)])
        if entry == 0 {
            entry = table.longCode(source.peek(16))
            if entry == 0 { return 256 }
        }
        source.consume(entry &>> 8)
        return entry & 0xFF
    }

    /// Steps over the 63 other coefficients of a block.
    @inline(__always)
    private mutating func skipBlock(_ table: HuffmanTable.View) -> Bool {
        // A local copy stays in registers.
        var source = source
        defer { self.source = source }
        var place = 0
        while place < 63 {
            source.ensure()
            let entry = Int(table.skip[source.peek(HuffmanTable.skipBits)])
            let reached = place &+ (entry &>> 5 & 63)
            let isEnd = entry &>> 11
            // Symbols may lie beyond the end of the block; then they are taken one by one.
            if entry != 0, reached &+ isEnd <= 63 {
                source.consume(entry & 31)
                if isEnd == 1 { return true }
                place = reached
                continue
            }
            let symbol = BlockDecoder.symbol(table, &source)
            if symbol & 15 == 0 && symbol != 0xF0 { return symbol != 256 }
            place &+= symbol &>> 4 &+ 1
            source.consume(symbol & 15)
        }
        return place == 63
    }

    /// Reads a block's other coefficients, dequantised, into natural order; gives the place of the last one, or `nil`.
    @inline(__always)
    private mutating func readBlock(_ component: ScanLayout.Component) -> Int? {
        var source = source
        defer { self.source = source }
        var place = 0
        while place < 63 {
            source.ensure()
            let symbol = BlockDecoder.symbol(component.ac, &source)
            let size = symbol & 15
            if size == 0 && symbol != 0xF0 { return symbol == 256 ? nil : place }
            place &+= symbol &>> 4 &+ 1
            // F.1.2.2: at most 10 bits.
            guard place <= 63, size <= 10 else { return nil }
            if size == 0 { continue }
            let value = source.value(size) &* component.quantisation[place]
            block[Int(ReducedTransform.naturalOrder(place))] = Int32(truncatingIfNeeded: value)
        }
        return place
    }
}
