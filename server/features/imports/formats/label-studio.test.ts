import { afterAll, describe, expect, test } from "vitest";
import { encodeBrush } from "@/domain/masks/brush-runs";
import { formatRuns } from "@/domain/masks/run-lengths";
import { guessFormat } from "@/server/features/imports/formats/readers";
import { AnnotationFiles } from "@/server/testing/annotation-files";

const files = new AnnotationFiles();
afterAll(() => files.remove());

const size = { width: 100, height: 50 };

describe("tasks as Label Studio exports them", () => {
  const frame = { original_width: 100, original_height: 50, image_rotation: 0, to_name: "image" };
  const region = (id: string, type: string, value: object, more: object = {}) => ({
    id,
    type,
    from_name: type,
    value,
    ...frame,
    ...more,
  });
  const task = (result: object[], more: object = {}) => ({
    id: 1,
    data: { image: "/data/upload/2/0a1b2c3d-yard%20view.jpg" },
    annotations: [{ id: 5, was_cancelled: false, ground_truth: false, result }],
    predictions: [],
    ...more,
  });
  const read = async (...tasks: object[]) => {
    const file = files.write(JSON.stringify(tasks));
    expect(await guessFormat(file)).toBe("LabelStudio");
    return files.read(file, "LabelStudio", size);
  };

  test("joins the label, the shape and the answers of a region, and takes answers about the picture as tags", async () => {
    const place = { x: 10, y: 10, width: 20, height: 20, rotation: 0 };
    const [picture] = await read(
      task([
        region("r", "rectangle", place),
        region("r", "labels", { ...place, labels: ["car"] }),
        region("r", "choices", { choices: ["red"] }, { from_name: "colour" }),
        { id: "q", type: "choices", from_name: "weather", value: { choices: ["rain", "fog"] } },
        region("e", "ellipselabels", {}),
        { type: "relation", from_id: "r", to_id: "q" },
        region("n", "polygon", {
          points: [
            [0, 0],
            [1, 1],
            [1, 0],
          ],
        }),
        region("t", "rectanglelabels", { ...place, rectanglelabels: ["car"] }, { image_rotation: 90 }),
      ]),
    );
    expect(picture).toEqual({
      name: "data/upload/2/yard view.jpg",
      uid: null,
      uidEnd: null,
      ...size,
      annotations: [
        {
          label: "car",
          type: "bbox",
          coordinates: { x: 10, y: 5, width: 20, height: 10 },
          attributes: { colour: "red" },
        },
        { label: "weather", type: "classification", coordinates: {}, attributes: { weather: ["rain", "fog"] } },
      ],
      leftOut: [
        { reason: "There is no counterpart of ellipselabels.", count: 1 },
        { reason: "There is no counterpart of relation.", count: 1 },
        { reason: "A region has no label.", count: 1 },
        { reason: "The picture was turned in Label Studio.", count: 1 },
      ],
    });
  });

  test("turns boxes about their top left corner, and reads what the brush painted", async () => {
    const rle = encodeBrush([101, 3, 5000 - 104]);
    const [picture] = await read(
      task([
        region("a", "rectanglelabels", { x: 50, y: 50, width: 10, height: 10, rotation: 90, rectanglelabels: ["car"] }),
        region("b", "brushlabels", { format: "rle", rle, brushlabels: ["car"] }),
      ]),
    );
    const [box, mask] = picture?.annotations ?? [];
    expect(box?.coordinates).toEqual({
      x: expect.closeTo(42.5, 9),
      y: expect.closeTo(27.5, 9),
      width: 10,
      height: 5,
      rotation: 90,
    });
    expect(mask?.coordinates).toEqual({ size: [50, 100], box: [1, 1, 3, 1], counts: formatRuns([0, 3]) });
  });

  test("takes of several annotations the true one, else the last that was not cancelled, and no predictions", async () => {
    const tag = (choice: string) => [{ type: "choices", from_name: "q", value: { choices: [choice] } }];
    const entry = (choice: string, more: object = {}) => ({ result: tag(choice), ...more });
    const annotations = [
      entry("a"),
      entry("b", { ground_truth: true }),
      entry("c"),
      entry("d", { was_cancelled: true }),
    ];
    const [one, other, ...none] = await read(
      task([], { annotations, predictions: [{ result: tag("z") }] }),
      task([], {
        annotations: annotations.filter((each) => !("ground_truth" in each)),
        data: { photo: "s3://bucket/drive/b.png?v=1" },
      }),
      task([], { annotations: [entry("d", { was_cancelled: true })] }),
      task([], { annotations: [] }),
    );
    expect(one).toMatchObject({
      annotations: [{ attributes: { q: "b" } }],
      leftOut: [
        { reason: "A prediction of a model is no annotation.", count: 1 },
        { reason: "The task has another annotation; one is taken.", count: 2 },
      ],
    });
    expect(other).toMatchObject({ name: "drive/b.png", annotations: [{ attributes: { q: "c" } }] });
    expect(none).toEqual([]);
  });
});
