/// A primitive whose bytes in memory are its bytes in little-endian CDR, so that arrays are copied whole.
protocol PlainPrimitive: Primitive, BitwiseCopyable {
    /// The value with its bytes in the opposite order.
    var byteSwapped: Self { get }
}

// Arrays are copied as they are in memory.
#if !_endian(little)
#error("CDR is written in little-endian order, which must be the machine's")
#endif

extension PlainPrimitive {
    package static var minimumSize: Int { MemoryLayout<Self>.size }

    package func addSize(to counter: inout SizeCounter) {
        counter.add(size: MemoryLayout<Self>.size, alignment: MemoryLayout<Self>.size)
    }

    package static func addSize(of values: UnsafeBufferPointer<Self>, to counter: inout SizeCounter) {
        guard values.count > 0 else { return }
        counter.add(size: MemoryLayout<Self>.size &* values.count, alignment: MemoryLayout<Self>.size)
    }

    package func encode(to encoder: inout CDREncoder) {
        encoder.write(self)
    }

    package static func encode(_ values: UnsafeBufferPointer<Self>, to encoder: inout CDREncoder) {
        encoder.write(UnsafeRawBufferPointer(values), alignment: MemoryLayout<Self>.size)
    }

    package static func decode(from decoder: inout CDRDecoder) throws(CDRError) -> Self {
        let value = try decoder.take(1, elementSize: MemoryLayout<Self>.size).loadUnaligned(as: Self.self)
        return decoder.isBigEndian ? value.byteSwapped : value
    }

    package static func decode(count: Int, from decoder: inout CDRDecoder) throws(CDRError) -> [Self] {
        let bytes = try decoder.take(count, elementSize: MemoryLayout<Self>.size)
        var values = [Self](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
            initializedCount = count
        }
        if decoder.isBigEndian {
            for index in values.indices { values[index] = values[index].byteSwapped }
        }
        return values
    }
}

extension Primitive {
    package static var mayBeNonFinite: Bool { false }
    package var nonFiniteText: String? { nil }
}

extension Bool {
    var byteSwapped: Bool { self }

    // A byte that is neither 0 nor 1 must never become a Bool.
    package static func decode(from decoder: inout CDRDecoder) throws(CDRError) -> Bool {
        let byte = try UInt8.decode(from: &decoder)
        guard byte <= 1 else { throw decoder.error("a bool of 0 or 1", "\(byte)", back: 1) }
        return byte == 1
    }

    package static func decode(count: Int, from decoder: inout CDRDecoder) throws(CDRError) -> [Bool] {
        var values: [Bool] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try decode(from: &decoder)) }
        return values
    }
}

extension Float {
    var byteSwapped: Float { Float(bitPattern: bitPattern.byteSwapped) }
}

extension Double {
    var byteSwapped: Double { Double(bitPattern: bitPattern.byteSwapped) }
}
