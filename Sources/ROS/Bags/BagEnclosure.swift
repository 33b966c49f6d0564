/// What an .mcap file has besides messages, and a .db3 file has no place for.
package enum BagEnclosure: Sendable, Hashable {
    case attachment(BagAttachment)
    case metadata(MCAPContents.MetadataRecord)
}
