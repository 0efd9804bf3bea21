import { toShortName } from "@/engine/messages/reading";

/** Which schemas 3-D scenes draw; apart from what reads them, so that pages need not load that. */

const latestSchemas = [
  "sensor_msgs/PointCloud2",
  "foxglove.PointCloud",
  "foxglove.CompressedPointCloud",
  "sensor_msgs/LaserScan",
  "sensor_msgs/MultiEchoLaserScan",
  "foxglove.LaserScan",
  "nav_msgs/OccupancyGrid",
  "foxglove.Grid",
  "foxglove.VoxelGrid",
  "geometry_msgs/PoseStamped",
  "foxglove.PoseInFrame",
  "geometry_msgs/PoseWithCovarianceStamped",
  "geometry_msgs/PoseArray",
  "foxglove.PosesInFrame",
  "nav_msgs/Odometry",
  "foxglove.Odometry",
  "nav_msgs/Path",
  "geometry_msgs/PolygonStamped",
  "geometry_msgs/PointStamped",
  "foxglove.Point3InFrame",
  "sensor_msgs/Range",
  "sensor_msgs/Imu",
  "geometry_msgs/TwistStamped",
  "geometry_msgs/TwistWithCovarianceStamped",
  "geometry_msgs/AccelStamped",
  "geometry_msgs/AccelWithCovarianceStamped",
  "geometry_msgs/WrenchStamped",
  "vision_msgs/Detection3DArray",
  "sensor_msgs/CameraInfo",
  "foxglove.CameraCalibration",
] as const;
/** Of these the last message before a moment counts. */
export type LatestSchema = (typeof latestSchemas)[number];

const foldedSchemas = ["visualization_msgs/Marker", "visualization_msgs/MarkerArray", "foxglove.SceneUpdate"] as const;
/** Of these all messages up to a moment count, each changing what the ones before show. */
export type FoldedSchema = (typeof foldedSchemas)[number];

const layers: ReadonlySet<string> = new Set([...latestSchemas, ...foldedSchemas]);

const cloudSchemas: ReadonlySet<string> = new Set<LatestSchema>([
  "sensor_msgs/PointCloud2",
  "foxglove.PointCloud",
  "foxglove.CompressedPointCloud",
  "sensor_msgs/LaserScan",
  "sensor_msgs/MultiEchoLaserScan",
  "foxglove.LaserScan",
]);

const scanSchemas: readonly string[] = [
  "sensor_msgs/LaserScan",
  "sensor_msgs/MultiEchoLaserScan",
  "foxglove.LaserScan",
] satisfies LatestSchema[];

/** Whether messages hold ranges by angle, which a line may join. */
export const isScanSchema = (schemaName: string): boolean => scanSchemas.includes(toShortName(schemaName));

export const isMultiEchoSchema = (schemaName: string): boolean =>
  toShortName(schemaName) === "sensor_msgs/MultiEchoLaserScan";

const odometrySchemas: readonly string[] = ["nav_msgs/Odometry", "foxglove.Odometry"] satisfies LatestSchema[];

/** Whether messages say where something is and how fast: what stays of them is a trail. */
export const isOdometrySchema = (schemaName: string): boolean => odometrySchemas.includes(toShortName(schemaName));

/** Whether messages hold cells with fields of any meaning. */
export const isValueGridSchema = (schemaName: string): boolean => toShortName(schemaName) === "foxglove.Grid";

/** Whether messages hold points in space. */
export const isCloudSchema = (schemaName: string): boolean => cloudSchemas.has(toShortName(schemaName));

export const isGridUpdateSchema = (schemaName: string): boolean =>
  toShortName(schemaName) === "map_msgs/OccupancyGridUpdate";

/** Shown only beside others: an orientation alone is no scene. */
const accompanying: ReadonlySet<string> = new Set([
  "sensor_msgs/CameraInfo",
  "foxglove.CameraCalibration",
  "sensor_msgs/Imu",
  "sensor_msgs/Range",
  "geometry_msgs/PointStamped",
  "geometry_msgs/TwistStamped",
  "geometry_msgs/TwistWithCovarianceStamped",
  "geometry_msgs/AccelStamped",
  "geometry_msgs/AccelWithCovarianceStamped",
  "geometry_msgs/WrenchStamped",
]);

const poseSchemas: ReadonlySet<string> = new Set<LatestSchema>([
  "geometry_msgs/PoseStamped",
  "foxglove.PoseInFrame",
  "geometry_msgs/PoseWithCovarianceStamped",
  "geometry_msgs/PoseArray",
  "foxglove.PosesInFrame",
]);

const poseListSchemas: ReadonlySet<string> = new Set<LatestSchema>([
  "geometry_msgs/PoseArray",
  "foxglove.PosesInFrame",
]);

/** Whether messages say where one thing is, by odometry or a pose: over time its way, which a map draws. */
export const isWaySchema = (schemaName: string): boolean =>
  isOdometrySchema(schemaName) ||
  (poseSchemas.has(toShortName(schemaName)) && !poseListSchemas.has(toShortName(schemaName)));

const transformSchemas: ReadonlySet<string> = new Set([
  "tf2_msgs/TFMessage",
  "tf/tfMessage",
  "geometry_msgs/TransformStamped",
  "foxglove.FrameTransform",
  "foxglove.FrameTransforms",
]);

/** Whether messages say where frames are. */
export const isTransformSchema = (schemaName: string): boolean => transformSchemas.has(toShortName(schemaName));

/** Whether messages of a schema are drawn in a 3-D scene themselves. */
export const isLayerSchema = (schemaName: string): boolean =>
  layers.has(toShortName(schemaName)) || isGridUpdateSchema(schemaName);

/** Whether messages of a schema are reason enough to show a 3-D scene. */
export const deservesScene = (schemaName: string): boolean =>
  isLayerSchema(schemaName) && !accompanying.has(toShortName(schemaName));

/** Whether they draw more there than an arrow in an empty space: points, cells, shapes or lines, but no pose alone. */
export const hasExtent = (schemaName: string): boolean =>
  deservesScene(schemaName) && !isOdometrySchema(schemaName) && !poseSchemas.has(toShortName(schemaName));
