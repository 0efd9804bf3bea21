import { EditorSelection, EditorState } from "@codemirror/state";
import { describe, expect, test } from "vitest";
import { earlyTabs, forgetTabs, readFirstTab, rememberTab, takeFirstTab } from "./early-tab";
import { suggest, type FetchVocabulary } from "./suggestions";

const vocabulary: FetchVocabulary = (field) =>
  Promise.resolve({
    exact: true,
    fields: [{ path: "metadata.width", kinds: ["number"], count: 3 }],
    values:
      field === "label"
        ? [
            { value: "robot", count: 2, quoted: false },
            { value: "traffic light", count: 1, quoted: false },
          ]
        : [],
  });

/** A filter box whose suggestions have not come yet. "|" is the caret. */
class Box {
  private state: EditorState;

  constructor(marked: string) {
    const at = marked.indexOf("|");
    const selection = EditorSelection.cursor(at);
    this.state = EditorState.create({ doc: marked.replace("|", ""), selection, extensions: [earlyTabs] });
  }

  type(text: string, closing = ""): this {
    const { head } = this.state.selection.main;
    const changes = { from: head, insert: text + closing };
    const selection = { anchor: head + text.length };
    this.state = this.state.update({ changes, selection, userEvent: "input.type" }).state;
    return this;
  }

  tab(): this {
    this.state = this.state.update(rememberTab(this.state)).state;
    return this;
  }

  erase(): this {
    const { head } = this.state.selection.main;
    const changes = { from: head - 1, to: head };
    this.state = this.state.update({ changes, userEvent: "delete.backward" }).state;
    return this;
  }

  go(at: number): this {
    this.state = this.state.update({ selection: { anchor: at } }).state;
    return this;
  }

  replace(text: string): this {
    this.state = this.state.update({ changes: { from: 0, to: this.state.doc.length, insert: text } }).state;
    return this;
  }

  forget(): this {
    this.state = this.state.update(forgetTabs()).state;
    return this;
  }

  /** The text once the suggestions came. */
  async answered(): Promise<string> {
    for (let tab = readFirstTab(this.state); tab; tab = readFirstTab(this.state)) {
      const first = tab.found ? (await suggest(tab.found, tab.asked, vocabulary)).at(0) : undefined;
      this.state = this.state.update(takeFirstTab(this.state, tab.found, first)).state;
    }
    const { doc, selection } = this.state;
    return `${doc.sliceString(0, selection.main.head)}|${doc.sliceString(selection.main.head)}`;
  }
}

describe("a Tab before the suggestions have come", () => {
  test("takes the first of them for the text that it was pressed on", async () => {
    expect(await new Box("sta|").tab().answered()).toBe("status |");
    expect(await new Box("label = rob| AND key = a").tab().answered()).toBe("label = robot |AND key = a");
    expect(await new Box("status i|").tab().answered()).toBe("status IN (|)");
    expect(await new Box("st|tus = completed").tab().answered()).toBe("status |= completed");
  });

  test("keeps behind it what is typed meanwhile", async () => {
    expect(await new Box("key = a AND lab|").tab().type("= rob").answered()).toBe("key = a AND label = rob|");
    expect(await new Box("lab|").tab().type(" = rob").answered()).toBe("label = rob|");
    expect(await new Box("(lab|)").tab().type("= x").answered()).toBe("(label = x|)");
    expect(await new Box("lab|").tab().type("= rob").erase().erase().answered()).toBe("label = r|");
    expect(await new Box("s|tatus").tab().type("= x").answered()).toBe("status = x|");
  });

  test("is one of several that are taken one after another", async () => {
    expect(await new Box("lab|").tab().type("= rob").tab().answered()).toBe("label = robot |");
    expect(await new Box("|").type("lab").tab().tab().type("rob").tab().answered()).toBe("label = robot |");
    const two = new Box("lab|").tab().type("= tra").tab().type("AND metadata.w").tab().type("> 3");
    expect(await two.answered()).toBe('label = "traffic light" AND metadata.width > 3|');
  });

  test("opens a list and closes it once", async () => {
    expect(await new Box("label i|").tab().type("rob").answered()).toBe("label IN (rob|)");
    expect(await new Box("label i|").tab().type("rob").tab().answered()).toBe("label IN (robot|)");
    expect(await new Box("label i|").tab().type("rob) AND key = a").answered()).toBe("label IN (rob) AND key = a|");
    expect(await new Box("label i|").tab().type("(", ")").type("rob").answered()).toBe("label IN (rob|)");
  });

  test("means nothing where nothing is suggested, and the next one is taken", async () => {
    expect(await new Box("key = zz|").tab().answered()).toBe("key = zz|");
    expect(await new Box("key = zz|").tab().type(" AND lab").tab().answered()).toBe("key = zz AND label |");
  });

  test("is forgotten with the text that it was pressed on, by Escape, and for another place", async () => {
    expect(await new Box("sta|").tab().erase().answered()).toBe("st|");
    expect(await new Box("sta|").tab().type("x").erase().erase().answered()).toBe("st|");
    expect(await new Box("lab|").tab().type("= rob").forget().answered()).toBe("lab= rob|");
    expect(await new Box("lab|").tab().replace("key = a").answered()).toBe("key = a|");
    expect(await new Box("status = x AND lab|").tab().go(3).tab().answered()).toBe("status |= x AND lab");
    expect(await new Box("lab|").tab().go(0).type("x").answered()).toBe("x|lab");
  });

  test("leaves the caret where somebody went meanwhile", async () => {
    expect(await new Box("key = a AND lab|").tab().type("= rob").go(2).answered()).toBe("ke|y = a AND label = rob");
  });
});
