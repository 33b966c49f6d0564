extension CommonDefinitions {
    static let sensorMsgs = """
        BatteryState
          uint8 POWER_SUPPLY_STATUS_UNKNOWN=0, POWER_SUPPLY_STATUS_CHARGING=1, POWER_SUPPLY_STATUS_DISCHARGING=2
          uint8 POWER_SUPPLY_STATUS_NOT_CHARGING=3, POWER_SUPPLY_STATUS_FULL=4, POWER_SUPPLY_HEALTH_UNKNOWN=0
          uint8 POWER_SUPPLY_HEALTH_GOOD=1, POWER_SUPPLY_HEALTH_OVERHEAT=2, POWER_SUPPLY_HEALTH_DEAD=3
          uint8 POWER_SUPPLY_HEALTH_OVERVOLTAGE=4, POWER_SUPPLY_HEALTH_UNSPEC_FAILURE=5, POWER_SUPPLY_HEALTH_COLD=6
          uint8 POWER_SUPPLY_HEALTH_WATCHDOG_TIMER_EXPIRE=7, POWER_SUPPLY_HEALTH_SAFETY_TIMER_EXPIRE=8
          uint8 POWER_SUPPLY_TECHNOLOGY_UNKNOWN=0, POWER_SUPPLY_TECHNOLOGY_NIMH=1, POWER_SUPPLY_TECHNOLOGY_LION=2
          uint8 POWER_SUPPLY_TECHNOLOGY_LIPO=3, POWER_SUPPLY_TECHNOLOGY_LIFE=4, POWER_SUPPLY_TECHNOLOGY_NICD=5
          uint8 POWER_SUPPLY_TECHNOLOGY_LIMN=6, POWER_SUPPLY_TECHNOLOGY_TERNARY=7, POWER_SUPPLY_TECHNOLOGY_VRLA=8
          std_msgs/Header header
          float32 voltage, temperature, current, charge, capacity, design_capacity, percentage
          uint8 power_supply_status, power_supply_health, power_supply_technology
          bool present
          float32[] cell_voltage, cell_temperature
          string location, serial_number
        ChannelFloat32
          string name
          float32[] values
        FluidPressure
          std_msgs/Header header
          float64 fluid_pressure, variance
        Illuminance
          std_msgs/Header header
          float64 illuminance, variance
        JointState
          std_msgs/Header header
          string[] name
          float64[] position, velocity, effort
        Joy
          std_msgs/Header header
          float32[] axes
          int32[] buttons
        JoyFeedback
          uint8 TYPE_LED=0, TYPE_RUMBLE=1, TYPE_BUZZER=2
          uint8 type, id
          float32 intensity
        JoyFeedbackArray
          JoyFeedback[] array
        LaserEcho
          float32[] echoes
        LaserScan
          std_msgs/Header header
          float32 angle_min, angle_max, angle_increment, time_increment, scan_time, range_min, range_max
          float32[] ranges, intensities
        MagneticField
          std_msgs/Header header
          geometry_msgs/Vector3 magnetic_field
          float64[9] magnetic_field_covariance
        MultiDOFJointState
          std_msgs/Header header
          string[] joint_names
          geometry_msgs/Transform[] transforms
          geometry_msgs/Twist[] twist
          geometry_msgs/Wrench[] wrench
        MultiEchoLaserScan
          std_msgs/Header header
          float32 angle_min, angle_max, angle_increment, time_increment, scan_time, range_min, range_max
          LaserEcho[] ranges, intensities
        PointCloud
          std_msgs/Header header
          geometry_msgs/Point32[] points
          ChannelFloat32[] channels
        Range
          uint8 ULTRASOUND=0, INFRARED=1
          std_msgs/Header header
          uint8 radiation_type
          float32 field_of_view, min_range, max_range, range, variance
        Range humble
          uint8 ULTRASOUND=0, INFRARED=1
          std_msgs/Header header
          uint8 radiation_type
          float32 field_of_view, min_range, max_range, range
        RelativeHumidity
          std_msgs/Header header
          float64 relative_humidity, variance
        Temperature
          std_msgs/Header header
          float64 temperature, variance
        TimeReference
          std_msgs/Header header
          builtin_interfaces/Time time_ref
          string source
        """

    static let stereoMsgs = """
        DisparityImage
          std_msgs/Header header
          sensor_msgs/Image image
          float32 f, t
          sensor_msgs/RegionOfInterest valid_window
          float32 min_disparity, max_disparity, delta_d
        """
}
