/// A message whose type is known only at run time: its fields' values in the order of the definition.
package struct DynamicMessage: Sendable, Hashable {
    package let layout: MessageLayout
    /// As many as the layout has fields.
    package internal(set) var values: [DynamicValue]

    init(layout: MessageLayout, values: [DynamicValue]) {
        self.layout = layout
        self.values = values
    }

    /// The value of the field of that name; setting one that is no field does nothing.
    ///
    /// A value that does not fit the field's type is found when the message is encoded.
    package subscript(name: String) -> DynamicValue? {
        get { layout.index(of: name).map { values[$0] } }
        set {
            guard let index = layout.index(of: name), let newValue else { return }
            values[index] = newValue
        }
    }

    package static func == (left: DynamicMessage, right: DynamicMessage) -> Bool {
        (left.layout === right.layout || left.layout.typeName == right.layout.typeName) && left.values == right.values
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(layout.typeName)
        hasher.combine(values)
    }
}
