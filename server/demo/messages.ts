import { messageText, timedText } from "@/server/demo/message-text";
import { spatialTypes } from "@/server/demo/spatial-messages";

/** The message types of the demo's robots, as a ROS 2 recorder writes them. */

export interface MessageType {
  topic: string;
  schemaName: string;
  schema: string;
  /** Whether subscribers get its last message however late they come. */
  latched?: boolean;
}

export const messageTypes = {
  battery: {
    topic: "/battery_state",
    schemaName: "sensor_msgs/msg/BatteryState",
    schema: messageText(`uint8 POWER_SUPPLY_STATUS_UNKNOWN = 0
uint8 POWER_SUPPLY_STATUS_CHARGING = 1
uint8 POWER_SUPPLY_STATUS_DISCHARGING = 2
uint8 POWER_SUPPLY_STATUS_NOT_CHARGING = 3
uint8 POWER_SUPPLY_STATUS_FULL = 4
std_msgs/Header header
float32 voltage # [V]
float32 temperature # [°C]
float32 current # [A]
float32 charge # [Ah]
float32 capacity # [Ah]
float32 percentage
uint8 power_supply_status
bool present
string location`),
  },
  motor: {
    topic: "/motor/state",
    schemaName: "robot_msgs/msg/MotorState",
    schema: messageText(`uint8 MODE_IDLE = 0
uint8 MODE_RUNNING = 1
uint8 MODE_FAULT = 2
std_msgs/Header header
float32 temperature # [°C]
float32 current # [A]
int32 rpm
uint8 mode`),
  },
  joints: {
    topic: "/joint_states",
    schemaName: "sensor_msgs/msg/JointState",
    schema: messageText(`std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort`),
  },
  diagnostics: {
    topic: "/diagnostics",
    schemaName: "diagnostic_msgs/msg/DiagnosticArray",
    schema: messageText(
      `std_msgs/Header header
diagnostic_msgs/DiagnosticStatus[] status`,
      `MSG: diagnostic_msgs/DiagnosticStatus
byte OK=0
byte WARN=1
byte ERROR=2
byte STALE=3
byte level
string name
string message
string hardware_id
diagnostic_msgs/KeyValue[] values`,
      `MSG: diagnostic_msgs/KeyValue
string key
string value`,
    ),
  },
  pose: {
    topic: "/pose",
    schemaName: "geometry_msgs/msg/PoseStamped",
    schema: messageText(
      `std_msgs/Header header
geometry_msgs/Pose pose`,
      `MSG: geometry_msgs/Pose
geometry_msgs/Point position
geometry_msgs/Quaternion orientation`,
      `MSG: geometry_msgs/Point
float64 x
float64 y
float64 z`,
      `MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w`,
    ),
  },
  picture: {
    topic: "/camera/front/image/compressed",
    schemaName: "sensor_msgs/msg/CompressedImage",
    schema: messageText(`std_msgs/Header header
string format
uint8[] data`),
  },
  gps: {
    topic: "/gps/fix",
    schemaName: "sensor_msgs/msg/NavSatFix",
    schema: messageText(
      `uint8 COVARIANCE_TYPE_UNKNOWN=0
uint8 COVARIANCE_TYPE_APPROXIMATED=1
uint8 COVARIANCE_TYPE_DIAGONAL_KNOWN=2
uint8 COVARIANCE_TYPE_KNOWN=3
std_msgs/Header header
sensor_msgs/NavSatStatus status
float64 latitude # [°]
float64 longitude # [°]
float64 altitude # [m]
float64[9] position_covariance # [m²]
uint8 position_covariance_type`,
      `MSG: sensor_msgs/NavSatStatus
int8 STATUS_NO_FIX=-1
int8 STATUS_FIX=0
int8 STATUS_SBAS_FIX=1
int8 STATUS_GBAS_FIX=2
uint16 SERVICE_GPS=1
int8 status
uint16 service`,
    ),
  },
  log: {
    topic: "/rosout",
    schemaName: "rcl_interfaces/msg/Log",
    schema: timedText(`byte DEBUG=10
byte INFO=20
byte WARN=30
byte ERROR=40
byte FATAL=50
builtin_interfaces/Time stamp
uint8 level
string name
string msg
string file
string function
uint32 line`),
  },
  camera: {
    topic: "/camera/front/frames",
    schemaName: "robot_msgs/msg/FrameInfo",
    schema: messageText(`std_msgs/Header header
uint32 sequence
float32 exposure_ms # [ms]
float32 brightness`),
  },
  ...spatialTypes,
} as const satisfies Record<string, MessageType>;

export type MessageKind = keyof typeof messageTypes;
