import { describe, expect, it } from "vitest";
import {
  getDb3Beside,
  getExtension,
  recordingEndings,
  refusalOfNames,
  withoutCompression,
} from "@/domain/recordings/file-names";

describe("the name of a file", () => {
  it.each([
    ["run.mcap", "mcap"],
    ["Front/RUN.BAG", "bag"],
    ["run.bag.active", "bag"],
    ["bag_0.db3.zstd", "zstd"],
    ["C:\\logs\\flight.ULG", "ulg"],
    ["run.2026-05-01", null],
    ["drive.7", null],
    ["archive.7z", "7z"],
    ["folder.mcap/run", null],
    ["recording", null],
    [".active", null],
  ])("%j ends in %j", (path, extension) => {
    expect(getExtension(path)).toBe(extension);
  });
});

describe("an upload", () => {
  it("is not refused when one name could be that of a recording", () => {
    expect(refusalOfNames(["metadata.yaml", "bag_0.db3"])).toBeNull();
    expect(refusalOfNames(["photo.jpg", "run"])).toBeNull();
    expect(refusalOfNames(["flight.ulg"])).toBeNull();
  });

  it.each(["zst", "zstd", "gz"])("is not refused for a format compressed as a whole, as .%s", (ending) => {
    for (const name of [
      "a.mcap",
      "RUN.BAG",
      "a.bag.active",
      "bag_0.db3",
      "flight.ulg",
      "flight.ulog",
      "drive.7",
      "run",
    ])
      expect(refusalOfNames([`${name}.${ending}`])).toBeNull();
    for (const name of ["a.tar", "a.zip", "a.csv", "a.exe", "a.json", "a.tgz", `a.mcap.${ending}`])
      expect(refusalOfNames([`${name}.${ending}`]), name).not.toBeNull();
  });

  it("of files that no reader takes is refused with how to convert each kind", () => {
    expect(refusalOfNames(["a.tar.zst"])).toMatch(/ \.tar\.zst: .*`tar --zstd -xf`/);
    expect(refusalOfNames(["a.TAR.GZ"])).toMatch(/ \.tar\.gz: .*`tar -xzf`/);
    expect(refusalOfNames(["a.tgz"])).toMatch(/ \.tgz: .*`tar -xzf`/);
    expect(refusalOfNames(["a.csv.gz"])).toMatch(/ \.csv\.gz: Write its rows to an MCAP file/);
    expect(refusalOfNames(["a.txt.gz"])).toMatch(/ \.txt\.gz: This format is not read\. Convert it to MCAP\./);
    expect(refusalOfNames(["a.db3-wal", "a.DB3-SHM"])).toMatch(
      / \.db3-wal: It belongs to a \.db3 file\. .* \.db3-shm: /,
    );
    expect(refusalOfNames(["a.db"])).toMatch(/\.db: .*`ros2 bag convert`/);
    expect(refusalOfNames(["setup.exe"])).toMatch(/\.exe: This format is not read\. Convert it to MCAP\./);
    expect(refusalOfNames(["metadata.yaml"])).toMatch(/\.yaml: It describes a recording\./);
    expect(refusalOfNames(["a.valueof"])).toMatch(/^None of these .* \.valueof: This format is not read/);
    const many = refusalOfNames(["a.bz2", "b.zip", "c.tar", "d.xz", "e.csv", "f.csv"]);
    expect(many).toMatch(/\.bz2: .*\.zip: .*\.tar: .*2 more kinds of files/);
  });
});

describe("files that belong together", () => {
  it.each([
    ["run_0.db3-wal", "run_0.db3"],
    ["night/run_0.db3-shm", "night/run_0.db3"],
    ["run_0.db3", null],
    ["x.mcap", null],
  ])("%j lies beside %j", (path, db3) => {
    expect(getDb3Beside(path)).toBe(db3);
  });

  it.each([
    ["run.mcap.zst", "run.mcap"],
    ["night.1/run.DB3.ZSTD", "night.1/run.DB3"],
    ["flight.ulg.gz", "flight.ulg"],
    ["run.mcap", "run.mcap"],
    ["zst", "zst"],
  ])("%j holds %j", (path, content) => {
    expect(withoutCompression(path)).toBe(content);
  });

  it("are offered by a dialog with every format, compressed or not", () => {
    expect(recordingEndings).toEqual(
      expect.arrayContaining([".mcap", ".bag", ".db3", ".ulg", ".ulog", ".zst", ".zstd", ".gz", ".db3-wal", ".yaml"]),
    );
  });
});
