import { readFoxgloveCloud, readRosCloud } from "@/engine/messages/clouds/cloud";
import { readVoxelGrid } from "@/engine/messages/clouds/voxels";
import { readDetectionBoxes } from "@/engine/messages/pictures/detection-boxes";
import { toShortName } from "@/engine/messages/reading";
import type { SceneMessage } from "@/engine/messages/scene-message";
import type { FoldedSchema, LatestSchema } from "@/engine/messages/scene-schemas";
import { readFrustum } from "@/engine/messages/scenes/camera-frustum";
import type { FigureChange } from "@/engine/messages/scenes/figure-state";
import {
  readImu,
  readPath,
  readPointMessage,
  readPolygon,
  readPoseMessage,
  readPoses,
  readRange,
  readUncertainPose,
} from "@/engine/messages/scenes/figures";
import { readFoxgloveGrid, readOccupancyGrid } from "@/engine/messages/scenes/grid";
import type { LayerReading } from "@/engine/messages/scenes/layer-reading";
import { readMarkers } from "@/engine/messages/scenes/marker";
import { readAcceleration, readTwist, readWrench } from "@/engine/messages/scenes/motion";
import { readOdometry } from "@/engine/messages/scenes/odometry";
import { readScan } from "@/engine/messages/scenes/scan";
import { readSceneUpdate } from "@/engine/messages/scenes/scene-update";

/** Of these the last message before a moment counts. Compressed clouds need a decoder, see compressed-cloud.ts. */
const latest: Readonly<
  Record<
    Exclude<LatestSchema, "foxglove.CompressedPointCloud">,
    (value: unknown, reading?: LayerReading) => SceneMessage
  >
> = {
  "sensor_msgs/PointCloud2": readRosCloud,
  "foxglove.PointCloud": readFoxgloveCloud,
  "sensor_msgs/LaserScan": readScan,
  "sensor_msgs/MultiEchoLaserScan": readScan,
  "foxglove.LaserScan": readScan,
  "nav_msgs/OccupancyGrid": (value, reading) => readOccupancyGrid(value, reading),
  "foxglove.Grid": readFoxgloveGrid,
  "foxglove.VoxelGrid": readVoxelGrid,
  "geometry_msgs/PoseStamped": readPoseMessage,
  "foxglove.PoseInFrame": readPoseMessage,
  "geometry_msgs/PoseWithCovarianceStamped": readUncertainPose,
  "geometry_msgs/PoseArray": readPoses,
  "foxglove.PosesInFrame": readPoses,
  "nav_msgs/Odometry": readOdometry,
  "foxglove.Odometry": readOdometry,
  "nav_msgs/Path": readPath,
  "geometry_msgs/PolygonStamped": readPolygon,
  "geometry_msgs/PointStamped": readPointMessage,
  "foxglove.Point3InFrame": readPointMessage,
  "sensor_msgs/Range": readRange,
  "sensor_msgs/Imu": readImu,
  "geometry_msgs/TwistStamped": readTwist,
  "geometry_msgs/TwistWithCovarianceStamped": readTwist,
  "geometry_msgs/AccelStamped": readAcceleration,
  "geometry_msgs/AccelWithCovarianceStamped": readAcceleration,
  "geometry_msgs/WrenchStamped": readWrench,
  "vision_msgs/Detection3DArray": readDetectionBoxes,
  "sensor_msgs/CameraInfo": readFrustum,
  "foxglove.CameraCalibration": readFrustum,
};

/** Of these all messages up to a moment count, each changing what the ones before show. */
const folded: Readonly<Record<FoldedSchema, (value: unknown) => { changes: FigureChange[]; notes: string[] }>> = {
  "visualization_msgs/Marker": readMarkers,
  "visualization_msgs/MarkerArray": readMarkers,
  "foxglove.SceneUpdate": readSceneUpdate,
};

const own = <Value>(table: Readonly<Record<string, Value>>, schemaName: string): Value | null => {
  const name = toShortName(schemaName);
  return Object.hasOwn(table, name) ? (table[name] ?? null) : null;
};

export const findLatestAdapter = (schemaName: string) => own(latest, schemaName);
export const findFoldedAdapter = (schemaName: string) => own(folded, schemaName);
