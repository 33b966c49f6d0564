extension CommonDefinitions {
    static let actionMsgs = """
        GoalInfo
          unique_identifier_msgs/UUID goal_id
          builtin_interfaces/Time stamp
        GoalStatus
          int8 STATUS_UNKNOWN=0, STATUS_ACCEPTED=1, STATUS_EXECUTING=2, STATUS_CANCELING=3, STATUS_SUCCEEDED=4
          int8 STATUS_CANCELED=5, STATUS_ABORTED=6
          GoalInfo goal_info
          int8 status
        GoalStatusArray
          GoalStatus[] status_list
        """

    static let actionlibMsgs = """
        GoalID
          builtin_interfaces/Time stamp
          string id
        GoalStatus
          uint8 PENDING=0, ACTIVE=1, PREEMPTED=2, SUCCEEDED=3, ABORTED=4, REJECTED=5, PREEMPTING=6, RECALLING=7
          uint8 RECALLED=8, LOST=9
          GoalID goal_id
          uint8 status
          string text
        GoalStatusArray
          std_msgs/Header header
          GoalStatus[] status_list
        """

    static let uniqueIdentifierMsgs = """
        UUID
          uint8[16] uuid
        """

    static let serviceMsgs = """
        ServiceEventInfo
          uint8 REQUEST_SENT=0, REQUEST_RECEIVED=1, RESPONSE_SENT=2, RESPONSE_RECEIVED=3
          uint8 event_type
          builtin_interfaces/Time stamp
          char[16] client_gid
          int64 sequence_number
        """

    static let stdSrvs = """
        Empty
          ---
        SetBool
          bool data
          ---
          bool success
          string message
        Trigger
          ---
          bool success
          string message
        """
}
