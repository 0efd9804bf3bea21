import type { Point } from "@/domain/annotations/geometry";
import {
  addPoint,
  chooseLabel,
  copy,
  cutHole,
  duplicate,
  group,
  hideSelected,
  moveBy,
  order,
  paste,
  remove,
  repeatTool,
  selectAll,
  showSelected,
  stepOut,
  stepPoint,
  stepShape,
  stretchBy,
  turnBy,
} from "./store/commands";
import type { EditorStore } from "./store/editor-store";
import { removeSelected, takeAll, takeSelected } from "./store/offered";
import { getTool, toolNames } from "./tools/tools";

/** What the page does at keys that it shares with the editor. */
export interface KeyActions {
  showHelp: () => void;
  showLook: () => void;
  submit: () => void;
  skip: () => void;
  /** Whether there is a model that can be asked what is at a place. */
  mayAsk: boolean;
  /** Shows the frame that the recording has before or after, in place of the item; false where there is no such. */
  stepFrame: (by: 1 | -1) => boolean | void;
}

export interface KeyCommand {
  /** Chords that do it; the first is shown. */
  keys: readonly string[];
  label: string;
  group: "Tools" | "Look" | "Edit" | "Shapes" | "Work";
  /** Only while the stage has the focus: elsewhere the key belongs to a button or a list. */
  onStage?: boolean;
  /** Works, but is not listed. */
  isHidden?: boolean;
  /** False: the key keeps its other meaning. */
  run: (store: EditorStore, event: KeyboardEvent, actions: KeyActions) => boolean | void;
}

const arrows: Readonly<Record<string, Point>> = {
  arrowleft: [-1, 0],
  arrowright: [1, 0],
  arrowup: [0, -1],
  arrowdown: [0, 1],
};
const times = ([x, y]: Point, factor: number): Point => [x * factor, y * factor];

const arrowCommands = Object.entries(arrows).flatMap(([key, by], at): KeyCommand[] => [
  {
    keys: [key],
    label: "Move by 1 pixel: the shape, its point or the place where keys draw",
    group: "Shapes",
    onStage: true,
    isHidden: at > 0,
    run: (store, event) => moveBy(store, by, event.repeat),
  },
  {
    keys: [`shift+${key}`],
    label: "Move by 10 pixels",
    group: "Shapes",
    onStage: true,
    isHidden: at > 0,
    run: (store, event) => moveBy(store, times(by, 10), event.repeat),
  },
  {
    keys: [`mod+${key}`],
    label: "Stretch by 1 pixel; while drawing, move by 100",
    group: "Shapes",
    onStage: true,
    isHidden: at > 0,
    run: (store, event) =>
      store.snapshot.tool === "select"
        ? stretchBy(store, by, event.repeat)
        : moveBy(store, times(by, 100), event.repeat),
  },
]);

const turnCommands = ([1, -1] as const).flatMap((by): KeyCommand[] => {
  const [key, way] = by > 0 ? ["e", "clockwise"] : ["q", "counterclockwise"];
  return [
    {
      keys: [key],
      label: `Turn the selected box by 1°, ${way}`,
      group: "Shapes",
      run: (store, event) => turnBy(store, by, false, event.repeat),
    },
    {
      keys: [`shift+${key}`],
      label: `Turn it to the next 15°, ${way}`,
      group: "Shapes",
      run: (store, event) => turnBy(store, by, true, event.repeat),
    },
  ];
});

/** The label at a place of the list, which the digits choose. */
const chooseAt = (store: EditorStore, at: number): boolean | void => {
  const label = store.activeLabels[at];
  return label ? chooseLabel(store, label.id) : false;
};

const labelCommands = Array.from({ length: 9 }, (_, at): KeyCommand[] => [
  {
    keys: [String(at + 1)],
    label: "Label 1 to 9, of the selected shapes or the next one",
    group: "Edit",
    isHidden: at > 0,
    run: (store) => chooseAt(store, at),
  },
  {
    keys: [`shift+${at + 1}`],
    label: "Label 10 to 18",
    group: "Edit",
    isHidden: at > 0,
    run: (store) => chooseAt(store, at + 9),
  },
]).flat();

