extension CommonDefinitions {
    static let rclInterfaces = """
        FloatingPointRange
          float64 from_value, to_value, step
        IntegerRange
          int64 from_value, to_value
          uint64 step
        ListParametersResult
          string[] names, prefixes
        Log
          uint8 DEBUG=10, INFO=20, WARN=30, ERROR=40, FATAL=50
          builtin_interfaces/Time stamp
          uint8 level
          string name, msg, file, function
          uint32 line
        LoggerLevel
          uint8 LOG_LEVEL_UNKNOWN=0, LOG_LEVEL_DEBUG=10, LOG_LEVEL_INFO=20, LOG_LEVEL_WARN=30, LOG_LEVEL_ERROR=40
          uint8 LOG_LEVEL_FATAL=50
          string name
          uint32 level
        Parameter
          string name
          ParameterValue value
        ParameterDescriptor
          string name
          uint8 type
          string description, additional_constraints
          bool read_only false, dynamic_typing false
          FloatingPointRange[<=1] floating_point_range
          IntegerRange[<=1] integer_range
        ParameterEvent
          builtin_interfaces/Time stamp
          string node
          Parameter[] new_parameters, changed_parameters, deleted_parameters
        ParameterEventDescriptors
          ParameterDescriptor[] new_parameters, changed_parameters, deleted_parameters
        ParameterType
          uint8 PARAMETER_NOT_SET=0, PARAMETER_BOOL=1, PARAMETER_INTEGER=2, PARAMETER_DOUBLE=3, PARAMETER_STRING=4
          uint8 PARAMETER_BYTE_ARRAY=5, PARAMETER_BOOL_ARRAY=6, PARAMETER_INTEGER_ARRAY=7, PARAMETER_DOUBLE_ARRAY=8
          uint8 PARAMETER_STRING_ARRAY=9
        ParameterValue
          uint8 type
          bool bool_value
          int64 integer_value
          float64 double_value
          string string_value
          byte[] byte_array_value
          bool[] bool_array_value
          int64[] integer_array_value
          float64[] double_array_value
          string[] string_array_value
        SetLoggerLevelsResult
          bool successful
          string reason
        SetParametersResult
          bool successful
          string reason
        """

    static let lifecycleMsgs = """
        State
          uint8 PRIMARY_STATE_UNKNOWN=0, PRIMARY_STATE_UNCONFIGURED=1, PRIMARY_STATE_INACTIVE=2
          uint8 PRIMARY_STATE_ACTIVE=3, PRIMARY_STATE_FINALIZED=4, TRANSITION_STATE_CONFIGURING=10
          uint8 TRANSITION_STATE_CLEANINGUP=11, TRANSITION_STATE_SHUTTINGDOWN=12, TRANSITION_STATE_ACTIVATING=13
          uint8 TRANSITION_STATE_DEACTIVATING=14, TRANSITION_STATE_ERRORPROCESSING=15
          uint8 id
          string label
        Transition
          uint8 TRANSITION_CREATE=0, TRANSITION_CONFIGURE=1, TRANSITION_CLEANUP=2, TRANSITION_ACTIVATE=3
          uint8 TRANSITION_DEACTIVATE=4, TRANSITION_UNCONFIGURED_SHUTDOWN=5, TRANSITION_INACTIVE_SHUTDOWN=6
          uint8 TRANSITION_ACTIVE_SHUTDOWN=7, TRANSITION_DESTROY=8, TRANSITION_ON_CONFIGURE_SUCCESS=10
          uint8 TRANSITION_ON_CONFIGURE_FAILURE=11, TRANSITION_ON_CONFIGURE_ERROR=12
          uint8 TRANSITION_ON_CLEANUP_SUCCESS=20, TRANSITION_ON_CLEANUP_FAILURE=21, TRANSITION_ON_CLEANUP_ERROR=22
          uint8 TRANSITION_ON_ACTIVATE_SUCCESS=30, TRANSITION_ON_ACTIVATE_FAILURE=31
          uint8 TRANSITION_ON_ACTIVATE_ERROR=32, TRANSITION_ON_DEACTIVATE_SUCCESS=40
          uint8 TRANSITION_ON_DEACTIVATE_FAILURE=41, TRANSITION_ON_DEACTIVATE_ERROR=42
          uint8 TRANSITION_ON_SHUTDOWN_SUCCESS=50, TRANSITION_ON_SHUTDOWN_FAILURE=51
          uint8 TRANSITION_ON_SHUTDOWN_ERROR=52, TRANSITION_ON_ERROR_SUCCESS=60, TRANSITION_ON_ERROR_FAILURE=61
          uint8 TRANSITION_ON_ERROR_ERROR=62, TRANSITION_CALLBACK_SUCCESS=97, TRANSITION_CALLBACK_FAILURE=98
          uint8 TRANSITION_CALLBACK_ERROR=99
          uint8 id
          string label
        TransitionDescription
          Transition transition
          State start_state, goal_state
        TransitionEvent
          uint64 timestamp
          Transition transition
          State start_state, goal_state
        """

