import Foundation
package import SystemPackage
package import Text

/// Vectors made by other implementations.
package enum Vectors {
    package static func path(_ name: String) -> FilePath { Checkout.path("Tests/Vectors").appending(name) }

    package static func load(_ name: String) throws -> JSONValue {
        try JSONValue.parse([UInt8](Data(contentsOf: URL(filePath: path(name).string))))
    }
}

extension [UInt8] {
    /// Bytes from pairs of hexadecimal digits; spaces are passed over.
    package init(hexadecimal text: String) {
        let digits = text.filter { $0 != " " }.compactMap(\.hexDigitValue)
        self = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    package var hexadecimalText: String { map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined() }
}
