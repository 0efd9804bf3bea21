import { afterAll, describe, expect, test } from "vitest";
import { formatRuns } from "@/domain/masks/run-lengths";
import { guessFormat } from "@/server/features/imports/formats/readers";
import { AnnotationFiles } from "@/server/testing/annotation-files";

/** Files in the form in which the programs themselves write them, which is not always that of our exports. */

const files = new AnnotationFiles();
afterAll(() => files.remove());

const size = { width: 100, height: 50 };

describe("COCO", () => {
  const image = {
    license: 1,
    file_name: "000000397133.jpg",
    coco_url: "http://images/x.jpg",
    height: 4,
    width: 5,
    id: 397133,
  };
  const person = { supercategory: "person", id: 1, name: "person", keypoints: ["nose", "eye"], skeleton: [[1, 2]] };
  const read = async (annotation: object, more: object = {}) => {
    const entry = { image_id: 397133, category_id: 1, iscrowd: 0, area: 1, id: 1, ...annotation };
    const document = { info: {}, licenses: [], images: [image], annotations: [entry], categories: [person], ...more };
    const file = files.write(JSON.stringify(document));
    expect(await guessFormat(file)).toBe("COCO");
    const [picture] = await files.read(file, "COCO");
    return picture;
  };

  test("has a crowd as uncompressed run lengths, and masks as compressed ones", async () => {
    const mask = { type: "mask", coordinates: { size: [4, 5], box: [1, 1, 2, 2], counts: formatRuns([0, 3, 1]) } };
    const counts = [5, 2, 2, 1, 10];
    expect((await read({ segmentation: { size: [4, 5], counts }, iscrowd: 1 }))?.annotations).toEqual([
      { label: "person", ...mask, attributes: { iscrowd: true } },
    ]);
    expect((await read({ segmentation: { size: [4, 5], counts: formatRuns(counts) } }))?.annotations).toEqual([
      { label: "person", ...mask, attributes: {} },
    ]);
    const detailed = await read({ segmentation: { size: [4, 5], counts: "0".repeat(2 ** 21 + 1) } });
    expect(detailed?.leftOut).toEqual([{ reason: "A mask has more detail than one may have.", count: 1 }]);
    const empty = await read({ segmentation: { size: [4, 5], counts: [20] } });
    expect([empty?.annotations, empty?.leftOut]).toEqual([[], [{ reason: "A mask has no pixel.", count: 1 }]]);
  });

  test("has a box where none of its outlines is a shape", async () => {
    for (const segmentation of [[[]], [[], [0, 0, 1, 1]], []]) {
      const picture = await read({ segmentation, bbox: [1, 0, 2, 3] });
      expect(picture?.annotations).toEqual([
        { label: "person", type: "bbox", coordinates: { x: 1, y: 0, width: 2, height: 3 }, attributes: {} },
      ]);
      expect(picture?.leftOut).toEqual([]);
    }
    const without = await read({ segmentation: [[0, 0, 1, 1]] });
    expect(without?.leftOut).toEqual([{ reason: "A polygon has fewer than 3 points.", count: 1 }]);
  });

  test("has an object of several parts as several outlines, which stay one group", async () => {
    const ring = [0, 0, 1, 0, 1, 1];
    const picture = await read({
      segmentation: [ring, ring.map((each) => each + 2), [0, 0, 1, 1]],
      bbox: [0, 0, 3, 3],
    });
    const [one, other] = picture?.annotations ?? [];
    expect([one?.coordinates, other?.coordinates]).toEqual([
      {
        points: [
          [0, 0],
          [1, 0],
          [1, 1],
        ],
      },
      {
        points: [
          [2, 2],
          [3, 2],
          [3, 3],
        ],
      },
    ]);
    expect(one?.attributes["group"]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(other?.attributes).toEqual(one?.attributes);
    expect(picture?.leftOut).toEqual([{ reason: "A polygon has fewer than 3 points.", count: 1 }]);
  });

  test("has a person as an outline with points, and one of whom no point is seen as an outline", async () => {
    const segmentation = [[0, 0, 4, 0, 4, 3]];
    const seen = await read({ segmentation, keypoints: [1, 1, 2, 0, 0, 0], num_keypoints: 1, bbox: [0, 0, 4, 3] });
    expect(seen?.annotations.map(({ type, coordinates }) => [type, coordinates])).toEqual([
      [
        "keypoints",
        {
          points: [
            [1, 1],
            [0, 0],
          ],
          visibility: [2, 0],
        },
      ],
      [
        "polygon",
        {
          points: [
            [0, 0],
            [4, 0],
            [4, 3],
          ],
        },
      ],
    ]);
    const unseen = await read({ segmentation, keypoints: [0, 0, 0, 0, 0, 0], num_keypoints: 0, bbox: [0, 0, 4, 3] });
    expect(unseen?.annotations.map(({ type }) => type)).toEqual(["polygon"]);
  });

  test("has tracks and turned boxes as CVAT writes them", async () => {
    const picture = await read({
      bbox: [1, 1, 2, 1],
      segmentation: [],
      track_id: 7,
      attributes: { occluded: false, rotation: -30 },
    });
    expect(picture?.annotations).toEqual([
      {
        label: "person",
        type: "bbox",
        coordinates: { x: 1, y: 1, width: 2, height: 1, rotation: 330 },
        attributes: { occluded: false },
        trackId: "7",
      },
    ]);
  });

  test("comes in an archive with captions beside it", async () => {
    const document = {
      images: [image],
      annotations: [{ image_id: 397133, category_id: 1, bbox: [0, 0, 1, 1] }],
      categories: [person],
    };
    const file = files.zip([
      {
        path: "annotations/captions_val2017.json",
        bytes: JSON.stringify({ images: [image], annotations: [{ caption: "x" }] }),
      },
      { path: "annotations/instances_val2017.json", bytes: JSON.stringify(document) },
    ]);
    expect(await guessFormat(file)).toBe("COCO");
    expect(await files.read(file, "COCO")).toMatchObject([
      { name: "000000397133.jpg", annotations: [{ label: "person" }] },
    ]);
  });

  test("drops keys that would reach into prototypes, and takes drive letters and separators of Windows from names", async () => {
    const text = `{"images": [{"id": "a", "file_name": "C:\\\\data\\\\a.png", "width": null}], "categories": [{"id": 1, "name": "car"}],
      "annotations": [{"image_id": "a", "category_id": 1, "bbox": [0, 0, 1, 1], "attributes": {"__proto__": {"x": 1}, "constructor": 1, "a": 2}}]}`;
    const [picture] = await files.read(files.write(text), "COCO");
    expect(picture).toMatchObject({ name: "data/a.png", width: null, annotations: [{ attributes: { a: 2 } }] });
    expect(Object.keys(picture?.annotations[0]?.attributes ?? {})).toEqual(["a"]);
  });
});

describe("CVAT", () => {
  const label = (name: string, more: string) => `<label><name>${name}</name>${more}</label>`;
  const attribute = (name: string, type: string, values = "") =>
    `<attribute><name>${name}</name><mutable>False</mutable><input_type>${type}</input_type><default_value></default_value><values>${values}</values></attribute>`;
  const svg =
    '&lt;circle data-node-id="1" data-label-name="nose"&gt;&lt;/circle&gt;&lt;circle data-node-id="2" data-label-name="tail"&gt;&lt;/circle&gt;&lt;line data-node-from="2" data-node-to="1"&gt;&lt;/line&gt;';
  const labels = [
    label(
      "car",
      `<color>#c06060</color><type>any</type><attributes>${attribute("model", "select", "a\nb")}${attribute("parked", "checkbox", "false")}${attribute("seats", "number", "1\n5\n1")}</attributes>`,
    ),
    label("dog", `<type>skeleton</type><attributes></attributes><svg>${svg}</svg>`),
    label("nose", "<type>points</type><attributes></attributes><parent>dog</parent>"),
    label("tail", "<type>points</type><attributes></attributes><parent>dog</parent>"),
  ].join("");
  const shapes = `
    <box label="car" source="manual" occluded="1" xtl="1.50" ytl="2.00" xbr="11.50" ybr="12.00" rotation="30.00" z_order="3" group_id="2">
      <attribute name="model">b</attribute><attribute name="parked">true</attribute><attribute name="seats">4</attribute><attribute name="other">4</attribute>
    </box>
    <points label="car" occluded="0" points="1.00,2.00;3.00,4.00" z_order="0"></points>
    <skeleton label="dog" source="manual" z_order="0">
      <points label="tail" source="manual" outside="0" occluded="1" points="7.00,8.00"></points>
    </skeleton>
    <tag label="car" source="manual"></tag>`;
  const project = `<?xml version="1.0" encoding="utf-8"?>
<annotations><version>1.1</version><meta><project><id>1</id><name>p</name><labels>${labels}</labels></project></meta>
<image id="0" name="sub/a.png" subset="train" task_id="3" width="100" height="50">${shapes}
</image><image id="1" name="b.png" width="100" height="50"></image></annotations>`;

  test("of a project has labels of its head, and attributes of the kinds that they ask for", async () => {
    const file = files.write(project);
    expect(await guessFormat(file)).toBe("CVAT");
    const [picture, empty] = await files.read(file, "CVAT");
    expect(empty).toMatchObject({ name: "b.png", annotations: [], leftOut: [] });
    // From the bottom to the top, as CVAT draws them; the box of the file is on top.
    const [box, ...others] = picture?.annotations.toReversed() ?? [];
    expect(box).toEqual({
      label: "car",
      type: "bbox",
      coordinates: { x: 1.5, y: 2, width: 10, height: 10, rotation: 30 },
      attributes: {
        model: "b",
        parked: true,
        seats: 4,
        other: "4",
        occluded: true,
        group: expect.any(String),
      },
    });
    expect(others.toReversed()).toEqual([
      {
        label: "car",
        type: "keypoints",
        coordinates: {
          points: [
            [1, 2],
            [3, 4],
          ],
        },
        attributes: {},
      },
      {
        label: "dog",
        type: "keypoints",
        coordinates: {
          points: [
            [0, 0],
            [7, 8],
          ],
          visibility: [0, 1],
        },
        attributes: {},
      },
      { label: "car", type: "classification", coordinates: {}, attributes: {} },
    ]);
    expect(await files.readLabels(file, "CVAT")).toEqual([
      {
        name: "car",
        color: "#c06060",
        types: [],
        attributes: [
          { key: "model", per_frame: false, kind: "select", options: ["a", "b"] },
          { key: "parked", per_frame: false, kind: "boolean" },
          { key: "seats", per_frame: false, kind: "number" },
        ],
      },
      { name: "dog", types: ["keypoints"], attributes: [], points: ["nose", "tail"], edges: [[1, 0]] },
    ]);
  });
});

describe("YOLO", () => {
  const zip = (yaml: string, ...labels: [path: string, text: string][]) =>
    files.zip([
      ...labels.map(([path, bytes]) => ({ path, bytes })),
      { path: "set/data.yaml", bytes: yaml },
      { path: "__MACOSX/set/._data.yaml", bytes: "\u0000" },
    ]);

  test("of an archive with a folder around it, and of parts with folders of their own", async () => {
    const file = zip("names: {0: car, 3: bus}\r\n", [
      "set/train/labels/a.txt",
      "\uFEFF3 0.5 0.5 0.2 0.4\r\n\r\n0 0.5 0.5 0.2 0.4 0.75\r\n",
    ]);
    expect(await guessFormat(file)).toBe("YOLO");
    const coordinates = { x: 40, y: 15, width: 20, height: 20 };
    expect(await files.read(file, "YOLO", size)).toEqual([
      {
        name: "a",
        uid: null,
        uidEnd: null,
        width: null,
        height: null,
        annotations: [
          { label: "bus", type: "bbox", coordinates, attributes: {} },
          { label: "car", type: "bbox", coordinates, attributes: { confidence: 0.75 } },
        ],
        leftOut: [],
      },
    ]);
    expect(await files.read(file, "YOLO")).toMatchObject([
      {
        annotations: [],
        leftOut: [{ reason: "The size of the picture is not known, and the file says shares of it.", count: 2 }],
      },
    ]);
  });

  test("four points are an outline where other lines have more, or where they have no right angles", async () => {
    const [square, kite] = ["0.1 0.1 0.3 0.1 0.3 0.3 0.1 0.3", "0.1 0.1 0.3 0.2 0.5 0.9 0.1 0.3"];
    const types = async (...lines: string[]) => {
      const file = zip("names: [car]", ["labels/a.txt", lines.map((line) => `0 ${line}`).join("\n")]);
      const [picture] = await files.read(file, "YOLO", size);
      return picture?.annotations.map(({ type }) => type);
    };
    expect(await types(square, square)).toEqual(["bbox", "bbox"]);
    expect(await types(square, `${square} 0.05 0.2`)).toEqual(["polygon", "polygon"]);
    expect(await types(kite, square)).toEqual(["polygon", "polygon"]);
    // The corner of one box of many was moved to the edge of the picture.
    expect(await types(square, square, square, square, square, "0.1 0.1 0.3 0.1 0.3 0.3 0.12 0.3")).toEqual(
      Array.from({ length: 6 }, () => "bbox"),
    );
  });

  test("points without visibility, and classes by line as Label Studio writes them", async () => {
    const pose = zip("names: [car]\nkpt_shape: [2, 2]", ["labels/a.txt", "0 0.5 0.5 0.2 0.4 0.5 0.5 0 0"]);
    const [picture] = await files.read(pose, "YOLO", size);
    expect(picture?.annotations.map(({ coordinates }) => coordinates)).toEqual([
      {
        points: [
          [50, 25],
          [0, 0],
        ],
        visibility: [2, 0],
      },
      { x: 40, y: 15, width: 20, height: 20 },
    ]);
    const notes = JSON.stringify({
      categories: [
        { id: 0, name: "car" },
        { id: 1, name: "bus" },
      ],
      info: { year: 2026, version: "1.0", contributor: "Label Studio" },
    });
    const listed = files.zip([
      { path: "classes.txt", bytes: "car\nbus\n" },
      { path: "labels/a.txt", bytes: "1 0.5 0.5 0.2 0.4" },
      { path: "notes.json", bytes: notes },
    ]);
    expect(await guessFormat(listed)).toBe("YOLO");
    expect(await files.read(listed, "YOLO", size)).toMatchObject([{ annotations: [{ label: "bus" }] }]);
    expect(await files.readLabels(listed, "YOLO")).toEqual([{ name: "car" }, { name: "bus" }]);
  });
});

test("the format of what is none is not guessed", async () => {
  const none = [
    "hello",
    "{}",
    "[]",
    "[1]",
    '[{"image": 1}]',
    "<html></html>",
    "0 0.5 0.5 0.1 0.1",
    '{"a": NaN',
    "\u0000",
  ];
  for (const text of none) expect(await guessFormat(files.write(text))).toBeNull();
  expect(await guessFormat(files.zip([{ path: "a.png", bytes: "" }]))).toBeNull();
  expect(await guessFormat(files.write('{"scheme_version": "1.0"'))).toBe("avala-json-external");
  expect(await guessFormat(files.write('\uFEFF {"info": {"a": []}, "categories": ['))).toBe("COCO");
});
