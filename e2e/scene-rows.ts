import {
  blue,
  cloudSays,
  cloudValue,
  colourFields,
  covariance,
  foxgloveFields,
  gridValue,
  markersValue,
  odometryValue,
  packPoints,
  pose,
  scanValue,
  triangle,
  unturned,
  vector,
  zeros,
  type Heading,
} from "./scene-values";
import { jsonTopic, protobufTopic, ros1Topic, ros2Topic, type WireTopic } from "./wire-formats";

type Colour = readonly [red: number, green: number, blue: number];

/** Where something of a row is, metres from its frame, and what a press there says, or the colour that it has. */
interface Probe {
  at: readonly [x: number, y: number];
  /** The lines that follow the topic. */
  says?: readonly string[];
  colour?: Colour;
}

export interface SceneRow {
  topic: string;
  wire: WireTopic;
  value: (heading: Heading) => object;
  /** What the view says of its layer. */
  layer: string;
  probes: readonly Probe[];
  isAlwaysShown?: boolean;
  /** What its messages need of another topic. */
  beside?: Pick<SceneRow, "wire" | "value">;
}

const [dark, light]: Colour[] = [
  [25, 25, 25],
  [245, 245, 245],
];
const black: Colour = dark!;
const white: Colour = light!;
/** Arrows of poses are picked in the middle of their shafts. */
const arrow = (name: string): Probe => ({ at: [0.2, 0], says: [name] });

/** A box that slides along x. */
const describeRobot = (base: string): string => `<robot name="slider"><link name="${base}"/>
  <link name="arm"><visual><geometry><box size="0.4 0.4 0.4"/></geometry></visual></link>
  <joint name="slide" type="prismatic"><parent link="${base}"/><child link="arm"/><axis xyz="1 0 0"/>
  <limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>`;

const row = (wire: WireTopic, value: SceneRow["value"], probes: readonly Probe[], layer = "1 object"): SceneRow => ({
  topic: wire.channel.topic,
  wire,
  value,
  probes,
  layer,
});

