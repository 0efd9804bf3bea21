/** What a model can be asked with, besides the item itself. */
export const promptKinds = ["point", "box", "text"] as const;
export type PromptKind = (typeof promptKinds)[number];

/** The most points of a prompt, and the characters of its text. */
export const promptLimits = { points: 100, text: 500 } as const;

/** What somebody shows a model in a picture, in pixels from its top left. */
export interface ModelPrompt {
  /** Of each its place, and 1 where it is on what is meant, 0 where it is beside it. */
  points?: [x: number, y: number, isMeant: 0 | 1][] | undefined;
  /** Left, top, width and height. */
  box?: [x: number, y: number, width: number, height: number] | undefined;
  text?: string | undefined;
}
