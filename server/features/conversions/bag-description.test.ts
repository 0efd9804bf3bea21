import { describe, expect, test } from "vitest";
import { describeMismatch, parseBagDescription } from "@/server/features/conversions/bag-description";

/** As rosbag2 of Humble writes it; `compression` as the recorder was started with. */
const humble = (compression = '""') => `rosbag2_bagfile_information:
  version: 6
  storage_identifier: sqlite3
  duration:
    nanoseconds: 19900000000
  starting_time:
    nanoseconds_since_epoch: 1767225600000000000
  message_count: 320
  topics_with_message_count:
    - topic_metadata:
        name: /files
        type: std_msgs/msg/Float64
        serialization_format: cdr
        offered_qos_profiles: "- history: 3\\n  depth: 0\\n  reliability: 1\\n  path: not-a-file"
      message_count: 320
  compression_format: ${compression}
  compression_mode: ""
  relative_file_paths:
    - run_0.db3
    - "run_1.db3"
  files:
    - path: run_0.db3
      starting_time:
        nanoseconds_since_epoch: 1767225600000000000
      duration:
        nanoseconds: 9900000000
      message_count: 200
    - path: run_1.db3
      message_count: 120
`;

describe("the description of a rosbag2 folder", () => {
  test("names its files, how many messages each has, and its compression", () => {
    const counts = new Map([
      ["run_0.db3", 200],
      ["run_1.db3", 120],
    ]);
    const files = ["run_0.db3", "run_1.db3"];
    expect(parseBagDescription(humble())).toEqual({ files, messageCounts: counts, compression: "" });
    expect(parseBagDescription(humble("lz4"))).toEqual({ files, messageCounts: counts, compression: "lz4" });
    expect(parseBagDescription(humble().replaceAll("\n", "\r\n"))).toMatchObject({ files, messageCounts: counts });
    // As a script writes it that rewrote the file: lists are not indented.
    const rewritten = "rosbag2_bagfile_information:\n  relative_file_paths:\n  - a.mcap\n  - 'b.mcap'\n  version: 5\n";
    expect(parseBagDescription(rewritten)).toMatchObject({ files: ["a.mcap", "b.mcap"] });
  });

  test("is not another file of that name", () => {
    for (const text of ["", "version: 5\n", "title: x\nrosbag2: y\n", "\0\0", "rosbag2_bagfile_information\n"])
      expect(parseBagDescription(text), text).toBeNull();
  });

  test("that is hostile costs what its bytes cost, and expands nothing", () => {
    const head = "rosbag2_bagfile_information:\n  relative_file_paths:\n";
    const size = 4 * 1024 * 1024;
    const hostile = [
      "[",
      "{a: ",
      "- ",
      "? ",
      "    - x\n",
      "    - &a [*a]\n",
      " ",
      "\n",
      "a:",
      '"',
      "    - path: ",
      "*a ",
    ];
    for (const part of hostile) {
      const found = parseBagDescription(head + part.repeat(size / part.length));
      expect(found?.files.length ?? 0, part).toBeLessThanOrEqual(10_000);
    }
  });

  test("that names files which were not uploaded says so, under any folder and compression", () => {
    const description = parseBagDescription(humble())!;
    expect(describeMismatch("metadata.yaml", description, ["run/run_0.db3", "run/run_1.db3.zstd"])).toEqual([]);
    expect(describeMismatch("metadata.yaml", description, ["run_0.db3"])).toEqual([
      'metadata.yaml names files that were not uploaded: "run_1.db3".',
    ]);
    expect(describeMismatch("metadata.yaml", parseBagDescription(humble("lz4"))!, ["run_0.db3", "run_1.db3"])).toEqual([
      'metadata.yaml names a compression that is not read: "lz4".',
    ]);
    const many = { ...description, files: Array.from({ length: 9 }, (_, at) => `run_${at}.mcap`) };
    expect(describeMismatch("metadata.yaml", many, [])).toEqual([
      'metadata.yaml names files that were not uploaded: "run_0.mcap", "run_1.mcap", "run_2.mcap" and 6 more.',
    ]);
  });
});
