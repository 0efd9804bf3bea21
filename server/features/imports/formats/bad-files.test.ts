import { afterAll, describe, expect, test } from "vitest";
import { importFormats, type ImportFormat } from "@/domain/annotation-imports/formats";
import type { AnnotationFile } from "@/server/features/imports/formats/annotation-file";
import { guessFormat, readPictures } from "@/server/features/imports/formats/readers";
import { AnnotationFiles } from "@/server/testing/annotation-files";

/** Files that are damaged, hostile or none of their format are refused in words, and leave nothing behind. */

const files = new AnnotationFiles();
afterAll(() => {
  expect(files.listLeftovers()).toEqual([]);
  files.remove();
});

const size = { width: 10, height: 10 };

/** Why a file is refused. */
const refuse = (file: AnnotationFile, format: ImportFormat): Promise<string> => files.refuse(file, format, size);

const image = { id: 1, width: 10, height: 10, file_name: "a.png" };
const categories = [{ id: 1, name: "car" }];
const box = { id: 1, image_id: 1, category_id: 1, bbox: [1, 2, 3, 4] };
const cocoText = (more: object = {}) =>
  JSON.stringify({ images: [image], categories, annotations: [box], ...more }, null, 1);
const coco = (more: object = {}) => files.write(cocoText(more));
const annotated = (more: object) => coco({ annotations: [box, { ...box, id: 2, ...more }] });

const cvatText = (shapes: string, head = "") =>
  `<?xml version="1.0" encoding="utf-8"?>\n${head}<annotations>\n<version>1.1</version>\n<image id="0" name="a.png" width="10" height="10">\n${shapes}\n</image>\n</annotations>`;
const cvatBox = '<box label="car" xtl="1" ytl="2" xbr="4" ybr="6"/>';

const region = {
  id: "r",
  type: "rectanglelabels",
  from_name: "box",
  original_width: 10,
  original_height: 10,
  value: { x: 10, y: 20, width: 30, height: 40, rectanglelabels: ["car"] },
};
const taskText = (...result: object[]) => JSON.stringify([{ data: { image: "/a.png" }, annotations: [{ result }] }]);
const task = (...result: object[]) => files.write(taskText(...result));

const uid = "0198c0de-0000-7000-8000-000000000001";
const own = (annotation: object, item = uid) =>
  files.write(
    JSON.stringify({
      datasets: [{ items: [{ uid, ref_id: "a.png" }] }],
      results: [{ dataset_item_uid: item, annotations: [annotation] }],
    }),
  );

