import { definitionExtensions } from "@/domain/message-definitions/type-name";

/** The formats that are read, with the endings of their names. The bytes decide; a name only refuses an upload early. */
const formats = [
  { label: "MCAP", endings: ["mcap"] },
  { label: "ROS 1 bag", endings: ["bag"] },
  { label: "ROS 2 db3", endings: ["db3"] },
  { label: "PX4 ULog", endings: ["ulg", "ulog"] },
] as const;
/** The endings of files that hold one of these, compressed as a whole. */
const compressions = ["zst", "zstd", "gz"] as const;

const readable: ReadonlySet<string> = new Set(formats.flatMap(({ endings }) => endings));
const compressed: ReadonlySet<string> = new Set(compressions);

const list = (words: readonly string[]): string => `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

/** Every format that is read, for a sentence: "MCAP, ROS 1 bag, ROS 2 db3 or PX4 ULog". */
export const readFormats = list(formats.map(({ label }) => label));
/** How files of these may be packed: ".zst, .zstd or .gz". */
export const readCompressions = list(compressions.map((ending) => `.${ending}`));

/** What SQLite keeps beside a file: its write-ahead log, which is read with it, and an index of that. */
const besideDb3 = /-(?:wal|shm)$/;

/** The name endings that a dialog for files of a recording offers: the formats, and what belongs to their files. */
export const recordingEndings: readonly string[] = [
  ...[...readable, "active", ...compressed].map((extension) => `.${extension}`),
  ...[".db3-wal", ".db3-shm", ".yaml", definitionExtensions],
];

const archive = (command: string): string => `Unpack it first, with \`${command}\`, and upload what comes out.`;
const media = "Upload it to a dataset, or beside the recording it belongs to.";
const table = "Write its rows to an MCAP file, with a library of https://mcap.dev, and upload that.";
const log = "It belongs to a .db3 file. Upload that with it.";
const description = "It describes a recording. Upload the .mcap or .db3 files of its folder with it.";

/** What to do with files of other formats, by extension. */
const conversions: Readonly<Record<string, string>> = {
  "tar.zst": archive("tar --zstd -xf"),
  "tar.zstd": archive("tar --zstd -xf"),
  "tar.gz": archive("tar -xzf"),
  tgz: archive("tar -xzf"),
  bz2: archive("bunzip2"),
  xz: archive("unxz"),
  lz4: archive("lz4 -d"),
  zip: archive("unzip"),
  tar: archive("tar -xf"),
  "7z": archive("7z x"),
  db: "If it is a ROS 2 bag, rewrite it with `ros2 bag convert`, or give it its name back, which ends in .db3.",
  sqlite3: "If it is a ROS 2 bag, rewrite it with `ros2 bag convert`, or give it its name back, which ends in .db3.",
  "db3-wal": log,
  "db3-shm": log,
  yaml: description,
  yml: description,
  csv: table,
  tsv: table,
  parquet: table,
  hdf5: table,
  h5: table,
  mat: table,
  rrd: "Record it as MCAP as well: nothing converts the files of Rerun back.",
  bin: "An ArduPilot log has to be rewritten as ULog or MCAP first.",
  tlog: "A MAVLink log has to be rewritten as ULog or MCAP first.",
  pcap: "Replay it into `ros2 bag record -s mcap`, and upload that.",
  pcapng: "Replay it into `ros2 bag record -s mcap`, and upload that.",
  mp4: media,
  mov: media,
  mkv: media,
  avi: media,
  jpg: media,
  jpeg: media,
  png: media,
  pcd: media,
  ply: media,
};

/** Extensions are letters and digits, with a letter: the last part of `run.2026-05-01` or `drive.7` is not one. */
const lastPart = /\.(?=\d*[a-z])([a-z\d]{1,10})$/;

const lastName = (path: string): string => path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);

/** The extension of a file in lower case, without its dot; null for a name without one. */
export function getExtension(path: string): string | null {
  // A ROS 1 bag is named so while it is recorded, and stays so after a crash.
  const complete = lastName(path)
    .toLowerCase()
    .replace(/\.active$/, "");
  return lastPart.exec(complete)?.[1] ?? null;
}

/** The path of a compressed file without `.zst`, `.zstd` or `.gz`; other paths as they are. */
export const withoutCompression = (path: string): string =>
  compressed.has(getExtension(path) ?? "") ? path.slice(0, path.lastIndexOf(".")) : path;

/** The name of a recording's file without the endings that say its format and compression. */
export function withoutEnding(name: string): string {
  const content = withoutCompression(name).replace(/\.active$/i, "");
  const extension = getExtension(content);
  return extension !== null && readable.has(extension) ? content.slice(0, -extension.length - 1) : content;
}

/** The path of the db3 file that SQLite kept this file beside, by its name; null for other names. */
export const getDb3Beside = (path: string): string | null =>
  besideDb3.test(path) ? path.replace(besideDb3, "") : null;

/** The name of the file in which rosbag2 describes the recording of a folder. */
export const isBagDescription = (path: string): boolean => lastName(path).toLowerCase() === "metadata.yaml";

/** The end of a name that says what is in the file, such as `mcap.zst`; null when it could be a recording. */
function refusedEnding(path: string): string | null {
  const beside = getDb3Beside(path.toLowerCase());
  if (beside !== null && getExtension(beside) === "db3") return `db3${path.slice(-4).toLowerCase()}`;
  const content = withoutCompression(path);
  const extension = getExtension(content);
  if (extension === null || readable.has(extension)) return null;
  return content === path ? extension : `${extension}.${getExtension(path)}`;
}

const maxNamed = 3;

/**
 * Why none of these files can be a recording, with how to convert them; null when one could be. Judged by names alone:
 * a name without an extension could be anything.
 */
export function refusalOfNames(paths: readonly string[]): string | null {
  const endings = new Set<string>();
  for (const path of paths) {
    const ending = refusedEnding(path);
    if (ending === null) return null;
    endings.add(ending);
  }
  const hints = [...endings].slice(0, maxNamed).map((ending) => `.${ending}: ${getConversion(ending)}`);
  if (endings.size > maxNamed) hints.push(`${endings.size - maxNamed} more kinds of files are not read either.`);
  return `None of these files is a recording in ${readFormats}. ${hints.join(" ")}`;
}

/** What to do with files of an ending; a compressed one that no archive is has the hint of what it holds. */
function getConversion(ending: string): string {
  for (const known of [ending, ending.replace(/\..*$/, "")]) {
    const conversion = Object.hasOwn(conversions, known) ? conversions[known] : undefined;
    if (conversion !== undefined) return conversion;
  }
  return "This format is not read. Convert it to MCAP.";
}
