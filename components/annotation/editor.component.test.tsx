import { useState } from "react";
import { describe, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import type { DraftOp } from "@/domain/annotations/draft-schema";
import { Editor } from "./editor";
import { makeBox, makePolygon } from "./testing/drafts-of-tests";
import { drag, labels, open, options, picture, press } from "./testing/editor-of-tests";

describe("by keyboard only", () => {
  test("a box and a polygon are drawn, listed, taken back and repeated", async () => {
    const { screen, stage, now } = await open();
    stage.element().focus();
    await press("r{ArrowRight>10/} ");
    await press("{Shift>}{ArrowDown}{ArrowDown}{ArrowRight}{ArrowRight}{ArrowRight}{/Shift} ");
    await expect.element(options(screen)).toHaveAccessibleName("Box, forklift, 30 by 20 at 510, 400");
    await press("p2 {Shift>}{ArrowRight}{/Shift} {Shift>}{ArrowDown}{/Shift} {Enter}");
    expect(now().map(({ type, label_id }) => [type, label_id])).toEqual([
      ["bbox", "forklift"],
      ["polygon", "pallet"],
    ]);
    await expect.element(options(screen).nth(1)).toHaveAccessibleName(/^Polygon, pallet, 3 points, 10 by 10/);
    await press("{Control>}z{/Control}");
    await expect.poll(() => now().length).toBe(1);
    await press("{Control>}{Shift>}z{/Shift}{/Control}");
    await expect.poll(() => now().length).toBe(2);
  });

  test("shapes are reached by Tab, moved, stretched and deleted, and Tab leaves after the last", async () => {
    const { screen, stage, now } = await open([
      makeBox("a", [100, 100, 50, 50]),
      makeBox("b", [300, 300, 50, 50], { position: 1 }),
    ]);
    stage.element().focus();
    await press("{Tab}{ArrowRight}{Shift>}{ArrowDown}{/Shift}{Control>}{ArrowRight}{/Control}");
    expect(now()[0]?.coordinates).toMatchObject({ x: 101, y: 110, width: 51, height: 50 });
    await press("{Tab}{Delete}");
    expect(now().map(({ id }) => id)).toEqual(["a"]);
    await press("{Tab}{Tab}");
    await expect.element(stage).not.toHaveFocus();
    await expect.element(options(screen)).toHaveAttribute("aria-selected", "true");
  });

  test("single points of a polygon are moved, added and removed", async () => {
    const triangle: [number, number][] = [
      [100, 100],
      [300, 100],
      [200, 300],
    ];
    const { stage, now } = await open([makePolygon("a", triangle)]);
    stage.element().focus();
    await press("{Tab}{Enter}{Tab}{ArrowUp}");
    expect(now()[0]?.coordinates["points"]).toEqual([triangle[0], [300, 99], triangle[2]]);
    await press("{Insert}");
    expect(now()[0]?.coordinates["points"]).toHaveLength(4);
    await press("{Delete}{Escape}{ArrowLeft}");
    expect(now()[0]?.coordinates["points"]).toEqual([
      [99, 100],
      [299, 99],
      [199, 300],
    ]);
  });

  test("the list of shapes selects by arrows, several with Shift, and keys of labels change them", async () => {
    const { screen, now } = await open([
      makeBox("a", [100, 100, 50, 50]),
      makeBox("b", [300, 300, 50, 50], { position: 1 }),
    ]);
    screen.getByRole("listbox", { name: "Shapes" }).element().focus();
    await press("{ArrowDown}{Shift>}{ArrowDown}{/Shift}2");
    await expect.poll(() => now().map(({ label_id }) => label_id)).toEqual(["pallet", "pallet"]);
    const list = screen.getByRole("listbox", { name: "Shapes" });
    const active = list.element().getAttribute("aria-activedescendant");
    expect(document.getElementById(active ?? "")?.getAttribute("aria-selected")).toBe("true");
  });

  test("tags are given to the picture and taken", async () => {
    const { stage, now } = await open();
    stage.element().focus();
    await press("t3");
    expect(now()).toMatchObject([{ type: "classification", label_id: "night" }]);
    await press("3");
    expect(now()).toEqual([]);
  });

  test("all keys are listed by a question mark, and letters in a field are no tools", async () => {
    const { screen, stage, now } = await open([makeBox("a", [100, 100, 50, 50])]);
    stage.element().focus();
    await press("{Tab}");
    await screen.getByRole("tab", { name: "Attributes" }).click();
    await screen.getByLabelText("Load").fill("");
    await press("rpt");
    await expect.poll(() => now()[0]?.attributes["load"]).toBe("rpt");
    await expect
      .element(screen.getByRole("button", { name: "Select", exact: true }))
      .toHaveAttribute("aria-pressed", "true");
    await screen.getByRole("button", { name: "Take back" }).click();
    expect(now()[0]?.attributes["load"]).toBeUndefined();
    stage.element().focus();
    await press("?");
    await expect.element(screen.getByRole("dialog", { name: "Keys of the editor" })).toBeVisible();
  });
});

describe("by pointer", () => {
  test("a box is dragged and then moved", async () => {
    const { screen, stage, now } = await open();
    await screen.getByRole("button", { name: "Box", exact: true }).click();
    await drag(stage.element(), [
      [100, 100],
      [300, 200],
    ]);
    await expect.poll(() => now().length).toBe(1);
    await press("v");
    await drag(stage.element(), [
      [200, 150],
      [250, 150],
      [300, 150],
    ]);
    await expect.poll(() => Math.round(Number(now()[0]?.coordinates["x"]))).toBe(200);
    expect(Math.round(Number(now()[0]?.coordinates["width"]))).toBe(200);
  });

  test("what rests is drawn on one canvas, what is selected on the other", async () => {
    const { stage } = await open([makeBox("a", [100, 100, 200, 200])]);
    const count = (layer: string) => {
      const canvas = document.querySelector<HTMLCanvasElement>(`canvas[data-layer=${layer}]`);
      const data = canvas?.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      return data.some((value) => value !== 0);
    };
    await expect.poll(() => count("still")).toBe(true);
    expect(count("active")).toBe(false);
    stage.element().focus();
    await press("{Tab}");
    await expect.poll(() => count("active")).toBe(true);
    await press("{Delete}");
    await expect.poll(() => count("still") || count("active")).toBe(false);
  });
});

test("what is doubtful is listed before it is submitted; a line leads to its shape, and people may pass it", async () => {
  const { screen, submitted } = await open([makeBox("a", [100, 100, 50, 50]), makeBox("b", [100, 100, 50, 50])]);
  await screen.getByRole("button", { name: "Submit" }).click();
  await expect
    .element(screen.getByRole("list", { name: "Checks" }).getByText("Nearly the same as another"))
    .toBeVisible();
  await screen.getByRole("button", { name: "Show" }).click();
  await expect.element(options(screen).nth(1)).toHaveAttribute("aria-selected", "true");
  await press("{Control>}{Enter}{/Control}");
  await screen.getByRole("button", { name: "Submit anyway" }).click();
  expect(submitted).toEqual([["twice"]]);
});

test("what nobody may pass keeps a draft from being submitted, and nothing doubtful lets it pass", async () => {
  const { screen, submitted } = await open([makeBox("a", [100, 100, 1, 1])], { blocking: ["too_small"] });
  await screen.getByRole("button", { name: "Submit" }).click();
  await expect.element(screen.getByRole("button", { name: "Submit anyway" })).toHaveAttribute("aria-disabled", "true");
  await screen.getByRole("button", { name: "Back to the picture" }).click();
  await screen.getByRole("option").click();
  await press("{Delete}{Control>}{Enter}{/Control}");
  expect(submitted).toEqual([[]]);
});

test("a draft that cannot be edited says why, and no key changes it", async () => {
  const { screen, stage, work } = await open([makeBox("a", [100, 100, 50, 50])], {
    readOnly: "Ana took over at 14:02",
  });
  await expect.element(screen.getByText("Ana took over at 14:02").first()).toBeVisible();
  stage.element().focus();
  await press("{Tab}{ArrowRight}{Delete}r  2{Control>}z{/Control}");
  expect(work.ops).toEqual([]);
  await expectGoodLooks();
});

test("without labels nothing can be drawn, and the list says so", async () => {
  const { screen } = await open([], { labels: [] });
  await expect.element(screen.getByText("No labels yet.")).toBeVisible();
  await expect
    .element(screen.getByRole("button", { name: "Box", exact: true }))
    .toHaveAttribute("aria-disabled", "true");
  await expectGoodLooks();
});

test("what a model offers is dashed until somebody takes it: Enter takes and moves on, Del removes, a changed one is one's own", async () => {
  const offer = (id: string, x: number, score: number | null) =>
    makeBox(id, [x, 100, 80, 60], { attributes: { source: "model", run: "r", score }, position: x });
  const shapes = [offer("a", 100, 0.92), offer("b", 300, null), offer("c", 500, 0.4), offer("d", 700, 0.3)];
  const { screen, stage, now, submitted } = await open(shapes);
  const bar = screen.getByRole("region", { name: "Suggestions" });
  await expect.element(bar).toHaveTextContent("4 suggestions of a model");
  await expect.element(screen.getByText("suggested 0.92")).toBeVisible();
  await expectGoodLooks();
  await page.viewport(1440, 900);
  stage.element().focus();
  await press("{Enter}{Enter}{Delete}");
  await expect.element(bar).toHaveTextContent("2 suggestions");
  await press("{ArrowRight}");
  await expect.element(bar).toHaveTextContent("1 suggestion of");
  const attributes = () => Object.fromEntries(now().map(({ id, attributes: of }) => [id, of]));
  expect(attributes()).toEqual({
    a: { source: "model", run: "r" },
    c: { source: "model_edited" },
    d: { source: "model", run: "r", score: 0.3 },
  });
  await press("{Control>}z{/Control}");
  await expect.element(bar).toHaveTextContent("2 suggestions");
  await press("{Control>}{Enter}{/Control}");
  expect(submitted).toEqual([[]]);
  await press("{Shift>}{Enter}{/Shift}");
  await expect.element(bar).not.toBeInTheDocument();
  expect(attributes().d).toEqual({ source: "model", run: "r" });
});

test("own work that others changed meanwhile is decided by a press", async () => {
  const note = "yours of 14:02";
  const { screen, now } = await open([makeBox("a", [100, 100, 50, 50])], {
    proposals: [{ id: "a", shape: makeBox("a", [0, 0, 70, 70]), note }],
  });
  await expect.element(screen.getByText(/70 by 70 at 0, 0, yours of 14:02/)).toBeVisible();
  await expectGoodLooks();
  await screen.getByRole("button", { name: "Take mine" }).click();
  expect(now()[0]?.coordinates).toMatchObject({ width: 70 });
});

test("thousands of shapes are listed by the rows that are seen", async () => {
  const many = Array.from({ length: 3_000 }, (_, at) =>
    makeBox(String(at), [at % 900, (at * 7) % 700, 20, 20], { position: at }),
  );
  const { screen } = await open(many);
  await expect.element(screen.getByRole("tab", { name: /Shapes/ })).toHaveTextContent("3000");
  await expect.element(options(screen).first()).toHaveAttribute("aria-setsize", "3000");
  expect(document.querySelectorAll("[role=option]").length).toBeLessThan(100);
  await expectGoodLooks();
});

test("on a phone tools for many points say that they need a larger screen, and a selected shape looks well", async () => {
  const { screen, stage } = await open([makeBox("a", [100, 100, 300, 300])]);
  stage.element().focus();
  await press("{Tab}");
  await screen.getByRole("tab", { name: "Attributes" }).click();
  await expectGoodLooks();
  await page.viewport(390, 844);
  await expect
    .element(screen.getByRole("button", { name: "Polygon", exact: true }))
    .toHaveAccessibleDescription("Polygon needs a larger screen");
  await expect.element(screen.getByRole("button", { name: "Box", exact: true })).toBeEnabled();
});

test("a frame of the recording is shown in place of the item, and no key changes what nobody sees then", async () => {
  const box = makeBox("a", [100, 100, 300, 200]);
  const ops: DraftOp[] = [];
  function Page() {
    const [given] = useState([box]);
    const [at, setAt] = useState(0);
    const shown = at === 0 ? null : { url: picture.url, bar: <p>Frame {at}</p>, onFailure: () => {} };
    const frames = { step: (by: number) => setAt((from) => from + by), leave: () => setAt(0), shown };
    return (
      <div className="flex h-full flex-col">
        <Editor
          labels={labels}
          picture={picture}
          shapes={given}
          frames={frames}
          onOps={(changes) => void ops.push(...changes)}
        />
      </div>
    );
  }
  const screen = await show(<Page />, "/");
  const stage = screen.getByRole("application", { name: /^Picture/ });
  await expect.element(stage).toHaveAttribute("data-ready");
  stage.element().focus();
  await userEvent.keyboard("{Tab}");
  await expect.element(screen.getByRole("option", { selected: true })).toBeVisible();
  await userEvent.keyboard("{Control>}..{/Control}");
  await expect.element(screen.getByText("Frame 2")).toBeVisible();
  await userEvent.keyboard("+");
  await expect.element(screen.getByText("Frame 2")).toBeVisible();
  await userEvent.click(stage, { position: { x: 20, y: 300 } });
  for (const key of ["{Delete}", "2", "{Escape}", "{Control>}a{/Control}"]) {
    await userEvent.keyboard(key);
    await expect.element(screen.getByText(/^Frame/)).not.toBeInTheDocument();
    await expect.element(screen.getByRole("option", { selected: true })).toBeVisible();
    expect(ops).toEqual([]);
    await userEvent.keyboard("{Control>},{/Control}");
    await expect.element(screen.getByText("Frame -1")).toBeVisible();
  }
  await userEvent.keyboard("r");
  await expect.element(screen.getByText(/^Frame/)).not.toBeInTheDocument();
  await expect
    .element(screen.getByRole("button", { name: "Box", exact: true }))
    .toHaveAttribute("aria-pressed", "true");
});