describe("a document of COCO is refused", () => {
  test.each([
    [
      "NaN",
      cocoText().replace('"bbox": [\n    1', '"bbox": [\n    NaN'),
      "Line 22: NaN and Infinity are no numbers of JSON; write null, or leave the value out.",
    ],
    ["another fault", cocoText().replace('"car"', "'car'"), `Line 13: "'" is not expected here.`],
    [
      "a number without end",
      cocoText().replace('"bbox": [\n    1', '"bbox": [\n    1e999'),
      "annotations[0]: bbox[0] is no number.",
    ],
    ["an end too early", cocoText().slice(0, -20), "The document ends too early: it is cut off."],
    [
      "a broken structure",
      cocoText().replace('"images": [', '"images": [,'),
      "From line 1: the structure of the document is broken.",
    ],
    ["deep nesting", `{"x": ${"[".repeat(100)}`, "The document is nested too deeply."],
    ["nothing", " ", "The document ends too early: it is cut off."],
    ["no lists", '{"info": {}}', "The document lists no images of COCO."],
    [
      "letters that are not UTF-8",
      Buffer.from(cocoText().replace("car", "caf\u00e9"), "latin1"),
      "From line 1: the text is not UTF-8.",
    ],
  ])("for %s", async (_, content, message) => {
    expect(await refuse(files.write(content), "COCO")).toBe(message);
  });

  test.each([
    [
      "two images of one id",
      { images: [image, { ...image, file_name: "b.png" }] },
      "images: a.png and b.png have the same id 1.",
    ],
    [
      "two categories of one id",
      { categories: [...categories, ...categories] },
      "categories[1]: The id 1 is there twice.",
    ],
    [
      "a path out of the folder",
      { images: [{ ...image, file_name: "x/../../a.png" }] },
      'images[0]: The name of a picture, "x/../../a.png": Must not have ".." as a part: a path names a file within the upload.',
    ],
    [
      "a picture without a name",
      { images: [{ ...image, file_name: "" }] },
      "images[0]: file_name is missing or empty.",
    ],
    [
      "a picture without pixels",
      { images: [{ ...image, width: 0 }] },
      "images[0]: A picture of 0 by 10 pixels is none.",
    ],
    [
      "a picture of half pixels",
      { images: [{ ...image, width: 1.5 }] },
      "images[0]: The width is no whole number from 0 to 10000000.",
    ],
    ["an entry that is none", { annotations: [null] }, "annotations[0]: This is no annotation."],
  ])("for %s", async (_, more, message) => {
    expect(await refuse(coco(more), "COCO")).toBe(message);
  });

  test.each([
    ["an image that is not there", { image_id: 9 }, "annotations[1]: the file has no image 9."],
    ["a category that is not there", { category_id: 9 }, "annotations[1]: The file has no category 9."],
    ["a negative size", { bbox: [0, 0, -1, 1] }, "annotations[1]: bbox[2] is negative."],
    [
      "a large number",
      { bbox: [1e300, 0, 1, 1] },
      "annotations[1]: bbox[0] is not between -10,000,000 and 10,000,000.",
    ],
    ["text for a number", { bbox: ["x", 0, 1, 1] }, "annotations[1]: bbox[0] is no number."],
    ["a box of three numbers", { bbox: [0, 1, 1] }, "annotations[1]: bbox is no list of four numbers."],
    [
      "odd coordinates",
      { segmentation: [[1, 2, 3, 4, 5, 6, 7]] },
      "annotations[1]: The coordinates of points are not in pairs.",
    ],
    ["a visibility of 3", { keypoints: [1, 1, 3] }, "annotations[1]: The visibility of a point is not 0, 1 or 2."],
    [
      "run lengths of another picture",
      { segmentation: { size: [20, 20], counts: [0, 400] } },
      "annotations[1]: The run lengths are of 20 by 20 pixels, and the picture has 10 by 10.",
    ],
    [
      "run lengths that are larger",
      { segmentation: { size: [10, 10], counts: [0, 101] } },
      "annotations[1]: A mask has 101 pixels, and the picture of 10 by 10 has 100.",
    ],
    [
      "a negative run",
      { segmentation: { size: [10, 10], counts: [-1, 101] } },
      "annotations[1]: segmentation.counts[0] is no whole number from 0 to 10000000000.",
    ],
    [
      "other letters than those of runs",
      { segmentation: { size: [10, 10], counts: "!!" } },
      "annotations[1]: segmentation.counts holds no run lengths.",
    ],
  ])("for %s", async (_, more, message) => {
    expect(await refuse(annotated(more), "COCO")).toBe(message);
  });

  test("for more categories than a project has labels, and more annotations of a picture than a result has", async () => {
    const many = Array.from({ length: 501 }, (_, id) => ({ id, name: String(id) }));
    expect(await refuse(coco({ categories: many }), "COCO")).toBe(
      "categories[500]: The file has more than 500 categories.",
    );
    await expect(files.readLabels(coco({ categories: many }), "COCO")).rejects.toThrow("more than 500 categories");
    const annotations = Array.from({ length: 10_001 }, () => box);
    expect(await refuse(coco({ annotations }), "COCO")).toBe(
      "annotations[10000]: image 1 has more than 10000 annotations.",
    );
  });

  test("not for a byte order mark, ends of lines of Windows and what it does not know", async () => {
    const text = `\uFEFF${cocoText({ videos: [{ a: [1, { b: null }] }] }).replaceAll("\n", "\r\n")}`;
    expect(await files.read(files.write(text), "COCO")).toMatchObject([
      { name: "a.png", annotations: [{ label: "car" }] },
    ]);
  });
});

