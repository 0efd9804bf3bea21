import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LabelInput } from "@/domain/projects/label-schema";
import { ProjectLabels } from "@/domain/projects/schema";
import { readCvatLabels } from "./cvat-labels";
import { fitLabels, type FoundLabel, type ReadLabels } from "./found-labels";
import { readLabelStudioLabels, type Markup } from "./label-studio-labels";
import { readYoloLabels } from "./yolo-labels";

/** The labels of other programs, parsed, as those of a project. */

const flat = ["bbox", "polygon", "polyline", "keypoints", "mask", "classification"] as const;
const fit = (found: ReadLabels, present: readonly LabelInput[] = []) => {
  if ("fault" in found) throw new Error(found.fault);
  return fitLabels(found, { present, shapes: flat });
};
const label = (name: string, more: Partial<LabelInput> = {}) => ({ ...LabelInput.parse({ name }), ...more });
const named = (...names: string[]) => ({ labels: names.map((name) => ({ name })), leftOut: [] });
const element = (name: string, attributes: Record<string, string> = {}, ...children: Markup[]): Markup => ({
  name,
  attributes: new Map(Object.entries(attributes)),
  children,
});

describe("data.yaml of YOLO", () => {
  test("names its classes as a list or by number, in their order", () => {
    expect(fit(readYoloLabels({ nc: 2, names: ["car", "person"] })).labels.map(({ name }) => name)).toEqual([
      "car",
      "person",
    ]);
    const found = fit(readYoloLabels({ names: { 10: "ten", 2: "two", x: "no", 3: null, 4: 5 } }));
    expect(found.labels.map(({ name }) => name)).toEqual(["two", "5", "ten"]);
    expect(found.leftOut).toEqual([
      "x is left out: it is no number of a class.",
      "Class 3 is left out: it has no name.",
      "The numbers of classes are given anew, in their order.",
    ]);
  });

  test("gives classes of a pose file their points, by name where it has names", () => {
    const { labels } = fit(
      readYoloLabels({ names: ["dog", "cat"], kpt_shape: [2, 3], kpt_names: { 0: ["nose", "tail"] } }),
    );
    expect(labels).toMatchObject([
      { name: "dog", types: ["keypoints"], points: ["nose", "tail"] },
      { name: "cat", types: ["keypoints"], points: ["1", "2"] },
    ]);
  });

  test("without names is refused", () => {
    for (const file of [
      null,
      undefined,
      3,
      "text",
      [],
      {},
      { names: 3 },
      { names: null },
      Object.create({ names: ["a"] }),
    ])
      expect(readYoloLabels(file)).toMatchObject({ fault: expect.stringContaining("names") });
  });
});