    static let rosbag2Interfaces = """
        MessagesLostEvent
          string node_name
          MessagesLostEventTopicStat[] messages_lost_statistics
        MessagesLostEventTopicStat
          string topic_name
          uint64 messages_lost_in_transport, messages_lost_in_recorder
        ReadSplitEvent
          string closed_file, opened_file, node_name
        ReadSplitEvent humble
          string closed_file, opened_file
        WriteSplitEvent
          string closed_file, opened_file, node_name
        WriteSplitEvent humble
          string closed_file, opened_file
        """

    static let rosgraphMsgs = """
        Action
          string name
          Service send_goal, get_result, cancel_goal
          Topic feedback, status
        Graph
          Node[] nodes
        InterfaceType
          string name
          TypeHash hash
        Node
          string name
          rcl_interfaces/ParameterDescriptor[] parameters
          rcl_interfaces/ParameterValue[] parameter_values
          Topic[] publishers, subscriptions
          Service[] service_clients, service_servers
          Action[] action_clients, action_servers
        QoSProfile
          uint8 HISTORY_SYSTEM_DEFAULT=0, HISTORY_KEEP_LAST=1, HISTORY_KEEP_ALL=2, HISTORY_UNKNOWN=3
          uint8 RELIABILITY_SYSTEM_DEFAULT=0, RELIABILITY_RELIABLE=1, RELIABILITY_BEST_EFFORT=2
          uint8 RELIABILITY_UNKNOWN=3, RELIABILITY_BEST_AVAILABLE=4, DURABILITY_SYSTEM_DEFAULT=0
          uint8 DURABILITY_TRANSIENT_LOCAL=1, DURABILITY_VOLATILE=2, DURABILITY_UNKNOWN=3
          uint8 DURABILITY_BEST_AVAILABLE=4, LIVELINESS_SYSTEM_DEFAULT=0, LIVELINESS_AUTOMATIC=1
          uint8 LIVELINESS_MANUAL_BY_TOPIC=3, LIVELINESS_UNKNOWN=4, LIVELINESS_BEST_AVAILABLE=5
          uint32 depth
          builtin_interfaces/Duration deadline, lifespan
          uint8 history, reliability, durability, liveliness
          builtin_interfaces/Duration liveliness_lease_duration
        Service
          string name
          InterfaceType request_type
          QoSProfile request_qos
          InterfaceType response_type
          QoSProfile response_qos
        Topic
          string name
          InterfaceType type
          QoSProfile qos
        TypeHash
          uint8 version
          uint8[32] value
        """

    static let statisticsMsgs = """
        MetricsMessage
          string measurement_source_name, metrics_source, unit
          builtin_interfaces/Time window_start, window_stop
          StatisticDataPoint[] statistics
        StatisticDataPoint
          uint8 data_type
          float64 data
        StatisticDataType
          uint8 STATISTICS_DATA_TYPE_UNINITIALIZED=0, STATISTICS_DATA_TYPE_AVERAGE=1, STATISTICS_DATA_TYPE_MINIMUM=2
          uint8 STATISTICS_DATA_TYPE_MAXIMUM=3, STATISTICS_DATA_TYPE_STDDEV=4, STATISTICS_DATA_TYPE_SAMPLE_COUNT=5
        """

    static let rosbridgeMsgs = """
        ConnectedClient
          string ip_address
          builtin_interfaces/Time connection_time
        ConnectedClients
          ConnectedClient[] clients
        """
}
