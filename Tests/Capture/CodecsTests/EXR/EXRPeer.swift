import SystemPackage
import TestSupport

/// OpenEXR's own library, as PyPI has it.
enum EXRPeer {
    /// Runs code that knows `write(name, channels, compression, order)` and `rows(name, channel)`, in a folder.
    static func run(_ code: String, in folder: TemporaryDirectory) throws -> String {
        try PeerPython.output(of: helpers + "\n" + code, [folder.path.string])
    }

    /// The bits of 32-bit numbers, little-endian.
    static func bits(_ path: FilePath) throws -> [UInt32] {
        let bytes = try readFile(path)
        return stride(from: 0, to: bytes.count, by: 4).map { place in
            bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// Whether these are the same numbers bit by bit; of NaN only that it is one.
    static func isSame(_ values: [Float], _ bits: [UInt32]) -> Bool {
        values.count == bits.count
            && zip(values, bits).allSatisfy { value, bits in
                value.isNaN ? Float(bitPattern: bits).isNaN : value.bitPattern == bits
            }
    }

    private static let helpers = """
        import os, sys
        import numpy, OpenEXR
        os.chdir(sys.argv[1])
        def write(name, channels, compression, order=OpenEXR.INCREASING_Y, type=OpenEXR.scanlineimage, **more):
            header = {'compression': compression, 'lineOrder': order, 'type': type, **more}
            with OpenEXR.File(header, channels) as file:
                file.write(name)
        def rows(name, channel):
            with OpenEXR.File(name, separate_channels=True) as file:
                return file.channels()[channel].pixels
        rng = numpy.random.default_rng(3)
        def depth(width, height, kind):
            y, x = numpy.mgrid[0:height, 0:width]
            return (1 + x * 0.01 + numpy.sin(y / 5) + rng.normal(0, 0.01, (height, width))).astype(kind)
        """
}
