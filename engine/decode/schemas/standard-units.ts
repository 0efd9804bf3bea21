/**
 * Units of standard messages by type and field, as their definitions and REP 103 state them. Most definitions say so beside no
 * single field, and recorders drop comments. A unit belongs to every number inside of the field.
 */
const byType: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "geometry_msgs/Accel": { linear: "m/s²", angular: "rad/s²" },
  "geometry_msgs/Inertia": { m: "kg", com: "m" },
  "geometry_msgs/Point": { x: "m", y: "m", z: "m" },
  "geometry_msgs/Point32": { x: "m", y: "m", z: "m" },
  "geometry_msgs/Pose2D": { x: "m", y: "m", theta: "rad" },
  "geometry_msgs/Transform": { translation: "m" },
  "geometry_msgs/Twist": { linear: "m/s", angular: "rad/s" },
  "geometry_msgs/Wrench": { force: "N", torque: "N·m" },
  "nav_msgs/MapMetaData": { resolution: "m" },
  "sensor_msgs/BatteryState": {
    voltage: "V",
    temperature: "°C",
    current: "A",
    charge: "Ah",
    capacity: "Ah",
    design_capacity: "Ah",
    cell_voltage: "V",
    cell_temperature: "°C",
  },
  "sensor_msgs/FluidPressure": { fluid_pressure: "Pa", variance: "Pa²" },
  "sensor_msgs/Illuminance": { illuminance: "lx" },
  "sensor_msgs/Imu": { angular_velocity: "rad/s", linear_acceleration: "m/s²" },
  "sensor_msgs/LaserScan": {
    angle_min: "rad",
    angle_max: "rad",
    angle_increment: "rad",
    time_increment: "s",
    scan_time: "s",
    range_min: "m",
    range_max: "m",
    ranges: "m",
  },
  "sensor_msgs/MagneticField": { magnetic_field: "T" },
  "sensor_msgs/NavSatFix": { latitude: "°", longitude: "°", altitude: "m", position_covariance: "m²" },
  "sensor_msgs/Range": { field_of_view: "rad", min_range: "m", max_range: "m", range: "m", variance: "m²" },
  "sensor_msgs/Temperature": { temperature: "°C" },
  "foxglove.LaserScan": { start_angle: "rad", end_angle: "rad", ranges: "m" },
  "foxglove.LocationFix": {
    latitude: "°",
    longitude: "°",
    altitude: "m",
    position_covariance: "m²",
    heading: "°",
    velocity: "m/s",
  },
  "foxglove.Pose": { position: "m" },
  "foxglove.FrameTransform": { translation: "m" },
};

/** Without what differs between ROS 1, ROS 2, IDL and protobuf. */
const toShortType = (name: string): string =>
  name
    .replace(/^\./, "")
    .replace(/\/msg\/|::msg::|::/, "/")
    .replace(/^foxglove_msgs\//, "foxglove.");

/** The unit of the numbers in a field of a standard type, by the name of the type in any form; undefined for all others. */
export function findStandardUnit(type: string, field: string): string | undefined {
  const short = toShortType(type);
  const fields = Object.hasOwn(byType, short) ? byType[short] : undefined;
  return fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
}
