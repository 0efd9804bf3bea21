import fc from "fast-check";
import { expect, test } from "vitest";
import {
  batteryNames,
  boundNames,
  findUnordered,
  formatMetric,
  guessMeaning,
  judge,
  metricKinds,
  noBounds,
  resolveMeaning,
  type SavedMeaning,
} from "@/domain/health/meanings";

const unsaid: SavedMeaning = { device_type: "", label: null, unit: null, kind: null, rank: null, bounds: null };

test.each([
  ["battery", 0.35, "Battery: 35 % (fraction), good"],
  ["battery", 35, "Battery: 35 % (percent), good"],
  ["battery_percent", 0.6, "Battery: 0.6 % (percent), critical"],
  ["battery_percentage", 15, "Battery: 15 % (percent), warning"],
  ["batteryPercentage", 9, "Battery: 9 % (percent), critical"],
  ["charging", true, "Charging: yes (state), unknown"],
  ["cpu", 0.09, "CPU: 9 % (fraction), good"],
  ["cpu_percent", 99, "CPU: 99 % (percent), critical"],
  ["memory", 0.93, "Memory: 93 % (fraction), warning"],
  ["disk_free_gb", 84.7, "Disk free: 84.7 GB (gauge), good"],
  ["disk.free_gb", 1.25, "Disk free: 1.25 GB (gauge), critical"],
  ["disk_used_percent", 86, "Disk used: 86 % (percent), warning"],
  ["temperature_c", 71.26, "Temperature: 71.3 °C (gauge), warning"],
  ["temperature_motor_c", -4, "Temperature motor: −4 °C (gauge), good"],
  ["arm.motor_temp_c", 40, "Arm motor temp: 40 °C (gauge), good"],
  ["wifi_rssi_dbm", -80, "Wi-Fi signal: −80 dBm (gauge), warning"],
  ["uptime_s", 7_800, "Uptime: 2 h 10 min (counter), unknown"],
  ["uptime_s", 4, "Uptime: 4 s (counter), unknown"],
  ["uptime_s", 59.7, "Uptime: 1 min (counter), unknown"],
  ["uptime_s", 273_600, "Uptime: 3 d 4 h (counter), unknown"],
  ["mode", "auto", "Mode: auto (state), unknown"],
  ["mission", "shelf 4", "Mission: shelf 4 (state), unknown"],
  ["latitude", 47.123456, "Latitude: 47.12346° (gauge), unknown"],
  ["longitude", -8.5, "Longitude: −8.5° (gauge), unknown"],
  ["bus_voltage_v", 24.0417, "Bus voltage: 24 V (gauge), unknown"],
  ["motor_current_a", 0.0123, "Motor current: 0.0123 A (gauge), unknown"],
  ["spindle_rpm", 12_345, "Spindle: 12,345 rpm (gauge), unknown"],
  ["distance_m", 5.678, "Distance: 5.68 m (gauge), unknown"],
  ["error_count", 12, "Error count: 12 (counter), unknown"],
  ["grip", false, "Grip: no (state), unknown"],
  ["m", 1e20, "M: 1.00e+20 (gauge), unknown"],
  ["constructor", 2, "Constructor: 2 (gauge), unknown"],
  ["a.to_string", 2, "A to string: 2 (gauge), unknown"],
  ["a_constructor", 2, "A constructor: 2 (gauge), unknown"],
  ["_", 2, "_: 2 (gauge), unknown"],
])("%s %s is guessed and written for people", (name, value, expected) => {
  const meaning = guessMeaning(name, value);
  expect(`${meaning.label}: ${formatMetric(value, meaning)} (${meaning.kind}), ${judge(value, meaning)}`).toBe(
    expected,
  );
});

test("the names of a battery are guessed to be one", () => {
  const texts = (names: readonly string[], value: number) =>
    names.map((name) => {
      const meaning = guessMeaning(name, value);
      return `${meaning.label} ${formatMetric(value, meaning)}`;
    });
  expect(new Set([...texts(batteryNames.shares, 0.08), ...texts(batteryNames.shares, 8)])).toEqual(
    new Set(["Battery 8 %"]),
  );
  expect(new Set(texts(batteryNames.percents, 8))).toEqual(new Set(["Battery 8 %"]));
});

