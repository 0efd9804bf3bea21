import { messageText } from "@/server/demo/message-text";

const transform = `MSG: geometry_msgs/TransformStamped
std_msgs/Header header
string child_frame_id
geometry_msgs/Transform transform`;
const transformParts = [
  transform,
  `MSG: geometry_msgs/Transform
geometry_msgs/Vector3 translation
geometry_msgs/Quaternion rotation`,
];
const vector = `MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z`;
const quaternion = `MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w`;
const point = `MSG: geometry_msgs/Point
float64 x
float64 y
float64 z`;
const transforms = messageText("geometry_msgs/TransformStamped[] transforms", ...transformParts, vector, quaternion);

/** The message types of what a mobile robot knows of the space around it. */
export const spatialTypes = {
  tf: { topic: "/tf", schemaName: "tf2_msgs/msg/TFMessage", schema: transforms },
  tfStatic: { topic: "/tf_static", schemaName: "tf2_msgs/msg/TFMessage", schema: transforms, latched: true },
  robotDescription: {
    topic: "/robot_description",
    schemaName: "std_msgs/msg/String",
    schema: "string data",
    latched: true,
  },
  odometry: {
    topic: "/odom",
    schemaName: "nav_msgs/msg/Odometry",
    schema: messageText(
      `std_msgs/Header header
string child_frame_id
geometry_msgs/PoseWithCovariance pose
geometry_msgs/TwistWithCovariance twist`,
      `MSG: geometry_msgs/PoseWithCovariance
geometry_msgs/Pose pose
float64[36] covariance`,
      `MSG: geometry_msgs/Pose
geometry_msgs/Point position
geometry_msgs/Quaternion orientation`,
      point,
      quaternion,
      `MSG: geometry_msgs/TwistWithCovariance
geometry_msgs/Twist twist
float64[36] covariance`,
      `MSG: geometry_msgs/Twist
geometry_msgs/Vector3 linear
geometry_msgs/Vector3 angular`,
      vector,
    ),
  },
  cloud: {
    topic: "/lidar/points",
    schemaName: "sensor_msgs/msg/PointCloud2",
    schema: messageText(
      `std_msgs/Header header
uint32 height
uint32 width
sensor_msgs/PointField[] fields
bool is_bigendian
uint32 point_step
uint32 row_step
uint8[] data
bool is_dense`,
      `MSG: sensor_msgs/PointField
uint8 INT8=1
uint8 UINT8=2
uint8 INT16=3
uint8 UINT16=4
uint8 INT32=5
uint8 UINT32=6
uint8 FLOAT32=7
uint8 FLOAT64=8
string name
uint32 offset
uint8 datatype
uint32 count`,
    ),
  },
  scan: {
    topic: "/scan",
    schemaName: "sensor_msgs/msg/LaserScan",
    schema: messageText(`std_msgs/Header header
float32 angle_min # [rad]
float32 angle_max # [rad]
float32 angle_increment # [rad]
float32 time_increment # [s]
float32 scan_time # [s]
float32 range_min # [m]
float32 range_max # [m]
float32[] ranges # [m]
float32[] intensities`),
  },
  calibration: {
    topic: "/camera/front/camera_info",
    schemaName: "sensor_msgs/msg/CameraInfo",
    schema: messageText(
      `std_msgs/Header header
uint32 height
uint32 width
string distortion_model
float64[] d
float64[9] k
float64[9] r
float64[12] p
uint32 binning_x
uint32 binning_y
sensor_msgs/RegionOfInterest roi`,
      `MSG: sensor_msgs/RegionOfInterest
uint32 x_offset
uint32 y_offset
uint32 height
uint32 width
bool do_rectify`,
    ),
  },
} as const;
