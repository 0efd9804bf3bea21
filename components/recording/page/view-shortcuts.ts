import type { Shortcut } from "@/components/kit/shortcuts";
import type { ViewParts } from "./view-parts";

/** The keys of what is open beside panels; `names` says what they open, for the cheat sheet. */
export function listViewShortcuts(
  { side, topics, focus }: Pick<ViewParts, "side" | "topics" | "focus">,
  group: string,
  sideLabel: string,
): Shortcut[] {
  return [
    { keys: "t", label: "Topics and plots", group, run: topics.toggle, when: () => !focus.isOn },
    { keys: "]", label: sideLabel, group, run: side.toggle, when: () => !focus.isOn },
    {
      keys: "shift+f",
      label: "Panels alone, or all of the page",
      group,
      run: () => focus.set(!focus.isOn),
      when: () => focus.refusal === undefined,
    },
    {
      keys: "escape",
      label: "All of the page",
      group,
      run: () => focus.set(false),
      hidden: true,
      when: () => focus.isOn,
    },
  ];
}
