/** What metrics mean: what an organization says about them, and what their names let guess. Pure. */

export const metricKinds = ["gauge", "fraction", "percent", "state", "counter"] as const;
export type MetricKind = (typeof metricKinds)[number];

export const boundNames = ["warning_min", "warning_max", "critical_min", "critical_max"] as const;
/** Values beyond which a metric is out of its good range, in the unit in which it is sent; null where there is none. */
export type MetricBounds = Record<(typeof boundNames)[number], number | null>;

export interface Meaning {
  label: string;
  unit: string;
  /** `fraction`: 0 to 1, shown as per cent; `state`: texts and booleans; `counter`: only grows. */
  kind: MetricKind;
  /** The lower, the earlier it is shown. */
  rank: number;
  bounds: MetricBounds;
}

/** What an organization says; null where it leaves that to the guess. `device_type` is empty for every type. */
export type SavedMeaning = { device_type: string } & { [Member in keyof Meaning]: Meaning[Member] | null };

export type MetricValue = number | string | boolean;

export const noBounds: MetricBounds = { warning_min: null, warning_max: null, critical_min: null, critical_max: null };

const atLeast = (warning: number, critical: number): MetricBounds => ({
  ...noBounds,
  warning_min: warning,
  critical_min: critical,
});
const atMost = (warning: number, critical: number): MetricBounds => ({
  ...noBounds,
  warning_max: warning,
  critical_max: critical,
});

interface Known extends Partial<Omit<Meaning, "kind">> {
  /** Of the name in small letters, with underscores for dots, dashes and humps. */
  name: RegExp;
  kind: MetricKind | "share";
  rank: number;
}

/**
 * Usual names of what `known` guesses to be a battery. `shares` are from 0 to 1 or per cent, by their value. The rule
 * "Battery low" reads these.
 */
export const batteryNames = {
  shares: ["battery", "battery_level", "battery.level", "battery_soc", "battery.soc", "soc", "state_of_charge"],
  percents: [
    "battery_percent",
    "battery_percentage",
    "battery_pct",
    "battery.percent",
    "battery.percentage",
    "soc_percent",
  ],
} as const;

/** A `share` has its bounds in per cent, and is a fraction or per cent by its name or value. */
const known: readonly Known[] = [
  {
    name: /^(battery|battery_level|battery_soc|soc|state_of_charge)(_percent|_percentage|_pct)?$/,
    label: "Battery",
    kind: "share",
    rank: 1,
    bounds: atLeast(20, 10),
  },
  {
    name: /^cpu(_load|_usage|_used)?(_percent|_percentage|_pct)?$/,
    label: "CPU",
    kind: "share",
    rank: 2,
    bounds: atMost(90, 98),
  },
  { name: /^disk_free_gb$/, label: "Disk free", unit: "GB", kind: "gauge", rank: 3, bounds: atLeast(10, 2) },
  {
    name: /(^|_)temp(erature)?(_[a-z0-9_]+)?_c$|^temperature$/,
    unit: "°C",
    kind: "gauge",
    rank: 4,
    bounds: atMost(70, 85),
  },
  {
    name: /^(memory|mem|ram)(_usage|_used)?(_percent|_percentage|_pct)?$/,
    label: "Memory",
    kind: "share",
    rank: 5,
    bounds: atMost(90, 97),
  },
  { name: /^(mode|drive_mode|operating_mode)$/, label: "Mode", kind: "state", rank: 6 },
  { name: /^(is_)?charging$/, label: "Charging", kind: "state", rank: 7 },
  { name: /^(mission|mission_id|mission_name)$/, label: "Mission", kind: "state", rank: 8 },
  {
    name: /^(wifi_)?rssi(_dbm)?$/,
    label: "Wi-Fi signal",
    unit: "dBm",
    kind: "gauge",
    rank: 9,
    bounds: atLeast(-75, -85),
  },
  {
    name: /^disk(_used|_usage)?(_percent|_percentage|_pct)?$/,
    label: "Disk used",
    kind: "share",
    rank: 10,
    bounds: atMost(85, 95),
  },
  { name: /^uptime(_s)?$/, label: "Uptime", unit: "s", kind: "counter", rank: 11 },
  { name: /^(lat|latitude)$/, label: "Latitude", unit: "°", kind: "gauge", rank: 90 },
  { name: /^(lon|lng|longitude)$/, label: "Longitude", unit: "°", kind: "gauge", rank: 91 },
];