describe("a document of CVAT is refused", () => {
  test.each([
    [
      "entities",
      cvatText(cvatBox, '<!DOCTYPE a [<!ENTITY b "c">]>\n'),
      "Line 2: declarations of types and entities are not allowed.",
    ],
    [
      "an entity that is not declared",
      cvatText(cvatBox.replace("car", "&car;")),
      "Line 5: this is no XML: undefined entity.",
    ],
    ["an end too early", cvatText(cvatBox).slice(0, -20), "The document ends too early: it is cut off."],
    ["crossed elements", cvatText("<box></image>"), "Line 5: this is no XML: unexpected close tag."],
    ["deep nesting", "<annotations>".repeat(100), "Line 1: elements are nested too deeply."],
    [
      "tracks",
      "<annotations><track id='0' label='car'/></annotations>",
      'Line 1: This is "CVAT for video"; a video is annotated by tracks. Export "CVAT for images 1.1".',
    ],
    [
      "letters that are not UTF-8",
      Buffer.from(cvatText(cvatBox.replace("car", "caf\u00e9")), "latin1"),
      "The document is not in UTF-8.",
    ],
    [
      "a picture without a size",
      "<annotations><image name='a.png'/></annotations>",
      "Line 1: a.png has no width and height.",
    ],
    [
      "a path out of the folder",
      "<annotations><image name='../a.png'/></annotations>",
      'Line 1: The name of a picture, "../a.png": Must not have ".." as a part: a path names a file within the upload.',
    ],
    ["NaN", cvatText(cvatBox.replace('"1"', '"NaN"')), "Line 5, box of a.png: xtl is no number."],
    ["a negative size", cvatText(cvatBox.replace('"4"', '"0"')), "Line 5, box of a.png: A box has a negative size."],
    [
      "a mask that is larger than the picture",
      cvatText('<mask label="car" rle="0, 6" left="8" top="0" width="3" height="2"/>'),
      "Line 5, mask of a.png: A mask of 3 by 2 pixels at 8, 0 is larger than the picture of 10 by 10.",
    ],
    [
      "a mask that its runs do not fill",
      cvatText('<mask label="car" rle="0, 5" left="0" top="0" width="3" height="2"/>'),
      "Line 5, mask of a.png: The runs of a mask have 5 pixels, and its box has 6.",
    ],
    [
      "points without a comma",
      cvatText('<polygon label="car" points="1;2;3"/>'),
      "Line 5, polygon of a.png: y of point 1 is no number.",
    ],
  ])("for %s", async (_, content, message) => {
    expect(await refuse(files.write(content), "CVAT")).toBe(message);
  });

  test("not for a byte order mark and ends of lines of Windows; what has no counterpart is counted", async () => {
    const shapes = `${cvatBox}\n<ellipse label="car" cx="1"/><cuboid label="car"/><cuboid label="car"/><polygon label="car" points="1,1;2,2"/>`;
    const [picture] = await files.read(files.write(`\uFEFF${cvatText(shapes).replaceAll("\n", "\r\n")}`), "CVAT");
    expect(picture?.annotations).toHaveLength(1);
    expect(picture?.leftOut).toEqual([
      { reason: "There is no counterpart of ellipse.", count: 1 },
      { reason: "There is no counterpart of cuboid.", count: 2 },
      { reason: "A polygon has fewer than 3 points.", count: 1 },
    ]);
  });

  test("for more labels than a project has", async () => {
    const labels = Array.from({ length: 501 }, (_, at) => `<label><name>${at}</name></label>`).join("");
    const text = `<annotations><meta><task><labels>${labels}</labels></task></meta></annotations>`;
    expect(await refuse(files.write(text), "CVAT")).toBe("Line 1: There are more than 500 labels.");
  });
});

