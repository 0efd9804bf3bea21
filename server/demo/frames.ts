import { eyeHeight } from "@/server/demo/scene";

/** A place and a heading in the plane: metres and radians. */
export interface PlanePose {
  x: number;
  y: number;
  yaw: number;
}

/** A pose given in the frame of another one, in the frame of that one's parent. */
export function compose(parent: PlanePose, { x, y, yaw }: PlanePose): PlanePose {
  const [cosine, sine] = [Math.cos(parent.yaw), Math.sin(parent.yaw)];
  return { x: parent.x + cosine * x - sine * y, y: parent.y + sine * x + cosine * y, yaw: parent.yaw + yaw };
}

/** The parent's pose in the frame of a pose. */
export function invert({ x, y, yaw }: PlanePose): PlanePose {
  const [cosine, sine] = [Math.cos(yaw), Math.sin(yaw)];
  return { x: -cosine * x - sine * y, y: sine * x - cosine * y, yaw: -yaw };
}

export interface Stamp {
  sec: number;
  nanosec: number;
}

interface Vector {
  x: number;
  y: number;
  z: number;
}

export const toQuaternion = (yaw: number) => ({ x: 0, y: 0, z: Math.sin(yaw / 2), w: Math.cos(yaw / 2) });

const toTransform = (stamp: Stamp, parent: string, child: string, translation: Vector, rotation = toQuaternion(0)) => ({
  header: { stamp, frame_id: parent },
  child_frame_id: child,
  transform: { translation, rotation },
});

/** What a robot believes by its wheels drifts from where it is: metres and radians after so many seconds. */
const driftAfter = (seconds: number): PlanePose => ({
  x: 0.0012 * seconds,
  y: -0.0008 * seconds,
  yaw: 0.000_15 * seconds,
});

/** Where the odometry began and how far it drifted, in the frame of the map. */
export const locateOdometry = (start: PlanePose, seconds: number): PlanePose => compose(start, driftAfter(seconds));

/** The frames that move: map to odom, and odom to the robot. */
export function moveFrames(stamp: Stamp, odometry: PlanePose, pose: PlanePose): object {
  const inOdometry = compose(invert(odometry), pose);
  const flat = ({ x, y }: PlanePose) => ({ x, y, z: 0 });
  return {
    transforms: [
      toTransform(stamp, "map", "odom", flat(odometry), toQuaternion(odometry.yaw)),
      toTransform(stamp, "odom", "base_link", flat(inOdometry), toQuaternion(inOdometry.yaw)),
    ],
  };
}

/** Where the sensors are on a mobile robot, metres in its frame. */
export const mounts = {
  camera: { x: 0, y: 0, z: eyeHeight },
  lidar: { x: 0, y: 0, z: 1.1 },
  scanner: { x: 0.38, y: 0, z: 0.2 },
} as const;

/** The frames of the sensors. That of the camera looks along its z, with y down, as REP 103 says of optical frames. */
export const sensorFrames = (stamp: Stamp): object => ({
  transforms: [
    toTransform(stamp, "base_link", "camera_front", mounts.camera, { x: -0.5, y: 0.5, z: -0.5, w: 0.5 }),
    toTransform(stamp, "base_link", "lidar", mounts.lidar),
    toTransform(stamp, "base_link", "scanner", mounts.scanner),
  ],
});
