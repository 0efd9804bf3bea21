import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { expectGoodLooks } from "@/components/testing/looks";
import { makeLabel } from "../testing/drafts-of-tests";
import { drag, open, options, press } from "../testing/editor-of-tests";
import type { EditorPrompts, ModelAnswer, ModelQuestion, PromptModel } from "./prompt-desk";

const models: PromptModel[] = [
  { uid: "sam", name: "Outlines (models.example.com)", prompts: ["point", "box"] },
  { uid: "words", name: "By words (models.example.com)", prompts: ["text"] },
];
const box = {
  label: "thing",
  type: "bbox",
  coordinates: { x: 100, y: 100, width: 200, height: 150 },
  attributes: { score: 0.8 },
} as const;
const aBox: ModelAnswer = { error: null, predictions: [box] };

/** An editor whose models answer the same until it is changed. */
async function begin(offered = models, props: Parameters<typeof open>[1] = {}) {
  const asked: ModelQuestion[] = [];
  const answer = { current: aBox };
  const prompts: EditorPrompts = {
    models: offered,
    ask: async (question) => {
      asked.push(question);
      return answer.current;
    },
  };
  localStorage.removeItem("muster.prompt-model");
  const opened = await open([], { prompts, ...props });
  const bar = opened.screen.getByRole("region", { name: "Model", exact: true });
  return { ...opened, asked, answer, bar };
}

test("a press asks the model that is chosen, Enter takes its answer, and the next press asks about something else", async () => {
  const { screen, stage, asked, bar, now } = await begin();
  stage.element().focus();
  await press("a2");
  await expect.element(bar).toBeVisible();
  await drag(stage.element(), [[200, 150]]);
  await expect.element(screen.getByText("suggested 0.80")).toBeVisible();
  expect(asked).toMatchObject([{ model: "sam", labels: ["pallet"] }]);
  const [point] = asked[0]?.prompt.points ?? [];
  expect(point?.map(Math.round)).toEqual([200, 150, 1]);
  await expectGoodLooks();
  await page.viewport(1440, 900);
  await drag(stage.element(), [[400, 300]], { altKey: true });
  await expect.poll(() => asked.length).toBe(2);
  expect(asked[1]?.prompt.points?.map(([, , of]) => of)).toEqual([1, 0]);
  await expect.element(options(screen)).toHaveAccessibleName(/^Box, pallet, 200 by 150 at 100, 100/);
  stage.element().focus();
  await press("{Enter}");
  expect(now()).toMatchObject([{ label_id: "pallet", attributes: { source: "model" } }]);
  expect(now()[0]?.attributes).not.toHaveProperty("score");
  await drag(stage.element(), [
    [500, 500],
    [700, 600],
  ]);
  await expect.poll(() => asked.length).toBe(3);
  expect(asked[2]?.prompt.points).toBeUndefined();
  expect(asked[2]?.prompt.box?.map(Math.round)).toEqual([500, 500, 200, 100]);
});

test("a failure is said beside the model, and so is that it found nothing", async () => {
  const { stage, answer, bar, now } = await begin();
  answer.current = { error: "The provider answered 500.", predictions: [] };
  stage.element().focus();
  await press("a");
  await expect.element(bar).toBeVisible();
  await drag(stage.element(), [[200, 150]]);
  await expect.element(bar).toHaveTextContent("The provider answered 500.");
  await expectGoodLooks();
  await page.viewport(1440, 900);
  answer.current = { error: null, predictions: [] };
  await drag(stage.element(), [[250, 150]]);
  await expect.element(bar).toHaveTextContent("The model found nothing there.");
  expect(now()).toEqual([]);
});

test("of several models one is chosen, and one that takes texts has a field for them", async () => {
  const { screen, stage, asked, bar } = await begin();
  stage.element().focus();
  await press("a");
  await bar.getByRole("combobox", { name: "Model that is asked" }).click();
  await screen.getByRole("option", { name: /By words/ }).click();
  await drag(stage.element(), [[200, 150]]);
  await expect.element(bar).toHaveTextContent("This model takes no points: drag a box.");
  await bar.getByRole("textbox", { name: "What the model looks for" }).fill("yellow forklift");
  await bar.getByRole("button", { name: "Ask" }).click();
  await expect.poll(() => asked).toMatchObject([{ model: "words", prompt: { text: "yellow forklift" } }]);
  await expect.element(options(screen)).toBeVisible();
  await expectGoodLooks();
});

test("without a model that takes prompts there is no such tool, and its key says so", async () => {
  const { screen, stage } = await begin([]);
  await expect.element(screen.getByRole("button", { name: "Brush", exact: true })).toBeVisible();
  await expect.element(screen.getByRole("button", { name: "Ask a model" })).not.toBeInTheDocument();
  stage.element().focus();
  await press("a");
  await expect.element(screen.getByText("No connected model can be asked.").first()).toBeVisible();
});

test("an answer of a type that the label may not have is not offered, and that is said", async () => {
  const { stage, bar, now } = await begin(models, { labels: [makeLabel("forklift", { types: ["polygon"] })] });
  stage.element().focus();
  await press("a");
  await expect.element(bar).toBeVisible();
  await drag(stage.element(), [[200, 150]]);
  await expect.element(bar).toHaveTextContent("forklift may not have the shapes that the model answered.");
  expect(now()).toEqual([]);
});

test("what a model does not take is said, and the next question is asked without it", async () => {
  const { stage, asked, bar } = await begin([{ uid: "boxes", name: "Boxes (models.example.com)", prompts: ["box"] }]);
  stage.element().focus();
  await press("a");
  await expect.element(bar).toBeVisible();
  await drag(stage.element(), [[200, 150]]);
  await expect.element(bar).toHaveTextContent("This model takes no points: drag a box.");
  await drag(stage.element(), [
    [500, 500],
    [700, 600],
  ]);
  await expect.poll(() => asked.length).toBe(1);
  expect(Object.keys(asked[0]?.prompt ?? {})).toEqual(["box"]);
});
