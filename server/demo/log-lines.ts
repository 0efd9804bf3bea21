import { isWithin, type RecordingStory, type RobotKind } from "@/server/demo/story";

/** A line of a robot's log, as rcl_interfaces/Log holds it. */
export interface LogLine {
  level: number;
  name: string;
  msg: string;
  file: string;
  function: string;
  line: number;
}

const levels = { info: 20, warn: 30, error: 40 } as const;

const at = (level: keyof typeof levels, name: string, msg: string, line: number): LogLine => ({
  level: levels[level],
  name,
  msg,
  file: `${name.replaceAll(".", "/")}.cpp`,
  function: "on_timer",
  line,
});

/** What each kind of robot does again and again: how often, in seconds, and the line about it. */
const work: Record<RobotKind, { every: number; name: string; tell: (n: number) => string }> = {
  arm: { every: 12, name: "cell.cycle", tell: (n) => `Cycle ${n} done in 12.0 s` },
  amr: {
    every: 19,
    name: "nav.planner",
    tell: (n) => `Waypoint ${n} reached, next one in the ${n % 2 === 0 ? "north" : "south"} aisle`,
  },
  drone: { every: 15, name: "mission.executor", tell: (n) => `Picture row ${n} of 80 done` },
};

interface State {
  stopped: boolean;
  temperature: number;
  charge: number;
}

/** The log of one robot: what it does, and changes of its state, each once. */
export class LogLines {
  private readonly on = new Set<string>();

  constructor(private readonly story: RecordingStory) {}

  /** The lines of a time in seconds, which are called for in order. */
  take(seconds: number, { stopped, temperature, charge }: State): LogLine[] {
    const { story } = this;
    const { every, name, tell } = work[story.robot];
    const percent = Math.floor(charge * 100);
    const lines: LogLine[] = [];
    if (seconds === 0)
      lines.push(at("info", "bringup", `Started with firmware of ${story.robot}, battery ${percent} %`, 88));
    if (seconds > 0 && seconds % every === 0 && !stopped) lines.push(at("info", name, tell(seconds / every), 214));
    if (seconds > 0 && seconds % 60 === 0)
      lines.push(at("info", "power.monitor", `Battery ${percent} %, ${(21 + 8.4 * charge).toFixed(1)} V`, 57));
    const change = (key: string, is: boolean, begins: LogLine, ends: LogLine) => {
      if (is === this.on.has(key)) return;
      if (is) this.on.add(key);
      else this.on.delete(key);
      lines.push(is ? begins : ends);
    };
    change(
      "stop",
      stopped,
      at("error", "safety.monitor", "Emergency stop pressed at the cell gate, all motion halted", 131),
      at("info", "safety.monitor", "Emergency stop released, motion resumes", 139),
    );
    const degrees = temperature.toFixed(1);
    change(
      "warm",
      temperature > (this.on.has("warm") ? 68 : 70),
      at("warn", "motor.driver", `Motor at ${degrees} °C, torque limited to 80 %`, 176),
      at("info", "motor.driver", `Motor at ${degrees} °C, torque no longer limited`, 183),
    );
    change(
      "hot",
      temperature > (this.on.has("hot") ? 78 : 80),
      at("error", "motor.driver", `Motor at ${degrees} °C, over its limit of 80 °C`, 192),
      at("warn", "motor.driver", `Motor at ${degrees} °C, below its limit again`, 199),
    );
    change(
      "camera",
      story.robot !== "arm" && isWithin(story, "slow_camera", seconds),
      at("warn", "camera.front", "Too little bandwidth on the bus: 1 of 5 frames kept", 302),
      at("info", "camera.front", "All frames kept again", 311),
    );
    change(
      "battery",
      isWithin(story, "silent_battery", seconds),
      at("error", "power.monitor", "The battery does not answer on its bus, trying again", 71),
      at("info", "power.monitor", "The battery answers again", 79),
    );
    change(
      "strain",
      isWithin(story, "overload", seconds),
      at("warn", "joint.controller", "The load is above the rated payload", 245),
      at("info", "joint.controller", "The load is within the rated payload", 252),
    );
    return lines;
  }
}
