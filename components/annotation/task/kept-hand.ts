import { mayHold, type EditorLabel } from "@/domain/annotations/editor-label";
import type { EditorHand } from "../store/editor-snapshot";
import { getTool, toolNames, type ToolName } from "../tools/tools";

interface HandOf {
  user: string;
  project: string;
  labels: readonly EditorLabel[];
  isPhone: boolean;
}

/** What a browser that stores nothing keeps until the page ends. */
const unstored = new Map<string, EditorHand>();

function read(key: string): EditorHand | null {
  try {
    const [name, labelId] = (localStorage.getItem(key) ?? "").split(" ");
    const tool = toolNames.find((each) => each === name);
    return tool ? { tool, labelId: labelId || null } : (unstored.get(key) ?? null);
  } catch {
    return unstored.get(key) ?? null;
  }
}

function write(key: string, hand: EditorHand): void {
  try {
    localStorage.setItem(key, `${hand.tool} ${hand.labelId ?? ""}`);
  } catch {
    unstored.set(key, hand);
  }
}

/** Whether a tool draws what one of the labels may be. */
function draws(name: ToolName, labels: readonly EditorLabel[], isPhone: boolean): boolean {
  const { makes, isForPhones } = getTool(name);
  return makes !== null && (!isPhone || isForPhones) && labels.some((label) => mayHold(label, makes));
}

/** What a person begins with: what they used last in the project, in this browser, else the tool that its first label needs. */
function begin(key: string, { labels, isPhone }: HandOf): EditorHand {
  const kept = read(key);
  if (kept && (kept.tool === "select" || draws(kept.tool, labels, isPhone))) return kept;
  const first = labels.filter(({ retired }) => !retired).slice(0, 1);
  return { tool: toolNames.find((name) => draws(name, first, isPhone)) ?? "select", labelId: null };
}

/** The tool and label that a person has in a project; the editor says here what they take. */
export function keepHand(of: HandOf): { current: EditorHand } {
  const key = `muster.hand:${of.user}:${of.project}`;
  let hand = begin(key, of);
  return {
    get current() {
      return hand;
    },
    set current(next) {
      if (next.tool === hand.tool && next.labelId === hand.labelId) return;
      hand = next;
      write(key, next);
    },
  };
}