/** Units by the end of a name, as its last part. */
const endings: ReadonlyMap<string, string> = new Map([
  ["c", "°C"],
  ["celsius", "°C"],
  ["percent", "%"],
  ["percentage", "%"],
  ["pct", "%"],
  ["gb", "GB"],
  ["mb", "MB"],
  ["kb", "kB"],
  ["bytes", "B"],
  ["ms", "ms"],
  ["s", "s"],
  ["sec", "s"],
  ["seconds", "s"],
  ["v", "V"],
  ["volts", "V"],
  ["mv", "mV"],
  ["a", "A"],
  ["amps", "A"],
  ["ma", "mA"],
  ["w", "W"],
  ["wh", "Wh"],
  ["rpm", "rpm"],
  ["dbm", "dBm"],
  ["db", "dB"],
  ["hz", "Hz"],
  ["mm", "mm"],
  ["cm", "cm"],
  ["m", "m"],
  ["km", "km"],
  ["kg", "kg"],
  ["nm", "N m"],
  ["n", "N"],
  ["deg", "°"],
  ["rad", "rad"],
  ["pa", "Pa"],
  ["kpa", "kPa"],
  ["bar", "bar"],
]);

const normalize = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll(/[.-]+/g, "_");

/** `motor_temp` as `Motor temp`. */
function toLabel(parts: readonly string[]): string {
  const words = parts.filter((part) => part !== "").join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What a metric's name lets guess. `sample` is a value of it: it tells texts from numbers, and fractions from per cent. */
export function guessMeaning(name: string, sample: MetricValue | null = null): Meaning {
  const normal = normalize(name);
  const parts = normal.split("_");
  const ending = parts.length > 1 ? endings.get(parts.at(-1) ?? "") : undefined;
  const label = toLabel(ending === undefined ? parts : parts.slice(0, -1)) || name;
  if (sample !== null && typeof sample !== "number") {
    const state = known.find((each) => each.name.test(normal));
    return { label: state?.label ?? label, unit: "", kind: "state", rank: state?.rank ?? 50, bounds: noBounds };
  }
  const found = known.find((each) => each.name.test(normal));
  if (!found) {
    const kind = ending === "%" ? "percent" : /(^|_)(count|total)$/.test(normal) ? "counter" : "gauge";
    return { label, unit: ending ?? "", kind, rank: 50, bounds: noBounds };
  }
  const meaning = { label: found.label ?? label, unit: found.unit ?? "", rank: found.rank };
  const bounds = found.bounds ?? noBounds;
  if (found.kind !== "share") return { ...meaning, kind: found.kind, bounds };
  const percent: Meaning = { ...meaning, unit: "%", kind: "percent", bounds };
  return ending === "%" || (sample !== null && sample > 1) ? percent : asKind(percent, "fraction");
}

const scale = (bounds: MetricBounds, by: (value: number) => number): MetricBounds => {
  const scaled = (value: number | null) => (value === null ? null : by(value));
  return {
    warning_min: scaled(bounds.warning_min),
    warning_max: scaled(bounds.warning_max),
    critical_min: scaled(bounds.critical_min),
    critical_max: scaled(bounds.critical_max),
  };
};

/** The same of another kind: bounds follow between fractions and per cent, and nothing follows to states. */
function asKind(meaning: Meaning, kind: MetricKind): Meaning {
  if (kind === meaning.kind) return meaning;
  if (kind === "fraction" || kind === "percent") {
    const unit = kind === "percent" ? "%" : "";
    if (meaning.kind === "percent") return { ...meaning, kind, unit, bounds: scale(meaning.bounds, (n) => n / 100) };
    if (meaning.kind === "fraction") return { ...meaning, kind, unit, bounds: scale(meaning.bounds, (n) => n * 100) };
    return { ...meaning, kind, unit, bounds: noBounds };
  }
  const keeps = kind !== "state" && (meaning.kind === "gauge" || meaning.kind === "counter");
  return keeps ? { ...meaning, kind } : { ...meaning, kind, unit: "", bounds: noBounds };
}

export interface ResolvedMeaning extends Meaning {
  /** Whether nobody has said anything about it. */
  guessed: boolean;
}

/**
 * What a metric means for a device type: what was said for that type, else for every type, else the guess, each member by
 * itself. Without a type, what holds for every type. `saved` are those of this name.
 */
export function resolveMeaning(
  name: string,
  saved: readonly SavedMeaning[],
  deviceType: string | null = null,
  sample: MetricValue | null = null,
): ResolvedMeaning {
  const ofType = deviceType ? saved.find((each) => each.device_type === deviceType) : undefined;
  const ofEvery = saved.find((each) => each.device_type === "");
  const guess = guessMeaning(name, sample);
  const base = asKind(guess, ofType?.kind ?? ofEvery?.kind ?? guess.kind);
  return {
    label: ofType?.label ?? ofEvery?.label ?? base.label,
    unit: ofType?.unit ?? ofEvery?.unit ?? base.unit,
    kind: base.kind,
    rank: ofType?.rank ?? ofEvery?.rank ?? base.rank,
    bounds: ofType?.bounds ?? ofEvery?.bounds ?? base.bounds,
    guessed: !ofType && !ofEvery,
  };
}

export const judgements = ["good", "warning", "critical", "unknown"] as const;
export type Judgement = (typeof judgements)[number];

/** Whether a value is in its good range. A bound itself is good; without bounds, and for texts, nothing is known. */
export function judge(value: MetricValue, { bounds, kind }: Pick<Meaning, "bounds" | "kind">): Judgement {
  if (typeof value !== "number" || kind === "state") return "unknown";
  if (boundNames.every((name) => bounds[name] === null)) return "unknown";
  const beyond = (min: number | null, max: number | null) =>
    (min !== null && value < min) || (max !== null && value > max);
  if (beyond(bounds.critical_min, bounds.critical_max)) return "critical";
  return beyond(bounds.warning_min, bounds.warning_max) ? "warning" : "good";
}

/** The bounds in the order in which they must ascend; the names of two that do not, or null. */
export function findUnordered(bounds: MetricBounds): [lower: keyof MetricBounds, upper: keyof MetricBounds] | null {
  const order = ["critical_min", "warning_min", "warning_max", "critical_max"] as const;
  const said = order.filter((name) => bounds[name] !== null);
  for (const [place, upper] of said.entries()) {
    const lower = said[place - 1];
    if (lower && (bounds[lower] ?? 0) > (bounds[upper] ?? 0)) return [lower, upper];
  }
  return null;
}

/** A number with three significant digits or all before its point, at most `digits` after it. */
function formatNumber(value: number, digits?: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e15 || size < 0.001)) return value.toExponential(2).replaceAll("-", "−");
  const decimals = digits ?? (size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.1 ? 2 : 4);
  const text = new Intl.NumberFormat("en-US", { maximumFractionDigits: decimals }).format(value);
  return text === "-0" ? "0" : text.replace("-", "−");
}

