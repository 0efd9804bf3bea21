import type { DeviceStatus } from "@/domain/devices/connectivity";
import { nsFromMs } from "@/domain/time/nanoseconds";
import { randomNumbers, type Incident, type RecordingStory, type RobotKind } from "@/server/demo/story";

/** The devices, recordings and rules of the demo fleet, the same in every run. */

export interface DemoDevice {
  name: string;
  robot: RobotKind;
  tags: string[];
  firmware: string;
  /** The status after creation; most devices are online. */
  state: DeviceStatus;
  warm?: boolean;
  /** Whether its recordings hold the pictures of its camera. */
  pictures?: boolean;
  /** What it measures the space around it with. */
  lidar?: "scan" | "cloud";
}

const arm = (name: string, tags: string[], more: Partial<DemoDevice> = {}): DemoDevice => ({
  name,
  robot: "arm",
  tags: ["plant-north", ...tags],
  firmware: "5.14.2",
  state: "online",
  ...more,
});
const amr = (name: string, more: Partial<DemoDevice> = {}): DemoDevice => ({
  name,
  robot: "amr",
  tags: ["warehouse"],
  firmware: "2.8.0",
  state: "online",
  ...more,
});

export const demoDevices: readonly DemoDevice[] = [
  arm("Arm A1", ["welding"], { warm: true }),
  arm("Arm A2", ["welding"]),
  arm("Arm B1", ["palletizing"], { warm: true }),
  arm("Arm B2", ["palletizing"], { state: "maintenance", firmware: "5.13.0" }),
  arm("Arm C1", ["assembly"]),
  amr("AMR 01", { pictures: true, lidar: "cloud" }),
  amr("AMR 02", { warm: true, lidar: "scan" }),
  amr("AMR 03"),
  amr("AMR 04", { state: "offline", firmware: "2.7.1" }),
  amr("AMR 05"),
  amr("AMR 06", { warm: true }),
  { name: "Drone Kestrel", robot: "drone", tags: ["inspection"], firmware: "1.3.7", state: "online", pictures: true },
];

export const demoGroups: readonly { name: string; robot: RobotKind; description: string }[] = [
  { name: "Demo arms", robot: "arm", description: "Six-axis arms of plant north" },
  { name: "Demo AMRs", robot: "amr", description: "Mobile robots of the warehouse" },
  { name: "Demo drones", robot: "drone", description: "Inspection from above" },
];

export interface DemoRecording extends RecordingStory {
  /** Index into `demoDevices`. */
  device: number;
  name: string;
  fileName: string;
  tags: string[];
}

/** The incidents by index of the recording. */
const incidents: Readonly<Record<number, readonly Incident[]>> = {
  0: ["overheating"],
  1: ["emergency_stop"],
  2: ["overload"],
  3: ["overheating"],
  4: ["emergency_stop"],
  5: ["slow_camera"],
  6: ["silent_battery"],
  7: ["gap"],
  9: ["silent_battery"],
  11: ["slow_camera"],
  12: ["emergency_stop"],
  14: ["overheating"],
  13: ["overheating"],
  15: ["overload", "emergency_stop"],
  17: ["truncated"],
  16: ["overload"],
  18: ["silent_battery"],
  19: ["emergency_stop"],
  20: ["overheating"],
  22: ["overheating"],
  24: ["overload"],
  26: ["emergency_stop", "overheating"],
  28: ["overheating"],
  29: ["slow_camera"],
};

const jobNames: Record<RobotKind, string[]> = {
  arm: ["Shift run", "Cell warm-up", "Pick cycle"],
  amr: ["Aisle patrol", "Tote delivery", "Dock run"],
  drone: ["Roof inspection", "Facade scan", "Yard survey"],
};

