extension CommonDefinitions {
    static let visualizationMsgs = """
        ImageMarker
          int32 CIRCLE=0, LINE_STRIP=1, LINE_LIST=2, POLYGON=3, POINTS=4, ADD=0, REMOVE=1
          std_msgs/Header header
          string ns
          int32 id, type, action
          geometry_msgs/Point position
          float32 scale
          std_msgs/ColorRGBA outline_color
          uint8 filled
          std_msgs/ColorRGBA fill_color
          builtin_interfaces/Duration lifetime
          geometry_msgs/Point[] points
          std_msgs/ColorRGBA[] outline_colors
        InteractiveMarker
          std_msgs/Header header
          geometry_msgs/Pose pose
          string name, description
          float32 scale
          MenuEntry[] menu_entries
          InteractiveMarkerControl[] controls
        InteractiveMarkerControl
          uint8 INHERIT=0, FIXED=1, VIEW_FACING=2, NONE=0, MENU=1, BUTTON=2, MOVE_AXIS=3, MOVE_PLANE=4
          uint8 ROTATE_AXIS=5, MOVE_ROTATE=6, MOVE_3D=7, ROTATE_3D=8, MOVE_ROTATE_3D=9
          string name
          geometry_msgs/Quaternion orientation
          uint8 orientation_mode, interaction_mode
          bool always_visible
          Marker[] markers
          bool independent_marker_orientation
          string description
        InteractiveMarkerFeedback
          uint8 KEEP_ALIVE=0, POSE_UPDATE=1, MENU_SELECT=2, BUTTON_CLICK=3, MOUSE_DOWN=4, MOUSE_UP=5
          std_msgs/Header header
          string client_id, marker_name, control_name
          uint8 event_type
          geometry_msgs/Pose pose
          uint32 menu_entry_id
          geometry_msgs/Point mouse_point
          bool mouse_point_valid
        InteractiveMarkerInit
          string server_id
          uint64 seq_num
          InteractiveMarker[] markers
        InteractiveMarkerPose
          std_msgs/Header header
          geometry_msgs/Pose pose
          string name
        InteractiveMarkerUpdate
          uint8 KEEP_ALIVE=0, UPDATE=1
          string server_id
          uint64 seq_num
          uint8 type
          InteractiveMarker[] markers
          InteractiveMarkerPose[] poses
          string[] erases
        MenuEntry
          uint8 FEEDBACK=0, ROSRUN=1, ROSLAUNCH=2
          uint32 id, parent_id
          string title, command
          uint8 command_type
        """
}
