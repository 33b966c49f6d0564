package import Messages

extension TopicNaming {
    package func name(_ kind: TopicKind) -> String { name(kind.rawValue) }
}
