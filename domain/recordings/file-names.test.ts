import { describe, expect, it } from "vitest";
import { getExtension, refusalOfNames } from "@/domain/recordings/file-names";

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

  it("of files that no reader takes is refused with how to convert each kind", () => {
    expect(refusalOfNames(["a.mcap.zst"])).toMatch(/\.zst: .*`zstd -d`/);
    expect(refusalOfNames(["a.db"])).toMatch(/\.db: .*`ros2 bag convert`/);
    expect(refusalOfNames(["setup.exe"])).toMatch(/\.exe: This format is not read\. Convert it to MCAP\./);
    expect(refusalOfNames(["metadata.yaml"])).toMatch(/\.yaml: It describes a recording\./);
    expect(refusalOfNames(["a.valueof"])).toMatch(/^None of these .* \.valueof: This format is not read/);
    const many = refusalOfNames(["a.gz", "b.zip", "c.tar", "d.xz", "e.csv", "f.csv"]);
    expect(many).toMatch(/\.gz: .*\.zip: .*\.tar: .*2 more kinds of files/);
  });
});