describe("labels of CVAT", () => {
  test("keep their colour, shape and attributes; what cannot be kept is named", () => {
    const { labels, leftOut } = fit(
      readCvatLabels([
        {
          ...{ name: "car", id: 1, color: "#FA3253", type: "rectangle" },
          attributes: [
            {
              name: "make",
              input_type: "select",
              mutable: false,
              values: ["__undefined__", "vw", "kia"],
              default_value: "vw",
            },
            { name: "parked", input_type: "checkbox", mutable: true, values: ["false"], default_value: "true" },
            { name: "wheels", input_type: "number", mutable: false, values: ["2", "5", "1"], default_value: "4" },
            { name: "plate", input_type: "text", mutable: false, values: [""], default_value: "" },
            { name: "occluded", input_type: "checkbox", mutable: false, values: ["false"] },
            { input_type: "text" },
          ],
        },
        { name: "smoke", type: "mask", attributes: [] },
        { name: "odd", type: "toString", attributes: null },
        { name: "crate", type: "cuboid" },
        "no label",
        { name: "wheel", type: "ellipse" },
      ]),
    );
    expect(labels).toMatchObject([
      {
        ...{ name: "car", color: "#FA3253", types: ["bbox"] },
        attributes: [
          { key: "make", kind: "select", options: ["vw", "kia"], default: "vw", per_frame: false },
          { key: "parked", kind: "boolean", default: true, per_frame: true },
          { key: "wheels", kind: "number", default: 4 },
          { key: "plate", kind: "text" },
        ],
      },
      { name: "smoke", types: ["mask"] },
      { name: "odd", types: [] },
      { name: "crate", types: [] },
      { name: "wheel", types: ["polygon"] },
    ]);
    expect(leftOut).toEqual([
      "An attribute of car is left out: it has no name.",
      "The range of wheels of car is left out.",
      "odd may have any shape: there is no toString here.",
      "Entry 5 is left out: it is no label.",
      "wheel is drawn as polygons: there is no ellipse here.",
      expect.stringMatching(/^The attribute occluded of car is left out: key: /),
      "The shapes of crate cannot be drawn in this kind of task; it may have any other.",
    ]);
  });

  test("that are skeletons keep their points and edges", () => {
    const node = (id: number, name: string) => `<circle r="1" data-node-id="${id}" data-label-name="${name}"></circle>`;
    const line = (from: string, to: string) => `<line data-node-from="${from}" data-node-to="${to}"></line>`;
    const svg = node(7, "tail") + node(3, "nose") + line("7", "3") + line("3", "99") + "<line <line";
    const { labels } = fit(
      readCvatLabels({
        labels: [{ name: "dog", type: "skeleton", sublabels: [{ name: "nose" }, { name: "tail" }], svg }],
      }),
    );
    expect(labels).toMatchObject([{ types: ["keypoints"], points: ["nose", "tail"], edges: [[1, 0]] }]);
  });

  test("that are no list are refused", () => {
    for (const file of [null, 3, {}, { labels: {} }]) expect(readCvatLabels(file)).toHaveProperty("fault");
  });
});

describe("a configuration of Label Studio", () => {
  test("names labels by shape, with colours, keys and questions", () => {
    const value = (name: string, more: Record<string, string> = {}) => element("Label", { value: name, ...more });
    const choice = (name: string) => element("Choice", { value: name });
    const root = element(
      "View",
      {},
      element("Header", { value: "Draw" }),
      element(
        "RectangleLabels",
        { name: "boxes" },
        value("car", { background: "green", hotkey: "1" }),
        value("bus", { background: "#FA3" }),
      ),
      element("PolygonLabels", { name: "areas" }, element("View", {}, value("car"), value("road", { hotkey: "w" }))),
      element("BrushLabels", { name: "brush" }, value("sky"), value(" ")),
      element("EllipseLabels", { name: "round" }, value("wheel")),
      element("Choices", { name: "weather", required: "true" }, choice("sun"), choice("rain")),
      element(
        "Choices",
        { name: "wheels", perRegion: "true", choice: "multiple", whenLabelValue: "car, bus" },
        choice("2"),
      ),
      element("TextArea", { name: "plate", perRegion: "true", whenLabelValue: "boat" }),
      element("Taxonomy", { name: "topic" }),
    );
    const { labels, leftOut } = fit(readLabelStudioLabels(root));
    const wheels = { key: "wheels", kind: "multi", options: ["2"] };
    expect(labels).toMatchObject([
      { name: "car", color: "#008000", key: "1", types: ["bbox", "polygon"], attributes: [wheels] },
      { name: "bus", color: "#ffaa33", types: ["bbox"], attributes: [wheels] },
      { name: "road", types: ["polygon"], attributes: [] },
      { name: "sky", types: ["mask"] },
      { name: "wheel", types: ["polygon"] },
      {
        name: "weather",
        types: ["classification"],
        attributes: [{ key: "weather", options: ["sun", "rain"], required: true }],
      },
    ]);
    expect(labels[2]?.key).toBeUndefined();
    expect(leftOut).toEqual([
      "wheel is drawn as polygons: there are no EllipseLabels here.",
      "The question plate is left out: no label has it.",
      "Taxonomy topic is left out.",
    ]);
  });

  test("without labels is refused, also one that is nested deeply", () => {
    let root = element("View");
    for (let depth = 0; depth < 50_000; depth++) root = element("View", {}, root);
    expect(readLabelStudioLabels(root)).toHaveProperty("fault");
  });
});