const percentText = (value: number): string => {
  const size = Math.abs(value);
  return `${formatNumber(value, size > 0 && size < 1 ? 1 : 0)} %`;
};

/** Seconds as `4.2 s`, `5 min 10 s`, `2 h 10 min`, `3 d 4 h`; parts that are zero are left out. */
function formatSeconds(value: number): string {
  const size = Math.abs(value);
  if (size < 59.5) return `${formatNumber(value, size < 9.95 ? 1 : 0)} s`;
  const seconds = Math.round(size);
  const units = [
    [86_400, 3_600, "d", "h"],
    [3_600, 60, "h", "min"],
    [60, 1, "min", "s"],
  ] as const;
  const [large, small, largeName, smallName] = units.find(([each]) => seconds >= each) ?? units[2];
  const rest = Math.floor((seconds % large) / small);
  const sign = value < 0 ? "−" : "";
  return `${sign}${formatNumber(Math.floor(seconds / large), 0)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ""}`;
}

/** A value for people: `35 %`, `84.7 GB`, `2 h 10 min`, `yes`. */
export function formatMetric(value: MetricValue, { unit, kind }: Pick<Meaning, "unit" | "kind">): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  // A fraction beyond every number of per cent is none.
  if (!Number.isFinite(kind === "fraction" ? value * 100 : value)) return "–";
  if (kind === "fraction") return percentText(value * 100);
  if (kind === "percent") return percentText(value);
  if (unit === "s") return formatSeconds(value);
  if (unit === "°") return `${formatNumber(value, 5)}°`;
  const text = formatNumber(value, kind === "counter" ? 0 : undefined);
  return unit === "" ? text : `${text} ${unit}`;
}
