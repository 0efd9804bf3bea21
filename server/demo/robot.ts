import { followAisles, lapLength, turnedOnWay, turnRate, way, type Pose } from "@/server/demo/aisles";
import {
  compose,
  invert,
  locateOdometry,
  moveFrames,
  sensorFrames,
  toQuaternion,
  type Stamp,
} from "@/server/demo/frames";
import { measureCloud, measureScan } from "@/server/demo/lidar";
import { LogLines, type LogLine } from "@/server/demo/log-lines";
import type { MessageKind } from "@/server/demo/messages";
import { robotDescription, wheels } from "@/server/demo/robot-description";
import { type View, calibrations, pictureSize } from "@/server/demo/scene";
import type { spatialTypes } from "@/server/demo/spatial-messages";
import { droneHome, isWithin, randomNumbers, type RecordingStory, type RobotKind } from "@/server/demo/story";

const jointsByRobot: Record<RobotKind, string[]> = {
  arm: ["base", "shoulder", "elbow", "wrist_1", "wrist_2", "wrist_3"],
  amr: ["wheel_left", "wheel_right"],
  drone: [],
};

/** What a mobile robot measures of the space around it. */
export type SpatialKind = keyof typeof spatialTypes;

/** Simulates a robot in steps of a tenth of a second. */
export class Robot {
  /** The source of its noise. */
  readonly random: () => number;
  private heat = 0;
  private strain = 0;
  private charge: number;
  private readonly phase: number;
  private readonly log: LogLines;
  private metres: number;
  private stopped = false;
  private temperature = 0;
  private readonly home: Pose;

  constructor(private readonly story: RecordingStory) {
    this.random = randomNumbers(story.seed);
    this.charge = 0.45 + 0.5 * this.random();
    this.phase = this.random() * Math.PI * 2;
    this.metres = (this.phase / (2 * Math.PI)) * lapLength;
    this.log = new LogLines(story);
    this.home = followAisles(this.metres);
  }

  step(seconds: number): void {
    const { story } = this;
    const hot = isWithin(story, "overheating", seconds) ? 34 : 0;
    const strained = isWithin(story, "overload", seconds);
    const pace = Math.min(0.04, Math.max(0.008, 3 / story.seconds));
    this.heat += ((strained ? Math.max(hot, 20) : hot) - this.heat) * pace;
    this.strain += ((strained ? 48 : 0) - this.strain) * 0.1;
    this.charge = Math.max(0.05, this.charge - 0.000_008);
    this.stopped = isWithin(story, "emergency_stop", seconds);
    this.temperature = (story.warm ? 62 : 53) + 4 * this.swing(seconds, 210) + this.heat;
    if (!this.stopped) this.metres += way.speed / 10;
  }

  /** The share of its battery that is left, and the temperature of its motor in degrees Celsius. */
  get health(): { charge: number; temperature: number } {
    return { charge: this.charge, temperature: this.temperature };
  }

  /** What the robot logs at this time, after `step`. */
  takeLogLines(seconds: number): LogLine[] {
    const { stopped, temperature, charge } = this;
    return this.log.take(seconds, { stopped, temperature, charge });
  }

  /** What its camera shows. */
  view(seconds: number): View {
    return { ...this.pose(seconds), charge: this.charge, stopped: this.stopped };
  }

  private swing(seconds: number, period: number, shift = 0): number {
    return Math.sin((2 * Math.PI * seconds) / period + this.phase + shift);
  }

  private pose(seconds: number): Pose {
    const swing = (period: number, shift = 0) => this.swing(seconds, period, shift);
    const yaw = swing(60) * Math.PI;
    switch (this.story.robot) {
      case "arm":
        return { x: 0.4 * swing(12), y: 0.4 * swing(12, 1.6), z: 0.8 + 0.2 * swing(8), yaw };
      case "amr":
        return followAisles(this.metres);
      case "drone":
        return { x: 14 * swing(180), y: 9 * swing(120, 0.7), z: 22 + 6 * swing(90), yaw };
    }
  }

