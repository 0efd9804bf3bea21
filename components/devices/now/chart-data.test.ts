import { expect, test } from "vitest";
import { toColumns, type Series } from "@/components/health/metric-columns";
import { describeAt, spansAt, toSpans, toThresholds, type Timeline } from "./chart-data";

const start = Date.UTC(2026, 2, 1);
const minute = 60_000;
const window = { from: start, to: start + 24 * 60 * minute };
const iso = (minutes: number) => new Date(start + minutes * minute).toISOString();
const battery: Series = {
  ...{ name: "battery", label: "Battery", unit: "", kind: "fraction", resolution: "raw" },
  points: [
    [iso(0), 0.5, 0.52, 0.55],
    [iso(5), 0.5, 0.5, 0.5],
    [iso(60), 0.4, 0.41, 0.42],
  ],
};

test("fractions are drawn as per cent, and the line breaks where nothing came", () => {
  const [times, low, high, mean] = toColumns(battery, window);
  expect(times).toEqual([0, 300, 1950, 3600]);
  expect(low.map((value) => value && Math.round(value))).toEqual([50, 50, null, 40]);
  expect(high[0]).toBeCloseTo(55);
  expect(mean[3]).toBeCloseTo(41);
});

test("a moment has the value in force, and none within a gap", () => {
  const at = (minutes: number) => describeAt(battery, window, start + minutes * minute);
  expect([at(1), at(6), at(40), at(-1)]).toEqual(["52 %, from 50 % to 55 %", "50 %", null, null]);
});

test("a state lasts until the next one", () => {
  const mode: Series = {
    ...{ name: "mode", label: "Mode", unit: "", kind: "state", resolution: "raw" },
    changes: [
      [iso(-600), "idle"],
      [iso(10), "auto"],
    ],
  };
  const at = (minutes: number) => describeAt(mode, window, start + minutes * minute);
  expect([at(0), at(10), at(1_000)]).toEqual(["idle", "auto", "auto"]);
});

test("bounds are lines in what is drawn, with their words", () => {
  const bounds = { warning_min: 0.2, warning_max: null, critical_min: 0.1, critical_max: null };
  expect(toThresholds({ bounds, kind: "fraction", unit: "" })).toEqual([
    { value: 20, severity: "warning", label: "warning 20 %" },
    { value: 10, severity: "critical", label: "critical 10 %" },
  ]);
});

test("alerts last until they are resolved, maintenance until the next state, and what covers a moment is found", () => {
  const alert = { severity: "critical", status: "open", rule_name: "Hot", message: "", at: iso(10) } as const;
  const timeline: Timeline = {
    recordings: [{ uid: "r", name: "run", status: "ready", from: iso(5), to: iso(15), open_alerts: 0 }],
    states: [
      { status: "maintenance", reason: "set by ada", at: iso(0) },
      { status: "online", reason: "heartbeat", at: iso(20) },
    ],
    alerts: [
      { ...alert, uid: "a", resolved_at: null },
      { ...alert, uid: "b", resolved_at: iso(12) },
    ],
    events: [],
    capped: false,
  };
  const spans = toSpans(timeline, start + 30 * minute);
  const at = (of: keyof typeof spans, minutes: number) =>
    spansAt(spans[of], start + minutes * minute).map(({ uid, text }) => `${uid.slice(0, 1)} ${text}`);
  expect(at("alerts", 11)).toEqual(["a Hot, critical", "b Hot, critical"]);
  expect(at("alerts", 29)).toEqual(["a Hot, critical"]);
  expect(at("maintenance", 19)).toEqual(["2 Maintenance, set by ada"]);
  expect(at("maintenance", 21)).toEqual([]);
  expect(at("recordings", 15)).toEqual(["r run"]);
});
