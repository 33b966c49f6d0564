/// An attachment or metadata record of an .mcap file, for which a .db3 file has no place.
package enum ExtraRecord: Sendable, Hashable {
    case attachment(BagAttachment)
    case metadata(MCAPContents.MetadataRecord)
}
