import { box } from "./box";
import { brush } from "./brush";
import { extremeBox } from "./extreme-box";
import { hole } from "./hole";
import { keypointsTool } from "./keypoints";
import { magnet } from "./magnet";
import { polygonTool, polylineTool } from "./path";
import { prompt } from "./prompt";
import { rotatedBox } from "./rotated-box";
import { select } from "./select";
import { tags } from "./tags";
import type { Tool } from "./tool";

/** The tools by name, in the order of their column. */
const tools = {
  select,
  box,
  "extreme-box": extremeBox,
  "rotated-box": rotatedBox,
  polygon: polygonTool,
  magnet,
  polyline: polylineTool,
  keypoints: keypointsTool,
  brush,
  hole,
  prompt,
  tags,
};
export type ToolName = keyof typeof tools;

/** Those of the column. A hole is begun at its polygon, by a key or a button. */
export const toolNames: readonly ToolName[] = [
  "select",
  "box",
  "extreme-box",
  "rotated-box",
  "polygon",
  "magnet",
  "polyline",
  "keypoints",
  "brush",
  "prompt",
  "tags",
];

export const getTool = (name: ToolName): Tool => tools[name];
