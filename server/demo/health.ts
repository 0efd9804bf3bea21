import { dateFromNs, nsFromMs } from "@/domain/time/nanoseconds";
import type { DemoDevice, DemoRecording } from "@/server/demo/fleet";
import { Robot } from "@/server/demo/robot";

/** The metrics of a demo robot's heartbeat. */
export interface DemoMetrics {
  battery_percent: number;
  charging: boolean;
  motor_temperature_c: number;
  cpu_percent: number;
  disk_free_gb: number;
}

/** A robot works until its battery is at `low` percent, then charges until it is at `high`; percent per second. */
export const battery = { low: 24, high: 96, perSecondOfWork: 0.008, perSecondOfCharge: 0.033 } as const;

/** Between two heartbeats of the past. */
const everyMs = 60_000;
const dayMs = 86_400_000;

/** The battery of a day: in percent at a time, and whether it is being charged. */
type Charge = (atMs: number) => { percent: number; charging: boolean };

/** A battery that works at `percent` at `anchorMs`, and charges and works in turns before and after. */
function alternate(anchorMs: number, percent: number): Charge {
  const span = battery.high - battery.low;
  const [work, charge] = [span / battery.perSecondOfWork, span / battery.perSecondOfCharge];
  const cycleStart = anchorMs - ((battery.high - percent) / battery.perSecondOfWork) * 1_000;
  return (atMs) => {
    const seconds = ((((atMs - cycleStart) / 1_000) % (work + charge)) + work + charge) % (work + charge);
    const charging = seconds >= work;
    const from = charging ? battery.low : battery.high;
    const change = charging ? (seconds - work) * battery.perSecondOfCharge : -seconds * battery.perSecondOfWork;
    return { percent: from + change, charging };
  };
}

/** A battery that was used up when the robot was seen last. */
const usedUp =
  (lastMs: number): Charge =>
  (atMs) => ({
    percent: Math.min(battery.high, 3 + ((lastMs - atMs) / 1_000) * battery.perSecondOfWork),
    charging: false,
  });

const round = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits;

/**
 * The heartbeats of a demo robot in the 24 hours until it was seen last, a minute each. While it recorded, battery and
 * motor are what the recording says.
 */
export function demoHealth(
  device: Pick<DemoDevice, "warm" | "state">,
  recordings: readonly DemoRecording[],
  lastSeen: Date,
  seed: number,
): { at: Date; metrics: DemoMetrics }[] {
  const lastMs = lastSeen.getTime();
  const recorded = new Map<number, { charge: number; temperature: number }>();
  const fromMs = lastMs - dayMs;
  const newest = recordings.findLast((story) => story.start < nsFromMs(lastMs));
  for (const story of recordings) {
    const startMs = dateFromNs(story.start).getTime();
    if (startMs + story.seconds * 1_000 < fromMs || startMs > lastMs) continue;
    const robot = new Robot(story);
    for (let tenth = 0; tenth < story.seconds * 10; tenth++) {
      robot.step(tenth / 10);
      if (tenth % 600 === 0) recorded.set(Math.floor((startMs + tenth * 100) / everyMs), robot.health);
    }
  }
  const charge =
    device.state === "offline"
      ? usedUp(lastMs)
      : newest
        ? alternate(dateFromNs(newest.start).getTime(), new Robot(newest).health.charge * 100)
        : alternate(lastMs, 40 + ((seed * 17) % 50));
  const points = [];
  for (let atMs = fromMs; atMs <= lastMs; atMs += everyMs) {
    const known = recorded.get(Math.floor(atMs / everyMs));
    const { percent, charging } = charge(atMs);
    const isCharging = charging && !known;
    const wave = (seconds: number) => Math.sin(atMs / 1_000 / seconds + seed);
    const temperature = isCharging ? 38 + wave(900) : (device.warm ? 62 : 53) + 4 * wave(210);
    points.push({
      at: new Date(atMs),
      metrics: {
        battery_percent: round(known ? known.charge * 100 : percent, 1),
        charging: isCharging,
        motor_temperature_c: round(known?.temperature ?? temperature, 1),
        cpu_percent: Math.round(isCharging ? 9 + 2 * wave(61) : 46 + 12 * wave(137)),
        disk_free_gb: round(78 + 40 * (percent / 100), 1),
      },
    });
  }
  return points;
}
