package import Yams

/// Reading YAML that comes from anywhere.
package enum YAMLText {
    /// The node of a text, or nil for an empty one.
    ///
    /// - Parameter resolver: The rules for the type of a scalar without a tag. By default it remains text: resolving
    ///   its type costs more than reading it.
    /// - Throws: ``YAMLCostError`` for a text that costs far more than its length, and Yams' `YamlError`.
    package static func compose(_ text: String, _ resolver: Resolver = .basic) throws -> Node? {
        try YAMLCost.check(text)
        return try Yams.compose(yaml: text, resolver, .default, .utf8)
    }
}