/** Every type of message that a 3-D view draws, in the formats of ROS 2, protobuf and JSON. */
export const sceneRows: readonly SceneRow[] = [
  row(ros2Topic("/cloud", "sensor_msgs/PointCloud2"), cloudValue, [{ at: [0, 0], says: cloudSays }], "2 points"),
  row(
    protobufTopic("/proto_cloud", "foxglove.PointCloud"),
    ({ timestamp, frame_id }) => ({
      timestamp,
      frame_id,
      pose: pose(0.5),
      point_stride: 20,
      fields: foxgloveFields,
      data: packPoints(),
    }),
    [{ at: [0.5, 0], says: cloudSays }],
    "2 points",
  ),
  row(
    ros2Topic("/scan", "sensor_msgs/LaserScan"),
    scanValue,
    [
      { at: [0.75, 0], says: ["range 0.75", "intensity 5"] },
      { at: [-0.5, 0], says: ["range 0.5", "intensity 7"] },
    ],
    "2 points",
  ),
  row(
    jsonTopic("/json_scan", "foxglove.LaserScan"),
    ({ timestamp, frame_id }) => ({
      timestamp,
      frame_id,
      pose: pose(),
      start_angle: 0,
      end_angle: Math.PI / 2,
      ranges: [0.75, 0.5],
      intensities: [],
    }),
    [{ at: [0, 0.5], says: ["range 0.5"] }],
    "2 points",
  ),
  row(
    ros2Topic("/echoes", "sensor_msgs/MultiEchoLaserScan"),
    (heading) => ({ ...scanValue(heading), ranges: [{ echoes: [0.75, 2] }], intensities: [{ echoes: [5, 6] }] }),
    [{ at: [0.75, 0], says: ["range 0.75", "intensity 5"] }],
    "1 point",
  ),
  row(ros2Topic("/grid", "nav_msgs/OccupancyGrid"), gridValue, [
    { at: [-0.6, -0.6], colour: black },
    { at: [0.6, -0.6], colour: white },
    // What the update changed.
    { at: [0.6, 0.6], colour: black },
  ]),
  row(
    ros2Topic("/grid_updates", "map_msgs/OccupancyGridUpdate"),
    ({ header }) => ({ header, x: 1, y: 1, width: 1, height: 1, data: Int8Array.of(100) }),
    [],
    "drawn on /grid",
  ),
  row(
    protobufTopic("/proto_grid", "foxglove.Grid"),
    ({ timestamp, frame_id }) => ({
      timestamp,
      frame_id,
      pose: pose(-1, -1),
      column_count: 2,
      cell_size: { x: 1, y: 1 },
      row_stride: 8,
      cell_stride: 4,
      fields: colourFields,
      data: Buffer.from([255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 0, 255]),
    }),
    [
      { at: [-0.6, -0.6], colour: [255, 0, 0] },
      { at: [0.6, -0.6], colour: [0, 255, 0] },
      { at: [-0.6, 0.6], colour: [0, 0, 255] },
    ],
  ),
  row(
    protobufTopic("/voxels", "foxglove.VoxelGrid"),
    ({ timestamp, frame_id }) => ({
      timestamp,
      frame_id,
      pose: pose(-0.5, -0.5),
      row_count: 1,
      column_count: 2,
      cell_size: vector(1, 1, 0.2),
      slice_stride: 8,
      row_stride: 8,
      cell_stride: 4,
      fields: colourFields,
      data: Buffer.from([0, 255, 0, 255, 0, 255, 0, 0]),
    }),
    [{ at: [0, 0], says: ["voxel"] }],
    "1 voxel",
  ),
  row(ros2Topic("/pose", "geometry_msgs/PoseStamped"), ({ header }) => ({ header, pose: pose() }), [arrow("pose")]),
  row(
    ros2Topic("/pose_covariance", "geometry_msgs/PoseWithCovarianceStamped"),
    ({ header }) => ({ header, pose: { pose: pose(), covariance: covariance(0.04) } }),
    [arrow("pose"), { at: [-0.25, 0], says: ["pose"] }],
  ),
  row(ros2Topic("/poses", "geometry_msgs/PoseArray"), ({ header }) => ({ header, poses: [pose(), pose(0, 0.75)] }), [
    arrow("poses"),
    { at: [0.15, 0.75], says: ["poses"] },
  ]),
  row(
    protobufTopic("/proto_pose", "foxglove.PoseInFrame"),
    ({ timestamp, frame_id }) => ({ timestamp, frame_id, pose: pose() }),
    [arrow("pose")],
  ),
  row(
    jsonTopic("/json_poses", "foxglove.PosesInFrame"),
    ({ timestamp, frame_id }) => ({ timestamp, frame_id, poses: [pose()] }),
    [arrow("poses")],
  ),
  row(ros2Topic("/odom", "nav_msgs/Odometry"), odometryValue, [arrow("odometry")]),
  row(
    ros2Topic("/path", "nav_msgs/Path"),
    ({ header }) => ({ header, poses: [0, 1].map((x) => ({ header, pose: pose(x) })) }),
    [{ at: [0.5, 0], colour: [38, 179, 89] }],
  ),
  row(
    ros2Topic("/polygon", "geometry_msgs/PolygonStamped"),
    ({ header }) => ({ header, polygon: { points: triangle } }),
    [{ at: [0, -0.5], colour: [38, 179, 89] }],
  ),
  row(ros2Topic("/point", "geometry_msgs/PointStamped"), ({ header }) => ({ header, point: vector(0.5) }), [
    { at: [0.5, 0], says: ["point"] },
  ]),
  row(
    ros2Topic("/sonar", "sensor_msgs/Range"),
    ({ header }) => ({
      header,
      radiation_type: 0,
      field_of_view: 0.5,
      min_range: 0.1,
      max_range: 5,
      range: 1,
      variance: 0,
    }),
    [{ at: [0.8, 0], says: ["range"] }],
  ),
  row(
    ros2Topic("/imu", "sensor_msgs/Imu"),
    ({ header }) => ({
      header,
      orientation: unturned,
      orientation_covariance: zeros(9),
      angular_velocity: vector(),
      angular_velocity_covariance: zeros(9),
      linear_acceleration: vector(0, 10),
      linear_acceleration_covariance: zeros(9),
    }),
    [
      { at: [0.2, 0], says: ["acceleration"] },
      { at: [0, 0.7], says: ["acceleration"] },
    ],
  ),
  row(
    ros2Topic("/twist", "geometry_msgs/TwistStamped"),
    ({ header }) => ({ header, twist: { linear: vector(1), angular: vector() } }),
    [{ at: [0.85, 0], says: ["twist"] }],
  ),
  row(
    ros2Topic("/accel", "geometry_msgs/AccelStamped"),
    ({ header }) => ({ header, accel: { linear: vector(10), angular: vector() } }),
    [{ at: [0.85, 0], says: ["acceleration"] }],
  ),
  row(
    ros2Topic("/wrench", "geometry_msgs/WrenchStamped"),
    ({ header }) => ({ header, wrench: { force: vector(10), torque: vector() } }),
    [{ at: [0.85, 0], says: ["wrench"] }],
  ),
  row(
    ros2Topic("/markers", "visualization_msgs/MarkerArray"),
    markersValue,
    [
      { at: [0, 0], says: ["things 1"] },
      { at: [1, 0], says: ["things 2"] },
      { at: [0, 1], says: ["things 3"] },
      { at: [1, 1], says: ["things 4"], colour: [255, 255, 0] },
    ],
    "4 objects",
  ),
  row(
    jsonTopic("/entities", "foxglove.SceneUpdate"),
    ({ timestamp, frame_id }) => ({
      deletions: [],
      entities: [
        {
          timestamp,
          frame_id,
          id: "crate",
          lifetime: { sec: 0, nsec: 0 },
          cubes: [{ pose: pose(), size: vector(0.5, 0.5, 0.5), color: blue }],
          cylinders: [{ pose: pose(1), size: vector(0.5, 0.5, 0.5), color: blue }],
        },
      ],
    }),
    [
      { at: [0, 0], says: ["crate"] },
      { at: [1, 0], says: ["crate"] },
    ],
  ),
  {
    ...row(ros2Topic("/robot_description", "std_msgs/String"), ({ frame_id }) => ({ data: describeRobot(frame_id) }), [
      { at: [0.5, 0], says: ["arm"] },
    ]),
    // It is no layer that could be hidden.
    isAlwaysShown: true,
    beside: {
      wire: ros2Topic("/joint_states", "sensor_msgs/JointState"),
      value: ({ header }) => ({ header, name: ["slide"], position: [0.5], velocity: [], effort: [] }),
    },
  },
];

/** What bags of ROS 1 hold of it, whose frames begin with a slash. */
export const bagRows: readonly SceneRow[] = [
  row(ros1Topic("/cloud", "sensor_msgs/PointCloud2"), cloudValue, [{ at: [0, 0], says: cloudSays }], "2 points"),
  row(ros1Topic("/scan", "sensor_msgs/LaserScan"), scanValue, [{ at: [0.75, 0], says: ["range 0.75"] }], "2 points"),
  row(ros1Topic("/grid", "nav_msgs/OccupancyGrid"), gridValue, [
    { at: [-0.6, -0.6], colour: black },
    { at: [0.6, 0.6], colour: white },
  ]),
  row(ros1Topic("/odom", "nav_msgs/Odometry"), odometryValue, [arrow("odometry")]),
  row(
    ros1Topic("/markers", "visualization_msgs/MarkerArray"),
    markersValue,
    [{ at: [1, 0], says: ["things 2"] }],
    "4 objects",
  ),
];
