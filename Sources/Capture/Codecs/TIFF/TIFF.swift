package import Recording

/// Reading TIFF (TIFF 6.0): the header of any, and heights as uncompressed Float32.
package enum TIFF {
    /// The size of the first image of a TIFF all of whose strips or tiles lie within the file.
    package static func inspect(_ bytes: [UInt8]) throws(CodecError) -> GridSize {
        try bytes.withUnsafeBufferPointer { (buffer) throws(CodecError) in
            let directory = try TIFFDirectory(UnsafeRawBufferPointer(buffer))
            let size = try directory.size()
            _ = try directory.parts()
            return size
        }
    }
}
