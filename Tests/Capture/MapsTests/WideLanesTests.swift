import CFusion
import TestSupport
import Testing

/// Machines with wide instructions and without have to make the same map, to the bit.
@Suite("The loop over voxels, wide and narrow", .enabled(if: CFusionHasWideLanes()))
struct WideLanesTests {
    private static let (width, height) = (64, 48)

    private static func frame(_ random: inout SeededRandomNumbers) -> CFusionFrame {
        func step(_ random: inout SeededRandomNumbers) -> (Float, Float, Float, Float) {
            (random.number(-1.5...1.5), random.number(-1.5...1.5), random.number(-0.02...0.02), 0)
        }
        return CFusionFrame(
            stepX: step(&random),
            stepY: step(&random),
            stepZ: step(&random),
            lastColumn: Float(width - 1),
            lastRow: Float(height - 1),
            rowLength: Float(width),
            nearestMetres: 0.05,
            truncation: 0.08,
            colourReach: 0.03,
            fallOff: 4 / 3,
            largestSample: 4,
            carvingPart: 0.25,
            distanceUnit: 32_000,
            weightUnit: 2048,
            largestWeight: 32_767,
            colourUnit: 128,
            depth: nil,
            colours: nil
        )
    }

    @Test("blocks that were seen, half seen, looked through and full", arguments: [true, false])
    func blocks(hasColours: Bool) {
        var random = SeededRandomNumbers(seed: 7)
        var changed = 0
        for round in 0..<300 {
            var frame = Self.frame(&random)
            let middle = random.number(0.3...4)
            let depth = (0..<Self.width * Self.height).map { _ in
                random.number(0...1) < 0.1 ? -1e9 : middle + random.number(-0.15...0.15)
            }
            let colours = depth.map { _ in UInt32(truncatingIfNeeded: random.next()) & 0xFF_FFFF }
            let view = [CFusionPartial, CFusionInside, CFusionSeenThrough][round % 3]
            // All of a block inside: its 22 steps of 1.5 pixels at most lie around the middle.
            let place = view == CFusionInside ? (31.5, 23.5) : (random.number(-20...80), random.number(-20...70))
            if view == CFusionInside {
                for axis in [\CFusionFrame.stepX, \.stepY, \.stepZ] {
                    frame[keyPath: axis].0 *= middle * 0.2
                    frame[keyPath: axis].1 *= middle * 0.2
                    frame[keyPath: axis].2 *= 0.05
                }
            }
            let start = (Float(place.0) * middle, Float(place.1) * middle, middle + random.number(-0.05...0.05))
            let before = (0..<3584).map { index in
                switch index {
                case 512..<1024, 3072...: Int16(truncatingIfNeeded: random.next() & 0x7FFF) >> Int16(round % 15)
                case 1024..<3072: Int16(truncatingIfNeeded: random.next() & 0x7FFF)
                default: Int16(truncatingIfNeeded: Int(random.next() % 64_001) - 32_000)
                }
            }
            func after(hasWideLanes: Bool) -> [Int16] {
                var values = before
                values.withUnsafeMutableBufferPointer { values in
                    depth.withUnsafeBufferPointer { depth in
                        colours.withUnsafeBufferPointer { colours in
                            frame.depth = depth.baseAddress
                            frame.colours = hasColours ? colours.baseAddress : nil
                            let block = values.baseAddress
                            let planes = CFusionBlock(
                                distance: block,
                                weight: block.map { $0 + 512 },
                                colour: block.map { $0 + 1024 },
                                count: block.map { $0 + 3072 },
                                next: 0
                            )
                            CFusionIntegrate(&frame, start.0, start.1, start.2, view, planes, hasWideLanes)
                        }
                    }
                }
                return values
            }
            let (wide, narrow) = (after(hasWideLanes: true), after(hasWideLanes: false))
            #expect(wide == narrow)
            if wide != before { changed += 1 }
        }
        #expect(changed > 100)
    }

    @Test("the blocks around a surface")
    func band() {
        var random = SeededRandomNumbers(seed: 11)
        for _ in 0..<50 {
            func place(_ reach: Float) -> (Double, Double, Double) {
                let reach = -reach...reach
                return (Double(random.number(reach)), Double(random.number(reach)), Double(random.number(reach)))
            }
            var band = CFusionBand(
                origin: place(100),
                across: place(8),
                line: place(8),
                cx: 31.2,
                fx: 48.7,
                steps: (-0.08, -0.04, 0, 0.04, 0.08),
                width: Int32(Self.width),
                stride: 1,
                limit: 1 << 20
            )
            let depth = (0..<Self.width).map { _ in random.number(-1...4) }
            func keys(hasWideLanes: Bool) -> [[Int32]] {
                var recent = CFusionRecent()
                CFusionForget(&recent)
                var keys = [(Int32, Int32, Int32, Int32)](repeating: (0, 0, 0, 0), count: 5 * Self.width)
                let count = CFusionFindBlocks(&band, depth, &recent, &keys, hasWideLanes)
                return keys.prefix(Int(count)).map { [$0.0, $0.1, $0.2] }
            }
            // What is near the surface: the blocks of places that lie as far along the ray as the steps say.
            let expected = Set(
                depth.enumerated().filter { $0.element > 0 }.flatMap { column, metres in
                    [-0.08, -0.04, 0, 0.04, 0.08].map { step -> [Int32] in
                        let along = (Double(column) - band.cx) / band.fx
                        let reach = max(Double(metres) + step, 0)
                        return [
                            band.origin.0 + (band.line.0 + band.across.0 * along) * reach,
                            band.origin.1 + (band.line.1 + band.across.1 * along) * reach,
                            band.origin.2 + (band.line.2 + band.across.2 * along) * reach,
                        ]
                        .map { Int32($0.rounded(.down)) }
                    }
                }
            )
            let found = keys(hasWideLanes: true)
            #expect(found == keys(hasWideLanes: false))
            #expect(Set(found) == expected && found.count < 3 * expected.count + 50)
        }
    }
}

extension SeededRandomNumbers {
    fileprivate mutating func number(_ range: ClosedRange<Float>) -> Float { Float.random(in: range, using: &self) }
}
