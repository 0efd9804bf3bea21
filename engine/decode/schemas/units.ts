/** Units by how a field's name ends. Single letters are left out: `_m` or `_a` may mean anything. */
const BY_SUFFIX: Record<string, string> = {
  deg: "°",
  degrees: "°",
  rad: "rad",
  radians: "rad",
  mm: "mm",
  cm: "cm",
  km: "km",
  meters: "m",
  metres: "m",
  mps: "m/s",
  m_s: "m/s",
  kmh: "km/h",
  kph: "km/h",
  ns: "ns",
  us: "µs",
  ms: "ms",
  sec: "s",
  secs: "s",
  seconds: "s",
  hz: "Hz",
  khz: "kHz",
  mhz: "MHz",
  volts: "V",
  volt: "V",
  mv: "mV",
  amps: "A",
  ma: "mA",
  mah: "mAh",
  watts: "W",
  celsius: "°C",
  degc: "°C",
  deg_c: "°C",
  kelvin: "K",
  percent: "%",
  pct: "%",
  rpm: "rpm",
  hpa: "hPa",
  kpa: "kPa",
  pascal: "Pa",
  kg: "kg",
  newtons: "N",
  bytes: "B",
  lux: "lx",
  db: "dB",
  dbm: "dBm",
};

const WRITTEN = [
  ["m", "mm", "cm", "km", "m/s", "m/s^2", "m/s2", "m/s²", "km/h", "rad", "rad/s", "rad/s^2", "rad/s2", "deg", "deg/s"],
  ["°", "°C", "degC", "K", "s", "ms", "us", "ns", "Hz", "kHz", "V", "mV", "A", "mA", "Ah", "mAh", "W", "Wh", "J"],
  [
    "N",
    "N*m",
    "Nm",
    "Pa",
    "hPa",
    "kPa",
    "bar",
    "%",
    "rpm",
    "RPM",
    "kg",
    "T",
    "uT",
    "lx",
    "lux",
    "dB",
    "dBm",
    "B",
    "bytes",
  ],
]
  .flat()
  .map((unit) => unit.replace(/[*^]/g, "\\$&"))
  .join("|");
const BRACKETED = new RegExp(`[[(](${WRITTEN})[\\])]`);
const LABELLED = new RegExp(`\\bunits?\\s*[:=]\\s*(${WRITTEN})(?![\\w/])`, "i");
const NAMES: Record<string, string> = {
  "meters per second": "m/s",
  "metres per second": "m/s",
  "radians per second": "rad/s",
  "degrees celsius": "°C",
  meters: "m",
  metres: "m",
  radians: "rad",
  degrees: "°",
  seconds: "s",
  milliseconds: "ms",
  nanoseconds: "ns",
  volts: "V",
  amperes: "A",
  amps: "A",
  watts: "W",
  pascals: "Pa",
  celsius: "°C",
  percent: "%",
  newtons: "N",
  hertz: "Hz",
  tesla: "T",
};

const SPELLED = new RegExp(`\\bin (${Object.keys(NAMES).join("|")})\\b`, "i");

/** The unit a field's name or the comment on its line states plainly, or undefined. */
export function findUnit(name: string, comment = ""): string | undefined {
  const short = comment.slice(0, 200);
  const written = BRACKETED.exec(short)?.[1] ?? LABELLED.exec(short)?.[1];
  if (written !== undefined) return written;
  const spelled = SPELLED.exec(short)?.[1];
  if (spelled !== undefined) return NAMES[spelled.toLowerCase()];
  const parts = name.toLowerCase().split("_");
  if (parts.length < 2) return undefined;
  const suffix = [parts.slice(-2).join("_"), parts.at(-1) ?? ""].find((end) => Object.hasOwn(BY_SUFFIX, end));
  return suffix === undefined ? undefined : BY_SUFFIX[suffix];
}