describe("labels that are found", () => {
  test("are added once each, and not if they are there", () => {
    const { labels, leftOut } = fit(
      named("car", " bus ", "bus", "", "person", "x".repeat(101), "__proto__", "toString"),
      [label("car")],
    );
    expect(labels.map(({ name }) => name)).toEqual(["bus", "person", "__proto__", "toString"]);
    expect(leftOut).toEqual([
      "car is there already.",
      "bus is there twice: only the first is taken.",
      "A label without a name is left out.",
      expect.stringMatching(/^x{60}… is left out: name: /),
    ]);
  });

  test("have colours that few others have, and keys that nobody has", () => {
    const { labels, leftOut } = fit(
      {
        labels: [
          { name: "a", key: "1" },
          { name: "b", key: "2" },
        ],
        leftOut: [],
      },
      [label("c", { key: "1" })],
    );
    expect(new Set([...labels, label("c")].map(({ color }) => color)).size).toBe(3);
    expect(labels.map(({ key }) => key)).toEqual([undefined, "2"]);
    expect(leftOut).toEqual(["a gets no key: another label has 1."]);
  });

  test("beyond those that a project may have are counted", () => {
    const { labels, leftOut } = fit(named(...Array.from({ length: 501 }, (_, at) => `label ${at}`)), [label("first")]);
    expect(labels).toHaveLength(499);
    expect(leftOut).toEqual(["2 more are left out: a project has at most 500 labels."]);
  });

  test("are labels that a project takes, whatever a file holds", () => {
    const anything = fc.oneof(
      fc.anything({ maxDepth: 4 }),
      fc.record({ names: fc.anything(), kpt_shape: fc.anything() }, { requiredKeys: [] }),
      fc.array(
        fc.record(
          {
            name: fc.string(),
            color: fc.anything(),
            type: fc.constantFrom("rectangle", "skeleton", "mask", "__proto__"),
            attributes: fc.anything(),
            sublabels: fc.array(fc.record({ name: fc.string() })),
            svg: fc.string(),
          },
          { requiredKeys: ["name"] },
        ),
      ),
    );
    const accepts = (found: ReadLabels) => {
      if (!("fault" in found)) expect(ProjectLabels.safeParse(fit(found, [label("a")]).labels).success).toBe(true);
    };
    fc.assert(
      fc.property(anything, (file) => {
        accepts(readYoloLabels(file));
        accepts(readCvatLabels(file));
      }),
    );
    const toTree = (depth: number): fc.Arbitrary<Markup> =>
      fc
        .record({
          name: fc.constantFrom(
            ...["View", "Labels", "RectangleLabels", "BrushLabels", "Choices", "Label", "Choice", "Ranker"],
          ),
          attributes: fc.dictionary(fc.constantFrom("name", "value", "hotkey", "background", "perRegion"), fc.string()),
          children: depth === 0 ? fc.constant([]) : fc.array(toTree(depth - 1), { maxLength: 4 }),
        })
        .map(({ name, attributes, children }) => element(name, attributes, ...children));
    fc.assert(fc.property(toTree(3), (root) => accepts(readLabelStudioLabels(root))));
  });

  test("that no shape of the task fits may have any", () => {
    const found: { labels: FoundLabel[]; leftOut: string[] } = {
      labels: [{ name: "crate", types: ["cuboid"] }],
      leftOut: [],
    };
    expect(fitLabels(found, { present: [], shapes: ["cuboid"] })).toMatchObject({
      labels: [{ types: ["cuboid"] }],
      leftOut: [],
    });
  });
});
