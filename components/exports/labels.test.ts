import { expect, test } from "vitest";
import { exportLosses } from "@/domain/exports/schema";
import { keyCommand, linkCommand } from "./commands";
import { describeLoss, describePlace, describeSources, getLook, getShare, getTimeLeft } from "./labels";
import { repeatHref, type Export } from "./query";

const base: Export = {
  uid: "0198c0de-0000-7000-8000-000000000001",
  name: "Yard's crossings, night (2)",
  format: "YOLO",
  status: "exporting",
  total_task_count: 10_000,
  exported_task_count: 4_100,
  download_url: null,
  datasets: ["a", "b"],
  slices: [],
  projects: ["c"],
  organization: null,
  created_at: "2026-11-22T10:00:00.000Z",
  filter_query_string: 'label = "traffic light"',
  demo: false,
  created_by_uid: null,
  size_bytes: 0,
  error_message: null,
  completed_at: null,
  expires_at: null,
  storage_config_uid: null,
  results: "accepted",
  split: null,
  background: false,
  sha256: null,
  contents: null,
  started_at: null,
  sources: [],
  created_by: null,
  bucket: null,
  waiting_before: null,
  items_per_second: 410,
};

test("every loss is said in words, for one and for many", () => {
  const texts = exportLosses.flatMap((what) => [
    describeLoss({ what, count: 1 }),
    describeLoss({ what, count: 1_200 }),
  ]);
  expect(texts).toEqual([
    "1 polygon becomes a box",
    "1,200 polygons become boxes",
    "1 mask becomes a box",
    "1,200 masks become boxes",
    "1 mask becomes its outline",
    "1,200 masks become their outlines",
    "1 polygon with holes becomes a mask",
    "1,200 polygons with holes become masks",
    "1 turned box becomes a polygon",
    "1,200 turned boxes become polygons",
    "1 turned box becomes the box around it",
    "1,200 turned boxes become the boxes around them",
    "1 turned box sticks out of the picture: its corners are moved to the border",
    "1,200 turned boxes stick out of the picture: their corners are moved to the border",
    "1 skeleton does not say which of its points are hidden or absent",
    "1,200 skeletons do not say which of their points are hidden or absent",
    "1 skeleton becomes single points",
    "1,200 skeletons become single points",
    "1 box left out",
    "1,200 boxes left out",
    "1 polygon left out",
    "1,200 polygons left out",
    "1 mask left out",
    "1,200 masks left out",
    "1 polyline left out",
    "1,200 polylines left out",
    "1 set of keypoints left out",
    "1,200 sets of keypoints left out",
    "1 cuboid left out",
    "1,200 cuboids left out",
    "1 classification left out",
    "1,200 classifications left out",
    "1 shape outside of the picture left out",
    "1,200 shapes outside of the picture left out",
    "1 shape partly under later ones: each pixel is of the last",
    "1,200 shapes partly under later ones: each pixel is of the last",
    "1 shape wholly under later ones left out",
    "1,200 shapes wholly under later ones left out",
    "1 shape without its attributes",
    "1,200 shapes without their attributes",
    "1 item that is no picture left out",
    "1,200 items that are no pictures left out",
    "1 picture that nobody labelled left out",
    "1,200 pictures that nobody labelled left out",
    "1 picture without an accepted result left out",
    "1,200 pictures without an accepted result left out",
    "1 labelled picture without a shape that the format holds left out",
    "1,200 labelled pictures without a shape that the format holds left out",
    "1 picture that nobody labelled is background",
    "1,200 pictures that nobody labelled are background",
    "1 labelled picture without a shape that the format holds is background",
    "1,200 labelled pictures without a shape that the format holds are background",
    "1 picture labelled in several projects, in the file once for each",
    "1,200 pictures labelled in several projects, in the file once for each",
  ]);
});

test("sources are named, deleted ones by their kind, and beyond two counted", () => {
  const source = (name: string | null) => ({ kind: "slice" as const, uid: String(name), name });
  expect(describeSources([])).toBe("–");
  expect(describeSources([source("Yard")])).toBe("Yard");
  expect(describeSources([source("Yard"), source(null)])).toBe("Yard and a deleted slice");
  expect(describeSources([source("A"), source("B"), source("C")])).toBe("A, B and 1 more");
});

test("a waiting export says its place", () => {
  expect([null, 0, 2].map(describePlace)).toEqual(["", "next in line", "2 before this"]);
});

test("share and time left are unknown until items are written, and never beyond the end", () => {
  expect([getShare(base), getTimeLeft(base)]).toEqual([0.41, (5_900 / 410) * 1_000]);
  expect(getShare({ ...base, total_task_count: null })).toBeNull();
  expect(getShare({ ...base, total_task_count: 0, exported_task_count: 0 })).toBe(1);
  expect(getShare({ ...base, exported_task_count: 10_001 })).toBe(1);
  expect(getTimeLeft({ ...base, items_per_second: null })).toBeNull();
});

test("an export without its file any more is expired and not ready", () => {
  expect(getLook({ status: "exported", download_url: null }).label).toBe("Expired");
  expect(getLook({ status: "exported", download_url: "/files/x" }).label).toBe("Ready");
});

test("commands name a file that needs no quoting, and check its hash", () => {
  const done: Export = {
    ...base,
    status: "exported",
    download_url: "/files/x?signature=1&by=2",
    sha256: "ab".repeat(32),
  };
  expect(linkCommand(base, "https://muster.example")).toBeNull();
  expect(linkCommand(done, "https://muster.example")).toBe(
    `curl --fail --output yard-s-crossings-night-2.zip 'https://muster.example/files/x?signature=1&by=2'\n` +
      `echo "${"ab".repeat(32)}  yard-s-crossings-night-2.zip" | sha256sum --check`,
  );
  expect(keyCommand({ ...done, name: "夜" }, "https://muster.example")).toContain("--output export.zip");
});

test("the address to repeat an export with changes holds all of it", () => {
  const { searchParams } = new URL(repeatHref(base), "https://muster.example");
  expect(Object.fromEntries(searchParams)).toEqual({
    datasets: "a,b",
    projects: "c",
    filter_query_string: 'label = "traffic light"',
    results: "accepted",
    format: "YOLO",
    name: base.name,
  });
  const training = { ...base, split: { train: 0.567, val: 0.333, test: 0.1 }, background: true };
  const repeated = new URL(repeatHref(training), "https://muster.example").searchParams;
  expect(["val", "test", "background"].map((name) => repeated.get(name))).toEqual(["33.3", "10", "true"]);
});