  createMessage(kind: Exclude<MessageKind, "log" | "picture" | SpatialKind>, seconds: number, stamp: Stamp): object {
    const { story, random, stopped } = this;
    const header = { stamp, frame_id: this.frameOf(kind) };
    const swing = (period: number, shift = 0) => this.swing(seconds, period, shift);
    // The GPS has no noise of its own, so that it needs no number of the source that the older topics share.
    const temperature = kind === "gps" ? 0 : this.temperature + 1.6 * (random() - 0.5);
    switch (kind) {
      case "battery": {
        const percentage = this.charge + 0.002 * (random() - 0.5);
        const voltage = 21 + 8.4 * percentage + 0.05 * random();
        const body = {
          voltage,
          temperature: 29 + 3 * swing(600),
          current: -(4 + random()),
          charge: percentage * 20,
          capacity: 20,
        };
        return { header, ...body, percentage, power_supply_status: 2, present: true, location: "bay 1" };
      }
      case "motor": {
        const rpm = stopped ? 0 : Math.round(1_450 + 300 * swing(40) + 20 * random());
        return {
          header,
          temperature,
          current: stopped ? 0.2 : 3 + 1.5 * random() + this.strain / 20,
          rpm,
          mode: stopped ? 2 : 1,
        };
      }
      case "joints": {
        const name = jointsByRobot[story.robot];
        const wheel = story.robot === "amr" ? this.turnWheels() : null;
        const each = (of: (shift: number) => number) => name.map((_, i) => of(i * 1.1));
        const moving = stopped ? 0 : 1;
        return {
          header,
          name,
          position: wheel?.position ?? each((shift) => 1.2 * swing(12, shift)),
          velocity: wheel?.velocity ?? each((shift) => moving * 0.63 * swing(12, shift + Math.PI / 2)),
          effort: each((shift) => moving * (18 + 9 * swing(12, shift) + 2 * random()) + this.strain),
        };
      }
      case "pose": {
        const { yaw, ...position } = this.pose(seconds);
        return { header, pose: { position, orientation: toQuaternion(yaw) } };
      }
      case "gps": {
        const { x, y, z } = this.pose(seconds);
        const metresPerDegree = 111_320;
        return {
          header,
          status: { status: 1, service: 1 },
          latitude: droneHome.lat + y / metresPerDegree,
          longitude: droneHome.lon + x / (metresPerDegree * Math.cos((droneHome.lat * Math.PI) / 180)),
          altitude: droneHome.altitude + z,
          position_covariance: [0.36, 0, 0, 0, 0.36, 0, 0, 0, 1.44],
          position_covariance_type: 2,
        };
      }
      case "camera":
        return {
          header,
          sequence: Math.round(seconds * 10),
          exposure_ms: 8 + 2 * random(),
          brightness: 0.5 + 0.1 * swing(300),
        };
      case "diagnostics":
        return { header, status: this.status(stopped, temperature) };
    }
  }

  /** What it measures of the space around it, at the moment of its last step. */
  createSpatialMessage(kind: SpatialKind, seconds: number, stamp: Stamp): object {
    const header = (frame_id: string) => ({ stamp, frame_id });
    switch (kind) {
      case "tf":
        return moveFrames(stamp, locateOdometry(this.home, seconds), this.pose(seconds));
      case "tfStatic":
        return sensorFrames(stamp);
      case "robotDescription":
        return { data: robotDescription };
      case "odometry":
        return { header: header("odom"), child_frame_id: "base_link", ...this.describeMotion(seconds) };
      case "cloud":
        return { header: header("lidar"), ...measureCloud(this.pose(seconds)) };
      case "scan":
        return { header: header("scanner"), ...measureScan(this.pose(seconds)) };
      case "calibration":
        return { header: header("camera_front"), ...describeCamera(this.story.robot) };
    }
  }

  private frameOf(kind: MessageKind): string {
    if (kind === "pose" && this.story.robot === "amr") return "map";
    return kind === "camera" ? "camera_front" : kind === "gps" ? "gps" : "base_link";
  }

  /** Where its wheels believe it to be, and how it moves. */
  private describeMotion(seconds: number): object {
    const { x, y, yaw } = compose(invert(locateOdometry(this.home, seconds)), this.pose(seconds));
    const covariance = Array.from({ length: 36 }, (_, n) => (n % 7 === 0 ? 0.01 : 0));
    const none = { x: 0, y: 0, z: 0 };
    const linear = { ...none, x: this.stopped ? 0 : way.speed };
    const angular = { ...none, z: this.stopped ? 0 : turnRate(this.metres) };
    return {
      pose: { pose: { position: { x, y, z: 0 }, orientation: toQuaternion(yaw) }, covariance },
      twist: { twist: { linear, angular }, covariance },
    };
  }

  /** How far its wheels have turned and how fast they turn, left and right, in radians. */
  private turnWheels(): { position: number[]; velocity: number[] } {
    const { radius, track } = wheels;
    const [turned, rate] = [turnedOnWay(this.metres), turnRate(this.metres)];
    const sides = [-track / 2, track / 2];
    return {
      position: sides.map((side) => (this.metres + side * turned) / radius),
      velocity: sides.map((side) => (this.stopped ? 0 : (way.speed + side * rate) / radius)),
    };
  }

  private status(stopped: boolean, temperature: number): unknown[] {
    const hardware_id = `${this.story.robot}-${this.story.seed}`;
    const values = [{ key: "temperature", value: temperature.toFixed(1) }];
    const level = stopped || temperature > 80 ? 2 : temperature > 70 ? 1 : 0;
    const motor = temperature > 80 ? "Motor over temperature limit" : temperature > 70 ? "Motor warm" : "OK";
    const safety = stopped ? "E-stop pressed at cell gate" : "OK";
    return [
      { level, name: "motor_driver", message: motor, hardware_id, values },
      { level: stopped ? 2 : 0, name: "safety", message: safety, hardware_id, values: [] },
    ];
  }
}

/** The body of a camera's calibration: a pinhole without distortion, which is how its pictures are drawn. */
function describeCamera(robot: RobotKind): object {
  const { fx, fy, cx, cy } = calibrations[robot === "drone" ? "ground" : "hall"];
  return {
    ...pictureSize,
    distortion_model: "plumb_bob",
    d: [0, 0, 0, 0, 0],
    k: [fx, 0, cx, 0, fy, cy, 0, 0, 1],
    r: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    p: [fx, 0, cx, 0, 0, fy, cy, 0, 0, 0, 1, 0],
    binning_x: 0,
    binning_y: 0,
    roi: { x_offset: 0, y_offset: 0, height: 0, width: 0, do_rectify: false },
  };
}
