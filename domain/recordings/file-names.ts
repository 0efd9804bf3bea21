/** The name endings of the formats that are read. The bytes decide; a name only lets an upload be refused early. */
const readable: ReadonlySet<string> = new Set(["mcap", "bag", "db3", "ulg", "ulog"]);

const archive = (command: string): string => `Unpack it first, with \`${command}\`, and upload what comes out.`;
const media = "Upload it to a dataset, or beside the recording it belongs to.";
const table = "Write its rows to an MCAP file, with a library of https://mcap.dev, and upload that.";
const description = "It describes a recording. Upload the .mcap or .db3 files of its folder with it.";

/** What to do with files of other formats, by extension. */
const conversions: Readonly<Record<string, string>> = {
  zst: archive("zstd -d"),
  zstd: archive("zstd -d <name> -o <name without .zstd>"),
  gz: archive("gunzip"),
  tgz: archive("tar -xzf"),
  bz2: archive("bunzip2"),
  xz: archive("unxz"),
  lz4: archive("lz4 -d"),
  zip: archive("unzip"),
  tar: archive("tar -xf"),
  "7z": archive("7z x"),
  db: "If it is a ROS 2 bag, rewrite it with `ros2 bag convert`, or give it its name back, which ends in .db3.",
  sqlite3: "If it is a ROS 2 bag, rewrite it with `ros2 bag convert`, or give it its name back, which ends in .db3.",
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

/** The extension of a file in lower case, without its dot; null for a name without one. */
export function getExtension(path: string): string | null {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).toLowerCase();
  // A ROS 1 bag is named so while it is recorded, and stays so after a crash.
  const complete = name.replace(/\.active$/, "");
  return lastPart.exec(complete)?.[1] ?? null;
}

const maxNamed = 3;

/**
 * Why none of these files can be a recording, with how to convert them; null when one could be. Judged by names alone:
 * a name without an extension could be anything.
 */
export function refusalOfNames(paths: readonly string[]): string | null {
  const extensions = new Set<string>();
  for (const path of paths) {
    const extension = getExtension(path);
    if (extension === null || readable.has(extension)) return null;
    extensions.add(extension);
  }
  const hints = [...extensions].slice(0, maxNamed).map((extension) => {
    const conversion = Object.hasOwn(conversions, extension) ? conversions[extension] : null;
    return `.${extension}: ${conversion ?? "This format is not read. Convert it to MCAP."}`;
  });
  if (extensions.size > maxNamed) hints.push(`${extensions.size - maxNamed} more kinds of files are not read either.`);
  return `None of these files is a recording in MCAP, ROS 1 bag, ROS 2 db3 or ULog. ${hints.join(" ")}`;
}
