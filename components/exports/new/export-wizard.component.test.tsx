import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs } from "@/components/testing/network";
import { exportFormats, hasParts } from "@/domain/exports/formats";
import { ExportWizard } from "./export-wizard";
import type { Preview } from "./use-export-preview";

const uid = "0198c0de-0000-7000-8000-000000000001";
const refusal =
  "All skeletons of a file have the same number of points, and here they differ: robot 2, car 1. Choose one project, or another format.";

/** What the server says of 40 pictures of which a tenth is only labelled by masks. */
function prepare(planned: Preview["formats"][number]["format"]): void {
  const source = { kind: "dataset" as const, uid, name: "Yard", count: 40, dataset: null, datasets: [uid] };
  answer("exports.buckets", []);
  answer("exports.sources", [source]);
  answer("exports.chosenSources", [source]);
  answer("items.count", { timed_out: false, count: 40, total: 40, samples: [], conditions: [] });
  answer("exports.preview", {
    count: 40,
    without_accepted: 0,
    examined: 40,
    labels: [{ label: "robot", shapes: 44 }],
    formats: exportFormats.map((format) => ({
      format,
      items: 40,
      losses: format === "YOLO" ? [{ what: "mask_to_box", count: 4 }] : [],
      refusal: format === "YOLO-pose" ? refusal : null,
      split: format === planned && hasParts(format) ? { by: "group", train: 30, val: 10, test: 0 } : null,
      first: [{ name: `${format}.txt`, text: `first of ${format}` }],
    })),
  });
}

const open = (format: Preview["formats"][number]["format"]) => {
  prepare(format);
  return show(<ExportWizard />, `/exports/new?datasets=${uid}&format=${format}`);
};

test("every format is offered with what becomes of the shapes, and the chosen one is previewed", async () => {
  const screen = await open("YOLO-segment");
  const names = [
    "JSON",
    "YOLO",
    "YOLO segment",
    "YOLO pose",
    "YOLO OBB",
    "COCO",
    "COCO panoptic",
    "CVAT",
    "Label Studio",
  ];
  await expect.element(screen.getByText("first of YOLO-segment")).toBeVisible();
  const cards = screen.getByRole("group", { name: "Format" }).getByRole("radio").elements();
  expect(cards.map((card) => card.closest("label")?.querySelector("span")?.textContent)).toEqual(names);
  await expect
    .element(screen.getByRole("list", { name: "What YOLO cannot hold" }))
    .toHaveTextContent("4 masks become boxes");
  // The parts are those of the chosen task.
  await expect.element(screen.getByRole("group", { name: "Parts" })).toHaveTextContent("30 pictures");
  expect(listInputs("exports.preview").at(-1)).toMatchObject({ format: "YOLO-segment", datasets: [uid] });
  await expectGoodLooks();
});

test("a format that cannot hold the labels says why, and nothing is ordered", async () => {
  const screen = await open("YOLO-pose");
  await expect.element(screen.getByText(refusal).first()).toBeVisible();
  const button = screen.getByRole("button", { name: "Export", exact: true }).first();
  await expect.element(button).toHaveAttribute("aria-disabled", "true");
});

test("COCO is not divided, but may have background; CVAT has neither", async () => {
  const coco = await open("COCO");
  const background = coco.getByRole("checkbox", { name: /as background/ });
  await expect.element(background).toBeVisible();
  expect(coco.container.querySelector("input[type=number]")).toBeNull();
  await coco.getByText("Pictures and annotations.xml", { exact: false }).click();
  await expect.element(background).not.toBeInTheDocument();
  await expect.element(coco.getByText("first of CVAT")).toBeVisible();
});
