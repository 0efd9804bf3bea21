import { maxNameLength } from "@/domain/limits";

/** Keys of a file's metadata that name the machine, without case and separators, the surest first. */
const nameKeys = [
  ...["devicename", "device", "robotname", "robot", "vehiclename", "vehicle", "machinename", "machine"],
  ...["deviceid", "robotid", "vehicleid", "machineid", "hostname", "host"],
];

/** Names that images of systems come with, which thousands of machines have. */
const commonHosts: ReadonlySet<string> = new Set(["localhost", "ubuntu", "debian", "raspberrypi", "jetson"]);

/** A day, with what follows it: a time, a zone, the number of a part. */
const day = /(?<!\d)(?:(?:19|20)\d{2}(?:[-_.]\d{1,2}[-_.]\d{1,2}|\d{4})(?!\d)|1\d{9}(?:\d{3}){0,3}(?!\d))/;
const afterDay = /^[T\s_.-]*\d{1,2}[-_.:h]?\d{2}(?:[-_.:m]?\d{2})?(?:\.\d+)?Z?(?![a-z\d])/i;
/** A time of its own, as autopilots name the logs of a day. */
const time = /(?<!\d)\d{1,2}[-_.:]\d{2}[-_.:]\d{2}(?!\d)/;
/** What says that something was recorded, not by whom. */
const kind =
  "(?:my|rosbag2?|ros2?|bag|log|recording|record|rec|run|flight|mission|session|drive|trip|data|dataset|test|sample|example|part|split|file|upload|download|output|mcap)s?";
const leadingKind = new RegExp(`^${kind}(?:[-_. ]*\\d+)?(?:[-_. ]+|$)`, "i");
const trailingKind = new RegExp(`(?:^|[-_. ]+)${kind}(?:[-_. ]*\\d+)?$`, "i");

function stripKinds(text: string): string {
  for (let before = ""; before !== text;) {
    before = text;
    text = text.replace(leadingKind, "").replace(trailingKind, "");
  }
  return text;
}

/** What is left of a name without days, times and words such as "run 3"; null when that names nothing. */
function cleanName(name: string): string | null {
  const found = day.exec(name) ?? time.exec(name);
  const parts = found
    ? [name.slice(0, found.index), name.slice(found.index + found[0].length).replace(afterDay, "")]
    : [name];
  for (const part of parts) {
    const clean = stripKinds(part.replace(/^[-_. ]+|[-_. ]+$/g, "")).replace(/^[-_. ]+|[-_. ]+$/g, "");
    if (/\p{L}/u.test(clean) && clean.length > 1) return clean.slice(0, maxNameLength);
  }
  return null;
}

/** The machine's name in the metadata of a file; null when it has none. */
function findName(metadata: readonly (readonly [string, string])[]): string | null {
  const values = new Map(metadata.map(([key, value]) => [key.toLowerCase().replace(/[^a-z]/g, ""), value.trim()]));
  for (const key of nameKeys) {
    const value = values.get(key);
    if (value && !commonHosts.has(value.toLowerCase()) && value.length <= maxNameLength && !/[\p{Cc}]/u.test(value))
      return value;
  }
  return null;
}

/**
 * What the device that made a recording may be called: by the metadata of its file, else by its name, else by the folders
 * it lies in, the nearest first; null when none of them names a device. `name` is without the format's ending.
 */
export function proposeDeviceName(of: {
  name: string;
  folders: readonly string[];
  metadata: readonly (readonly [string, string])[];
}): string | null {
  const inMetadata = findName(of.metadata);
  if (inMetadata !== null) return inMetadata;
  for (const each of [of.name, ...of.folders.toReversed()]) {
    const clean = cleanName(each);
    if (clean !== null) return clean;
  }
  return null;
}