describe("tasks of Label Studio are refused", () => {
  test.each([
    ["an object", "{}", "it was read"],
    ["members of an object", '{"a": {}}', "The document is no list of tasks of Label Studio."],
    [
      "the format JSON-MIN",
      '[{"image": "/a.png", "label": []}]',
      "[0]: There is no data: this is no export of tasks, such as the format JSON.",
    ],
    ["no picture", '[{"data": {"text": "x"}}]', "[0]: data names no picture."],
    [
      "a path out of the folder",
      '[{"data": {"image": "/data/local-files/?d=..%2Fa.png"}}]',
      '[0]: The name of a picture, "../a.png": Must not have ".." as a part: a path names a file within the upload.',
    ],
    ["an end too early", taskText(region).slice(0, -5), "The document ends too early: it is cut off."],
    [
      "Infinity",
      taskText(region).replace('"x":10', '"x":Infinity'),
      "Line 1: NaN and Infinity are no numbers of JSON; write null, or leave the value out.",
    ],
    [
      "-Infinity",
      taskText(region).replace('"x":10', '"x":-Infinity'),
      "Line 1: NaN and Infinity are no numbers of JSON; write null, or leave the value out.",
    ],
  ])("for %s", async (_, content, message) => {
    expect(await refuse(files.write(content), "LabelStudio")).toBe(message);
  });

  test.each([
    [
      "a value without numbers",
      { ...region, value: { rectanglelabels: ["car"] } },
      "[0].annotations[0].result[0]: x is no number.",
    ],
    ["a result without a value", { ...region, value: null }, "[0].annotations[0].result[0]: value is missing."],
    [
      "a brush of another picture",
      { ...region, type: "brushlabels", value: { format: "rle", rle: [1, 2, 3], brushlabels: ["car"] } },
      "[0].annotations[0].result[0]: rle holds no picture of 10 by 10 pixels.",
    ],
    [
      "a brush of a picture that is none",
      { ...region, original_width: 1e6 },
      "[0].annotations[0].result[0]: A picture of 1000000 by 10 pixels is none.",
    ],
  ])("for %s", async (_, result, message) => {
    expect(await refuse(task(result), "LabelStudio")).toBe(message);
  });
});

test("results of our own document are refused as in a request, with their place", async () => {
  const good = { label: "car", type: "bbox", coordinates: { x: 0, y: 0, width: 1, height: 1 } };
  expect(await refuse(own({ ...good, coordinates: { x: 0 } }), "avala-json-external")).toMatch(
    /^results\[0\]\.annotations\[0\]: /,
  );
  expect(await refuse(own(good, uid.replace("1", "2")), "avala-json-external")).toMatch(
    /^results\[0\]: the file has no item /,
  );
  expect(await refuse(own(good), "avala-json-external")).toBe("it was read");
});

test("an empty file is refused by every reader and when its format is guessed", async () => {
  const empty = files.write("");
  const archives = new Map([["YOLO", "Labels of YOLO are read from a ZIP archive; this is none."]]);
  for (const format of importFormats)
    expect(await refuse(empty, format)).toBe(archives.get(format) ?? "The file is empty.");
  await expect(guessFormat(empty)).rejects.toThrow("The file is empty.");
});

test("a file that is cut off anywhere is refused or read, and never fails otherwise", async () => {
  const all: [ImportFormat, string][] = [
    ["COCO", cocoText()],
    ["CVAT", cvatText(cvatBox)],
    ["LabelStudio", taskText(region)],
  ];
  for (const [format, text] of all)
    for (let end = 1; end < text.length; end += 19)
      expect(await refuse(files.write(text.slice(0, end)), format)).not.toBe("it was read");
});

test("reading that is given up early leaves nothing behind", async () => {
  const file = coco({ images: [image, { ...image, id: 2 }] });
  for await (const picture of readPictures(file, "COCO", files.options(size))) {
    expect(picture.name).toBe("a.png");
    break;
  }
  expect(files.listLeftovers()).toEqual([]);
});
