import { expect, test } from "vitest";
import { offer, takeSelected } from "../store/offered";
import { makeBox } from "../testing/drafts-of-tests";
import { drag, open, press } from "../testing/store-of-tests";
import type { AskedPrompt } from "./tool";

function begin() {
  const opened = open();
  const asked: AskedPrompt[] = [];
  opened.store.asking.setAsker((prompt) => void asked.push(prompt));
  opened.store.setTool("prompt");
  return { ...opened, asked };
}
const offered = (id: string) => makeBox(id, [100, 100, 50, 50], { attributes: { source: "model", score: 0.9 } });

test("presses make a question more precise, with Alt by what is beside it, and a drag by a box", () => {
  const { store, asked } = begin();
  press(store, [100, 200]);
  press(store, [300, 200], { alt: true });
  drag(store, [50, 60], [250, 260]);
  expect(asked).toEqual([
    { prompt: { points: [[100, 200, 1]] }, isNew: true },
    {
      prompt: {
        points: [
          [100, 200, 1],
          [300, 200, 0],
        ],
      },
      isNew: false,
    },
    {
      prompt: {
        points: [
          [100, 200, 1],
          [300, 200, 0],
        ],
        box: [50, 60, 200, 200],
      },
      isNew: false,
    },
  ]);
  expect(store.toolView).toMatchObject({ dots: [[100, 200]], hollow: [[300, 200]] });
});

test("keys set both corners of a box, with Shift", () => {
  const { store, asked } = begin();
  press(store, [10, 20], { shift: true });
  press(store, [110, 70], { shift: true });
  expect(asked).toEqual([{ prompt: { box: [10, 20, 100, 50] }, isNew: true }]);
});

test("the answer is offered in place of the one before, is taken as a suggestion, and then the next question is new", () => {
  const { store, asked } = begin();
  press(store, [100, 200]);
  offer(store, [offered("a")]);
  press(store, [110, 200]);
  offer(store, [offered("b")]);
  expect(store.snapshot.listed.map(({ id }) => id)).toEqual(["b"]);
  expect(takeSelected(store)).toBe(true);
  expect(store.snapshot.listed).toMatchObject([{ id: "b", attributes: { source: "model" } }]);
  expect(store.toolView.dots).toEqual([]);
  press(store, [400, 400]);
  press(store, [410, 400]);
  expect(asked.slice(2)).toEqual([
    { prompt: { points: [[400, 400, 1]] }, isNew: true },
    {
      prompt: {
        points: [
          [400, 400, 1],
          [410, 400, 1],
        ],
      },
      isNew: false,
    },
  ]);
  offer(store, [offered("c")]);
  expect(store.snapshot.listed.map(({ id }) => id)).toEqual(["b", "c"]);
  store.undo();
  expect(store.snapshot.listed.map(({ id }) => id)).toEqual(["b"]);
});

test("an answer to a question whose answer before was taken meanwhile is not offered", () => {
  const { store } = begin();
  press(store, [100, 200]);
  expect(offer(store, [offered("a")])).toBe(true);
  press(store, [110, 200]);
  store.select(["a"]);
  takeSelected(store);
  expect(offer(store, [offered("b")])).toBe(false);
  expect(store.snapshot.listed.map(({ id }) => id)).toEqual(["a"]);
});

test("nothing is asked where nothing can be changed", () => {
  const { store, asked } = begin();
  store.send({ type: "move", at: [1, 1] });
  expect(asked).toEqual([]);
  const readOnly = open({ canEdit: false });
  readOnly.store.asking.setAsker((prompt) => void asked.push(prompt));
  readOnly.store.setTool("prompt");
  press(readOnly.store, [100, 200]);
  expect(asked).toEqual([]);
});
