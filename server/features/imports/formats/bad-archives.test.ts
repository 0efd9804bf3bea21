import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { importFormats, type ImportFormat } from "@/domain/annotation-imports/formats";
import { BadAnnotationFile, type AnnotationFile } from "@/server/features/imports/formats/annotation-file";
import { guessFormat } from "@/server/features/imports/formats/readers";
import { AnnotationFiles } from "@/server/testing/annotation-files";
import type { ZippedFile } from "@/server/testing/zip-bytes";

/** Archives that are damaged or hostile, and what in them is no labels of YOLO, are refused in words. */

const files = new AnnotationFiles();
afterAll(() => files.remove());

/** Why a file is refused. */
const refuse = (file: AnnotationFile, format: ImportFormat): Promise<string> =>
  files.refuse(file, format, { width: 10, height: 10 });

const cvat =
  '<annotations><image id="0" name="a.png" width="10" height="10"><box label="car" xtl="1" ytl="2" xbr="4" ybr="6"/></image></annotations>';

const yaml: ZippedFile = { path: "data.yaml", bytes: "names: [car]\n" };
const yolo = (lines: string, description = yaml) =>
  files.zip([description, { path: "labels/train/a.txt", bytes: lines }]);

describe("labels of YOLO are refused", () => {
  test.each([
    ["pixels", "0 100 100 20 20", "labels/train/a.txt, line 1: Coordinates are no shares of the picture, from 0 to 1."],
    ["three columns", "0 0.1 0.1\n", "labels/train/a.txt, line 1: There are 3 columns, and a box has 5."],
    ["NaN", "0 0.5 0.5 0.1 0.1\r\n0 nan 0.5 0.1 0.1\r\n", "labels/train/a.txt, line 2: Column 2 is no number."],
    ["a class that is not there", "1 0.5 0.5 0.1 0.1", "labels/train/a.txt, line 1: There is no class 1."],
    [
      "a negative class",
      "-1 0.5 0.5 0.1 0.1",
      "labels/train/a.txt, line 1: The class is no whole number from 0 to 1000000.",
    ],
    ["a negative size", "0 0.5 0.5 -0.1 0.1", "labels/train/a.txt, line 1: A box has a negative size."],
  ])("for %s", async (_, lines, message) => {
    expect(await refuse(yolo(lines), "YOLO")).toBe(message);
  });

  test.each([
    ["no classes", "train: x", "data.yaml: There are no classes: they are listed as names."],
    ["a million classes", `nc: 5\nnames: [${"a,".repeat(100_000)}b]`, "data.yaml: There are more than 500 classes."],
    ["a description beyond its limit", `names: [${"a,".repeat(200_000)}b]`, "data.yaml is longer than 256 KiB."],
    [
      "skeletons without a size",
      "names: [a]\nkpt_shape: many",
      "data.yaml: kpt_shape does not say how many points a skeleton has.",
    ],
    [
      "aliases that multiply",
      `a: &a [1,1]\n${Array.from({ length: 20 }, (_, at) => `b${at}: [*a,*a]`).join("\n")}\nnames: [car]`,
      "data.yaml is no YAML: Excessive alias count indicates a resource exhaustion attack",
    ],
  ])("for %s", async (_, bytes, message) => {
    expect(await refuse(yolo("", { path: "data.yaml", bytes, stored: true }), "YOLO")).toBe(message);
  });

  test("for other columns than kpt_shape says, and for no data.yaml", async () => {
    const pose = { path: "data.yaml", bytes: "names: [car]\nkpt_shape: [3, 3]" };
    expect(await refuse(yolo("0 0.5 0.5 0.1 0.1 0.5 0.5 2", pose), "YOLO")).toBe(
      "labels/train/a.txt, line 1: There are 8 columns; a skeleton of data.yaml's kpt_shape has 14.",
    );
    expect(await refuse(files.zip([{ path: "labels/a.txt", bytes: "" }]), "YOLO")).toBe(
      "The ZIP archive holds no data.yaml, which names the classes.",
    );
    expect(await refuse(files.write("0 0.5 0.5 0.1 0.1"), "YOLO")).toBe(
      "Labels of YOLO are read from a ZIP archive; this is none.",
    );
  });
});

describe("an archive is refused", () => {
  const bomb = "0".repeat(8 * 1024 * 1024);
  test.each([
    [
      "a bomb",
      files.zip([{ path: "annotations.xml", bytes: bomb }]),
      "annotations.xml in the ZIP archive is more than 200 times as large unpacked.",
    ],
    [
      "a bomb that claims to be small",
      files.zip([{ path: "annotations.xml", bytes: bomb, claims: { size: 1_000 } }]),
      /^annotations.xml in the ZIP archive cannot be read: /,
    ],
    [
      "a path out of it",
      files.zip([{ path: "../annotations.xml", bytes: "" }]),
      "The ZIP archive cannot be read: invalid relative path: ../annotations.xml",
    ],
    [
      "an absolute path",
      files.zip([{ path: "/annotations.xml", bytes: "" }]),
      "The ZIP archive cannot be read: absolute path: /annotations.xml",
    ],
    [
      "another checksum",
      files.zip([{ path: "annotations.xml", bytes: cvat, claims: { crc: 1 } }]),
      "annotations.xml in the ZIP archive is damaged: its checksum differs.",
    ],
    [
      "another method",
      files.zip([{ path: "annotations.xml", bytes: cvat, claims: { method: 12 } }]),
      'annotations.xml in the ZIP archive is compressed by another method than "deflate".',
    ],
    [
      "encryption",
      files.zip([{ path: "annotations.xml", bytes: cvat, claims: { flags: 0x801 } }]),
      "annotations.xml in the ZIP archive is encrypted.",
    ],
    ["nothing of CVAT", files.zip([{ path: "a.png", bytes: "" }]), "The ZIP archive holds no annotations.xml of CVAT."],
  ])("for %s", async (_, file, message) => {
    expect(await refuse(file, "CVAT")).toEqual(typeof message === "string" ? message : expect.stringMatching(message));
  });

  test("for an end too early, and for entries that share their bytes", async () => {
    const whole = files.zip([yaml, { path: "labels/a.txt", bytes: "0 0.5 0.5 0.1 0.1" }]);
    const bytes = readFileSync(whole.path);
    for (const format of importFormats)
      expect(await refuse(files.write(bytes.subarray(0, -30)), format)).toMatch(/^The ZIP archive cannot be read: /);
    await expect(guessFormat(files.write(bytes.subarray(0, -30)))).rejects.toThrow(BadAnnotationFile);
  });
});