/** Everything that keys do in the editor; of equal ones the first that works. */
export const keyCommands: readonly KeyCommand[] = [
  ...toolNames.map((tool): KeyCommand => ({
    keys: [getTool(tool).keys],
    label: getTool(tool).name,
    group: "Tools",
    run: (store, _, { mayAsk }) =>
      tool === "prompt" && !mayAsk ? store.say("No connected model can be asked.") : store.setTool(tool),
  })),
  {
    keys: [getTool("hole").keys],
    label: "Cut a hole into the selected polygon",
    group: "Tools",
    run: cutHole,
  },
  { keys: ["n"], label: "Last tool and label again", group: "Tools", run: repeatTool },
  { keys: ["+", "="], label: "Enlarge", group: "Look", run: (store) => store.view.zoom(1.25) },
  { keys: ["-"], label: "Reduce", group: "Look", run: (store) => store.view.zoom(0.8) },
  { keys: ["0"], label: "Fit the picture", group: "Look", run: (store) => store.view.fit() },
  { keys: ["shift+0"], label: "Pixel for pixel", group: "Look", run: (store) => store.view.full() },
  { keys: ["z"], label: "Show the selected", group: "Look", run: showSelected },
  { keys: ["h"], label: "Hide all while held", group: "Look", run: (store) => store.hideAll(true) },
  { keys: ["shift+h"], label: "Hide or show the selected", group: "Look", run: hideSelected },
  { keys: ["b"], label: "Brightness and contrast", group: "Look", run: (_, __, { showLook }) => showLook() },
  {
    keys: ["mod+,"],
    label: "The recording's frame before; Escape or a tool leads back",
    group: "Look",
    run: (_, __, { stepFrame }) => stepFrame(-1),
  },
  {
    keys: ["mod+."],
    label: "The recording's frame after",
    group: "Look",
    run: (_, __, { stepFrame }) => stepFrame(1),
  },
  ...labelCommands,
  {
    keys: ["space"],
    label: "Set a point at the crosshair; held: move the picture",
    group: "Edit",
    onStage: true,
    run: () => {},
  },
  {
    keys: ["enter"],
    label: "Finish the shape; take a suggestion; of another selected one, move its points",
    group: "Edit",
    onStage: true,
    run: (store) => {
      if (store.snapshot.drawn === 0 && takeSelected(store)) return true;
      return store.snapshot.tool === "select" ? stepPoint(store, 0) : store.send({ type: "key", key: "Enter" });
    },
  },
  { keys: ["shift+enter"], label: "Take all suggestions that are shown", group: "Edit", onStage: true, run: takeAll },
  {
    keys: ["x"],
    label: "While drawing a skeleton: this point is not there",
    group: "Edit",
    run: (store) => store.send({ type: "key", key: "x" }),
  },
  { keys: ["["], label: "Smaller brush", group: "Edit", run: (store) => store.send({ type: "key", key: "[" }) },
  { keys: ["]"], label: "Larger brush", group: "Edit", run: (store) => store.send({ type: "key", key: "]" }) },
  {
    keys: ["backspace"],
    label: "Take back the last point",
    group: "Edit",
    isHidden: true,
    run: (store) => (store.snapshot.drawn > 0 ? store.undo() : remove(store)),
  },
  {
    keys: ["delete"],
    label: "Delete the selected, or the point that keys move",
    group: "Edit",
    run: (store) => (store.snapshot.point === null && removeSelected(store) ? true : remove(store)),
  },
  { keys: ["insert"], label: "Add a point behind the one that keys move", group: "Edit", run: addPoint },
  { keys: ["mod+z"], label: "Take back", group: "Edit", run: (store) => store.undo() },
  { keys: ["mod+shift+z", "mod+y"], label: "Repeat what was taken back", group: "Edit", run: (store) => store.redo() },
  { keys: ["mod+d"], label: "Copy beside", group: "Edit", run: duplicate },
  { keys: ["mod+c"], label: "Copy", group: "Edit", run: copy },
  { keys: ["mod+v"], label: "Insert at the same place, also on another picture", group: "Edit", run: paste },
  {
    keys: ["tab"],
    label: "Next shape; leaves after the last",
    group: "Shapes",
    onStage: true,
    run: (store) => (store.snapshot.point === null ? stepShape(store, true) : stepPoint(store, 1)),
  },
  {
    keys: ["shift+tab"],
    label: "Shape before",
    group: "Shapes",
    onStage: true,
    run: (store) => (store.snapshot.point === null ? stepShape(store, false) : stepPoint(store, -1)),
  },
  { keys: ["mod+a"], label: "Select all", group: "Shapes", run: selectAll },
  { keys: ["mod+g"], label: "Group, or take the group apart", group: "Shapes", run: group },
  { keys: ["alt+arrowup"], label: "One up in the order", group: "Shapes", run: (store) => order(store, true) },
  { keys: ["alt+arrowdown"], label: "One down in the order", group: "Shapes", run: (store) => order(store, false) },
  ...arrowCommands,
  ...turnCommands,
  { keys: ["mod+enter"], label: "Submit and next", group: "Work", run: (_, __, { submit }) => submit() },
  { keys: ["mod+backspace"], label: "Skip", group: "Work", run: (_, __, { skip }) => skip() },
  { keys: ["?"], label: "These keys", group: "Work", run: (_, __, { showHelp }) => showHelp() },
  // The shell's sequences that begin with it would leave the page.
  { keys: ["g"], label: "", group: "Work", isHidden: true, run: () => {} },
  { keys: ["escape"], label: "Step out", group: "Work", run: stepOut },
];

/** The chord of a press: digits are those of the keyboard's row, whatever Shift makes of them. */
export function toEditorChord(event: KeyboardEvent, toChord: (event: KeyboardEvent) => string): string {
  const digit = /^Digit(\d)$/.exec(event.code)?.[1];
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  return digit !== undefined && event.shiftKey && isPlain ? `shift+${digit}` : toChord(event);
}
