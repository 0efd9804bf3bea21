import { LogLines, type LogLine } from "@/server/features/demo/log-lines";
import type { MessageKind } from "@/server/features/demo/messages";
import type { View } from "@/server/features/demo/scene";
import { droneHome, isWithin, randomNumbers, type RecordingStory, type RobotKind } from "@/server/features/demo/story";

const jointsByRobot: Record<RobotKind, string[]> = {
  arm: ["base", "shoulder", "elbow", "wrist_1", "wrist_2", "wrist_3"],
  amr: ["wheel_left", "wheel_right"],
  drone: [],
};

interface Pose {
  x: number;
  y: number;
  z: number;
  yaw: number;
}

/** The way of a mobile robot: a rectangle of aisles with round corners, in metres. */
const way = { x: 12.2, y: 3, corner: 1.4, speed: 0.8 } as const;
const straight = { x: 2 * (way.x - way.corner), y: 2 * (way.y - way.corner) } as const;
const bend = (way.corner * Math.PI) / 2;
const lap = 2 * (straight.x + straight.y + 2 * bend);

/** Where a mobile robot is after so many metres of its way, counterclockwise from the corner at the lower left. */
function followAisles(metres: number): Pose {
  let left = ((metres % lap) + lap) % lap;
  const [cornerX, cornerY] = [way.x - way.corner, way.y - way.corner];
  for (let side = 0; ; side = (side + 1) % 4) {
    const yaw = (side * Math.PI) / 2;
    const [dx, dy] = [Math.round(Math.cos(yaw)), Math.round(Math.sin(yaw))];
    const length = dx === 0 ? straight.y : straight.x;
    // The straight part lies outside of the corner's centres, to the right of the heading.
    const along = Math.min(left, length) - length / 2;
    const across = dx === 0 ? way.x : way.y;
    if (left <= length) return { x: dx * along + dy * across, y: dy * along - dx * across, z: 0, yaw };
    left -= length;
    const [centerX, centerY] = [dx * cornerX + dy * cornerX, dy * cornerY - dx * cornerY];
    if (left <= bend) {
      const turned = yaw + left / way.corner;
      const [x, y] = [centerX + way.corner * Math.sin(turned), centerY - way.corner * Math.cos(turned)];
      return { x, y, z: 0, yaw: turned };
    }
    left -= bend;
  }
}

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

  constructor(private readonly story: RecordingStory) {
    this.random = randomNumbers(story.seed);
    this.charge = 0.45 + 0.5 * this.random();
    this.phase = this.random() * Math.PI * 2;
    this.metres = (this.phase / (2 * Math.PI)) * lap;
    this.log = new LogLines(story);
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

  createMessage(
    kind: Exclude<MessageKind, "log" | "picture">,
    seconds: number,
    stamp: { sec: number; nanosec: number },
  ): object {
    const { story, random, stopped } = this;
    const header = { stamp, frame_id: kind === "camera" ? "camera_front" : kind === "gps" ? "gps" : "base_link" };
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
        const each = (of: (shift: number) => number) => name.map((_, i) => of(i * 1.1));
        const moving = stopped ? 0 : 1;
        return {
          header,
          name,
          position: each((shift) => 1.2 * swing(12, shift)),
          velocity: each((shift) => moving * 0.63 * swing(12, shift + Math.PI / 2)),
          effort: each((shift) => moving * (18 + 9 * swing(12, shift) + 2 * random()) + this.strain),
        };
      }
      case "pose": {
        const { yaw, ...position } = this.pose(seconds);
        const orientation = { x: 0, y: 0, z: Math.sin(yaw / 2), w: Math.cos(yaw / 2) };
        return { header, pose: { position, orientation } };
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

  private status(stopped: boolean, temperature: number): unknown[] {
    const hardware_id = `${this.story.robot}-${this.story.seed}`;
    const values = [{ key: "temperature", value: temperature.toFixed(1) }];
    const level = stopped || temperature > 80 ? 2 : temperature > 70 ? 1 : 0;
    const motor = temperature > 80 ? "Motor over temperature limit" : temperature > 70 ? "Motor warm" : "OK";
    const safety = stopped ? "E-stop pressed at cell door" : "OK";
    return [
      { level, name: "motor_driver", message: motor, hardware_id, values },
      { level: stopped ? 2 : 0, name: "safety", message: safety, hardware_id, values: [] },
    ];
  }
}