test("what an organization says wins over the guess, by type over every type, member by member", () => {
  const every = { ...unsaid, label: "Accu", rank: 9 };
  const arms = { ...unsaid, device_type: "arm", label: "Arm's accu", bounds: { ...noBounds, warning_min: 0.4 } };
  const saved = [every, arms];
  expect(resolveMeaning("battery", [])).toMatchObject({ label: "Battery", rank: 1, guessed: true });
  expect(resolveMeaning("battery", saved)).toMatchObject({ label: "Accu", rank: 9, kind: "fraction", guessed: false });
  expect(resolveMeaning("battery", saved, "amr")).toMatchObject({ label: "Accu", bounds: { warning_min: 0.2 } });
  expect(resolveMeaning("battery", saved, "arm")).toMatchObject({
    label: "Arm's accu",
    rank: 9,
    bounds: { warning_min: 0.4, critical_min: null },
  });
  expect(resolveMeaning("battery", [{ ...unsaid, bounds: noBounds }]).bounds).toEqual(noBounds);
  // A device type that nobody has spoken of is the same as one that is empty.
  expect(resolveMeaning("battery", [arms], "")).toMatchObject({ label: "Battery", guessed: true });
});

test("the bounds that are guessed follow the kind that is said", () => {
  const of = (kind: SavedMeaning["kind"]) => resolveMeaning("battery", [{ ...unsaid, kind }]);
  expect(of("percent")).toMatchObject({ unit: "%", bounds: { warning_min: 20, critical_min: 10 } });
  expect(of("fraction")).toMatchObject({ unit: "", bounds: { warning_min: 0.2, critical_min: 0.1 } });
  expect(of("gauge")).toMatchObject({ unit: "", bounds: noBounds });
  expect(of("state")).toMatchObject({ unit: "", bounds: noBounds });
  expect(resolveMeaning("disk_free_gb", [{ ...unsaid, kind: "counter" }])).toMatchObject({ unit: "GB" });
});

const metricNames = fc.stringMatching(/^[A-Za-z0-9_.-]{1,64}$/);
const values = fc.oneof(fc.double(), fc.string({ maxLength: 200 }), fc.boolean());

test("a fraction whose per cent no number can hold has no text", () => {
  expect(formatMetric(-1.797693134862316e306, { unit: "", kind: "fraction" })).toBe("–");
});

test("every name and value has a label, a text and a judgement, and bounds that ascend", () => {
  fc.assert(
    fc.property(metricNames, values, fc.constantFrom(...metricKinds, null), (name, value, kind) => {
      const meaning = resolveMeaning(name, [{ ...unsaid, kind }], null, value);
      expect(meaning.label).not.toBe("");
      if (typeof value === "number") expect(formatMetric(value, meaning)).not.toMatch(/NaN|undefined|Infinity/);
      expect(["good", "warning", "critical", "unknown"]).toContain(judge(value, meaning));
      expect(findUnordered(meaning.bounds)).toBeNull();
    }),
  );
});

test("a value is good between the bounds and on them, and gets no better the further it is beyond them", () => {
  const order = ["good", "warning", "critical"];
  const four = fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(four, fc.double({ noNaN: true, min: -1e10, max: 1e10 }), (numbers, value) => {
      const [critical_min, warning_min, warning_max, critical_max] = numbers.toSorted((a, b) => a - b);
      if (
        critical_min === undefined ||
        warning_min === undefined ||
        warning_max === undefined ||
        critical_max === undefined
      )
        throw new Error("there are four");
      const meaning = { kind: "gauge", bounds: { critical_min, warning_min, warning_max, critical_max } } as const;
      expect(findUnordered(meaning.bounds)).toBeNull();
      for (const bound of [warning_min, warning_max]) expect(judge(bound, meaning)).toBe("good");
      for (const bound of [critical_min, critical_max]) expect(judge(bound, meaning)).not.toBe("critical");
      const further = value < warning_min ? value - 1 : value + 1;
      if (judge(value, meaning) !== "good")
        expect(order.indexOf(judge(further, meaning))).toBeGreaterThanOrEqual(order.indexOf(judge(value, meaning)));
    }),
  );
});

test("bounds that do not ascend are named", () => {
  expect(findUnordered({ ...noBounds, critical_min: 3, warning_min: 2 })).toEqual(["critical_min", "warning_min"]);
  expect(findUnordered({ ...noBounds, critical_min: 3, critical_max: 2 })).toEqual(["critical_min", "critical_max"]);
  expect(findUnordered({ ...noBounds, warning_max: 2, critical_max: 2 })).toBeNull();
  expect(boundNames).toHaveLength(4);
});
