"use client";

import { ListTree, Maximize, Minimize, PanelRightClose, PanelRightOpen } from "lucide-react";
import { IconButton } from "@/components/kit/icon-button";
import type { ViewParts } from "./view-parts";

/** What opens beside the panels, and what gives them the whole page. */
export function ViewTools(props: {
  parts: Pick<ViewParts, "side" | "topics" | "focus">;
  /** What the button of the side says while it is closed, and while it is open. */
  sideLabels: { closed: string; open: string };
}) {
  const { parts, sideLabels } = props;
  const { side, topics, focus } = parts;
  return (
    <span className="flex">
      {!focus.isOn && (
        <IconButton
          label={topics.isShown ? "Close topics and plots" : "Topics and plots"}
          keys="t"
          size="sm"
          aria-expanded={topics.isShown}
          icon={<ListTree aria-hidden />}
          onClick={topics.toggle}
        />
      )}
      <IconButton
        label={focus.isOn ? "Show all of the page" : "Panels alone"}
        keys="shift+f"
        size="sm"
        className="max-lg:hidden"
        aria-pressed={focus.isOn}
        disabledReason={focus.refusal}
        icon={focus.isOn ? <Minimize aria-hidden /> : <Maximize aria-hidden />}
        onClick={() => focus.set(!focus.isOn)}
      />
      {!focus.isOn && (
        <IconButton
          label={side.isShown ? sideLabels.open : sideLabels.closed}
          keys="]"
          size="sm"
          className="max-lg:hidden"
          aria-expanded={side.isShown}
          icon={side.isShown ? <PanelRightClose aria-hidden /> : <PanelRightOpen aria-hidden />}
          onClick={side.toggle}
        />
      )}
    </span>
  );
}
