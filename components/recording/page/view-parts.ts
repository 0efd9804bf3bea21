"use client";

import { useRef, useState } from "react";
import { useMediaQuery } from "@/components/kit/media-query";
import { usePreference } from "@/components/kit/preferences-provider";
import { useAddress } from "@/components/recording/session/address";
import { isCameraSchema } from "@/engine/messages/pictures/picture-schemas";
import { isFixSchema } from "@/engine/messages/positions/fix";
import { hasExtent, isWaySchema } from "@/engine/messages/scene-schemas";

/** Below it the parts of the page are below each other, and all of them are there. */
const stacked = "(max-width: 63.99rem)";
/** From it on the panel of the moment is open beside panels, too, unless somebody closed it. */
const roomy = "(min-width: 100rem)";

const isChoice = (text: string) => text === "open" || text === "closed";

/** What is open beside the panels of a recording; choices are kept in the browser. */
export interface ViewParts {
  /**
   * The panel of the moment: where nobody chose, the width of the page decides, and while that is not known the panel is
   * there, but not yet what its tab shows.
   */
  side: {
    choice: "open" | "closed" | null;
    isShown: boolean;
    isKnown: boolean;
    toggle: () => void;
    open: () => void;
  };
  topics: { isShown: boolean; toggle: () => void };
  lanes: { isFolded: boolean; toggle: () => void };
  /** Only the panels and the playhead, over all of the page. */
  focus: { isOn: boolean; set: (isOn: boolean) => void; refusal: string | undefined };
}

/** Whether a layout is likely to have panels, before it is known: a recording of pictures, places or things in space. */
export const expectsPanels = ({ topics }: { topics: readonly { schema: string }[] }): boolean =>
  topics.some(
    ({ schema }) => isCameraSchema(schema) || isFixSchema(schema) || isWaySchema(schema) || hasExtent(schema),
  );

interface ViewPartsOptions {
  /** Names the choices: those of recordings say nothing about comparisons. */
  of?: "recording" | "compare";
  /** Whether the layout has any; without them the panel of the moment takes their place. */
  hasPanels: boolean;
  /** Whether anything is plotted below the panels. */
  hasPlots: boolean;
  /** Whether topics are open where nobody chose; default where there are no panels. */
  opensTopics?: boolean;
}

/** What is open beside panels, and what opens and closes it. */
export function useViewParts(options: ViewPartsOptions): ViewParts {
  const { of = "recording", hasPanels, hasPlots, opensTopics = !hasPanels } = options;
  const [{ tab }, setAddress] = useAddress();
  const [isStacked, isRoomy] = [useMediaQuery(stacked), useMediaQuery(roomy)];
  // Until the page knows its width the stylesheet decides alone.
  const isMeasured = useMediaQuery("all");
  const [keptSide, keepSide] = usePreference(`${of}.side`);
  // A link to a tab shows it, which says nothing about other recordings.
  const [asked, setAsked] = useState(tab !== null);
  const lastTab = useRef(tab);
  const kept = isChoice(keptSide) ? (keptSide as "open" | "closed") : null;
  const choice = asked || (kept === null && !hasPanels) ? "open" : kept;
  const isSide = !isMeasured || isStacked || choice === "open" || (choice === null && isRoomy);
  const [keptTopics, keepTopics] = usePreference(`${of}.topics`);
  const isTopics = keptTopics === "open" || (keptTopics !== "closed" && opensTopics);
  const [lanes, keepLanes] = usePreference(`${of}.lanes`);
  const [isFocus, setFocus] = useState(false);
  const isFolded = lanes === "folded";
  const hasContent = hasPanels || hasPlots;
  // What is left alone is never an empty page; a panel that is added later does not take the page away again.
  if (isFocus && !hasContent) setFocus(false);
  return {
    side: {
      choice,
      isShown: isSide,
      isKnown: isMeasured || choice === "open",
      toggle: () => {
        setAsked(false);
        keepSide(isSide ? "closed" : "open");
        // A closed panel must not open again with the address that it left.
        if (isSide) lastTab.current = tab;
        void setAddress({ tab: isSide ? null : lastTab.current });
      },
      open: () => setAsked(true),
    },
    topics: { isShown: isTopics, toggle: () => keepTopics(isTopics ? "closed" : "open") },
    lanes: { isFolded, toggle: () => keepLanes(isFolded ? "" : "folded") },
    focus: {
      isOn: isFocus && hasContent,
      set: setFocus,
      refusal: hasContent ? undefined : "There is nothing to show alone: add a panel or a plot first.",
    },
  };
}
