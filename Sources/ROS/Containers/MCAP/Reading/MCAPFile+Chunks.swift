extension MCAPFile {
    /// The chunks in file order, without their records.
    package var chunks: [MCAPChunk] { blocks.compactMap(\.chunk) }
}