/** The recordings of the seven days before `now`, oldest first. `quick`: only the first ten, two minutes each. */
export function demoRecordings(now: Date, quick: boolean): DemoRecording[] {
  const random = randomNumbers(20);
  const hour = 3_600_000;
  const fullHour = Math.floor(now.getTime() / hour) * hour;
  const total = 30;
  return Array.from({ length: total }, (_, n): DemoRecording => {
    const device = n % demoDevices.length;
    const { robot, warm = false, pictures = false, lidar } = demoDevices[device]!;
    // Clouds are most of what a recording holds, so that those with clouds are shorter.
    const minutes = Math.min(2 + Math.floor(random() * 19), lidar === "cloud" ? 4 : 20);
    const startMs = fullHour - Math.round((7 * 24 * hour * (total - n - 0.5)) / total);
    return {
      device,
      name: jobNames[robot][n % 3]!,
      fileName: `${robot}_${String(n + 1).padStart(2, "0")}.mcap`,
      tags: n % 5 === 0 ? ["night-shift"] : [],
      robot,
      warm,
      pictures,
      lidar,
      log: true,
      seed: 1_000 + n,
      start: nsFromMs(startMs),
      seconds: quick ? 120 : minutes * 60,
      incidents: incidents[n] ?? [],
    };
  }).slice(0, quick ? 10 : total);
}

/** The content of `public/samples/overheating-arm.mcap`, which the quick start uploads. */
export const sampleStory: RecordingStory = {
  robot: "arm",
  seed: 7,
  start: 1_767_258_000_000_000_000n,
  seconds: 45,
  incidents: ["overheating"],
};

/**
 * The rules, one of each type and one that triggers too often. `groups`: the uid of each robot kind's group; `channel`:
 * that of the channel which the two most severe rules notify.
 */
export function demoRules(groups: Readonly<Record<RobotKind, string>>, channel: string): Record<string, unknown>[] {
  const notify = { type: "notify", channel_id: channel };
  const all = { group_ids: Object.values(groups) };
  const only = (...robots: RobotKind[]) => ({ group_ids: robots.map((robot) => groups[robot]) });
  return [
    {
      name: "Motor overheating",
      description: "The motor stays above 80 °C for ten seconds.",
      condition: {
        type: "threshold",
        topic: "/motor/state",
        field: "temperature",
        operator: "gt",
        value: 80,
        window: "10s",
      },
      actions: [
        { type: "create_event", event_type: "error", label: "Motor overheating", severity: "critical" },
        { type: "flag_for_review", severity: "critical" },
        notify,
      ],
      scope: all,
    },
    {
      name: "Emergency stop",
      description: "Safety reports that an emergency stop was pressed.",
      condition: { type: "pattern", topic: "/diagnostics", field: "status[:].message", regex: "(?i)e-?stop pressed" },
      actions: [
        { type: "tag", value: "e-stop" },
        { type: "create_event", event_type: "error", label: "Emergency stop" },
        { type: "flag_for_review", severity: "error" },
        notify,
      ],
      scope: all,
    },
    {
      name: "Camera too slow",
      description: "Fewer than 25 frames in ten seconds, where there should be 50.",
      condition: { type: "frequency", topic: "/camera/front/frames", count_operator: "lt", count: 25, window: "10s" },
      actions: [{ type: "flag_for_review", severity: "warning" }],
      scope: only("amr", "drone"),
    },
    {
      name: "Battery not reporting",
      description: "No word of the battery for 15 seconds.",
      condition: { type: "absence", topic: "/battery_state", timeout: "15s" },
      actions: [{ type: "flag_for_review", severity: "warning" }],
      scope: all,
    },
    {
      name: "Straining while warm",
      description: "A joint works hard while its motor is warm already.",
      condition: {
        type: "composite",
        operator: "and",
        conditions: [
          { type: "threshold", topic: "/joint_states", field: "effort[:]", operator: "gt", value: 55 },
          { type: "threshold", topic: "/motor/state", field: "temperature", operator: "gt", value: 66 },
        ],
      },
      actions: [
        { type: "create_event", event_type: "anomaly", label: "Straining while warm" },
        { type: "flag_for_review", severity: "error" },
      ],
      scope: only("arm", "amr"),
    },
    {
      name: "Motor warm",
      description: "Fires far too often: 65 °C is within what is normal. Raise the limit and watch the preview.",
      condition: { type: "threshold", topic: "/motor/state", field: "temperature", operator: "gt", value: 65 },
      actions: [{ type: "flag_for_review", severity: "info" }],
      scope: all,
    },
  ];
}
