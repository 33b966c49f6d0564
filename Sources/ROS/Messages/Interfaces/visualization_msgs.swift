/// A place in a texture, from 0 to 1.
package struct UVCoordinate: Message {
    package static var typeName: String { "visualization_msgs/msg/UVCoordinate" }

    package var u: Float = 0
    package var v: Float = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("u", &u)
        try visitor.field("v", &v)
    }
}

/// A mesh as the bytes of a file.
package struct MeshFile: Message {
    package static var typeName: String { "visualization_msgs/msg/MeshFile" }

    package var filename: String = ""
    package var data: [UInt8] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("filename", &filename)
        try visitor.field("data", &data)
    }
}

/// A shape for RViz.
package struct Marker: Message {
    package static var typeName: String { "visualization_msgs/msg/Marker" }
    package static var constants: [MessageConstant] {
        [
            MessageConstant("int32", "ARROW", "0"),
            MessageConstant("int32", "CUBE", "1"),
            MessageConstant("int32", "SPHERE", "2"),
            MessageConstant("int32", "CYLINDER", "3"),
            MessageConstant("int32", "LINE_STRIP", "4"),
            MessageConstant("int32", "LINE_LIST", "5"),
            MessageConstant("int32", "CUBE_LIST", "6"),
            MessageConstant("int32", "SPHERE_LIST", "7"),
            MessageConstant("int32", "POINTS", "8"),
            MessageConstant("int32", "TEXT_VIEW_FACING", "9"),
            MessageConstant("int32", "MESH_RESOURCE", "10"),
            MessageConstant("int32", "TRIANGLE_LIST", "11"),
            MessageConstant("int32", "ARROW_STRIP", "12"),
            MessageConstant("int32", "ADD", "0"),
            MessageConstant("int32", "MODIFY", "0"),
            MessageConstant("int32", "DELETE", "2"),
            MessageConstant("int32", "DELETEALL", "3"),
        ]
    }

    package var header = Header()
    /// With `id`, what a later marker replaces or deletes.
    package var ns: String = ""
    package var id: Int32 = 0
    package var type: Int32 = 0
    package var action: Int32 = 0
    package var pose = Pose()
    /// Metres; factors for meshes and triangle lists.
    package var scale = Vector3()
    package var color = ColorRGBA()
    /// Zero means for ever.
    package var lifetime = DurationMessage()
    package var frameLocked: Bool = false
    /// For lists and strips; three to a triangle.
    package var points: [Point] = []
    package var colors: [ColorRGBA] = []
    package var textureResource: String = ""
    package var texture = CompressedImage()
    package var uvCoordinates: [UVCoordinate] = []
    package var text: String = ""
    package var meshResource: String = ""
    package var meshFile = MeshFile()
    package var meshUseEmbeddedMaterials: Bool = false

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("ns", &ns)
        try visitor.field("id", &id)
        try visitor.field("type", &type)
        try visitor.field("action", &action)
        try visitor.field("pose", &pose)
        try visitor.field("scale", &scale)
        try visitor.field("color", &color)
        try visitor.field("lifetime", &lifetime)
        try visitor.field("frame_locked", &frameLocked)
        try visitor.field("points", &points)
        try visitor.field("colors", &colors)
        try visitor.field("texture_resource", &textureResource)
        try visitor.field("texture", &texture)
        try visitor.field("uv_coordinates", &uvCoordinates)
        try visitor.field("text", &text)
        try visitor.field("mesh_resource", &meshResource)
        try visitor.field("mesh_file", &meshFile)
        try visitor.field("mesh_use_embedded_materials", &meshUseEmbeddedMaterials)
    }
}

/// Markers that arrive together.
package struct MarkerArray: Message {
    package static var typeName: String { "visualization_msgs/msg/MarkerArray" }

    package var markers: [Marker] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("markers", &markers)
    }

    package init(markers: [Marker]) {
        self.markers = markers
    }
}

extension Marker {
    package static let points: Int32 = 8
    package static let triangleList: Int32 = 11

    package static let add: Int32 = 0
    package static let delete: Int32 = 2
    package static let deleteAll: Int32 = 3
}
