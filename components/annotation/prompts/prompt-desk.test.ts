import { expect, test } from "vitest";
import type { Annotation } from "@/domain/tasks/schema";
import { PromptDesk, refusePrompt, type ModelAnswer, type ModelQuestion } from "./prompt-desk";

const mark = (label: string): Annotation => ({ label, type: "classification", coordinates: {}, attributes: {} });

/** A desk whose answers come when the test says so, by the number of the question. */
function open() {
  const asked: ModelQuestion[] = [];
  const settle: ((answer: ModelAnswer | Error) => void)[] = [];
  const shown: string[] = [];
  let id = 0;
  const desk = new PromptDesk({
    createId: () => String((id += 1)),
    ask: (question) =>
      new Promise((resolve, reject) => {
        asked.push(question);
        settle.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
      }),
    onAnswer: (predictions) => void shown.push(predictions.map(({ label }) => label).join()),
    onFailure: (reason) => void shown.push(`failed: ${reason}`),
    onWaiting: (isWaiting) => void shown.push(isWaiting ? "waits" : "ends"),
  });
  const ask = (x: number) => desk.ask({ model: "m", labels: [], prompt: { points: [[x, 0, 1]] } });
  const answer = async (at: number, what: string | Error) => {
    settle[at]?.(typeof what === "string" ? { error: null, predictions: [mark(what)] } : what);
    await Promise.resolve()
      .then(() => {})
      .then(() => {})
      .then(() => {});
  };
  return { desk, asked, shown, ask, answer };
}

test("the last answer wins: what answers an older question is dropped, whenever it comes", async () => {
  const { shown, ask, answer } = open();
  ask(1);
  ask(2);
  await answer(0, "first");
  expect(shown).toEqual(["waits", "waits"]);
  await answer(1, "second");
  expect(shown).toEqual(["waits", "waits", "ends", "second"]);
});

test("two are asked at the same time, and of those that wait the newest alone", async () => {
  const { asked, shown, ask, answer } = open();
  for (const x of [1, 2, 3, 4]) ask(x);
  expect(asked.map(({ prompt }) => prompt.points?.[0]?.[0])).toEqual([1, 2]);
  await answer(1, "second");
  expect(asked.map(({ prompt }) => prompt.points?.[0]?.[0])).toEqual([1, 2, 4]);
  await answer(0, "first");
  await answer(2, "fourth");
  expect(shown.slice(4)).toEqual(["ends", "fourth"]);
});

test("a failure is said, unless something newer was asked or the tool was left", async () => {
  const { desk, shown, ask, answer } = open();
  ask(1);
  await answer(0, new Error("The provider answered 500."));
  expect(shown).toEqual(["waits", "ends", "failed: The provider answered 500."]);
  ask(2);
  desk.leave();
  await answer(1, "late");
  expect(shown.slice(3)).toEqual(["waits", "ends"]);
});

test("a model is asked with what it takes", () => {
  expect(refusePrompt({ points: [[1, 2, 1]] }, ["box"])).toBe("This model takes no points: drag a box.");
  expect(refusePrompt({ box: [1, 2, 3, 4] }, ["box"])).toBeNull();
});
