"use client";

import { useRef, useState } from "react";
import { useMediaQuery } from "@/components/kit/media-query";
import { usePreference } from "@/components/kit/preferences-provider";
import { useAddress } from "@/components/recording/session/address";

/** Below it the parts of the page are below each other, and all of them are there. */
const stacked = "(max-width: 63.99rem)";
/** From it on the panel of the moment is open beside panels, too, unless somebody closed it. */
const roomy = "(min-width: 100rem)";

const isChoice = (text: string) => text === "open" || text === "closed";

/** What is open beside the panels of a recording; choices are kept in the browser. */
export interface ViewParts {
  /** Whether the panel of the moment is shown; null where the width of the page decides and is not known yet. */
  side: { choice: "open" | "closed" | null; isShown: boolean; toggle: () => void; open: () => void };
  topics: { isShown: boolean; toggle: () => void };
  lanes: { isFolded: boolean; toggle: () => void };
  /** Only the panels and the playhead, over all of the page. */
  focus: { isOn: boolean; set: (isOn: boolean) => void };
}

/** `hasPanels`: whether the layout has any; without them the topics take their place. Null while that is not known. */
export function useViewParts(hasPanels: boolean | null): ViewParts {
  const [{ tab }, setAddress] = useAddress();
  const [isStacked, isRoomy] = [useMediaQuery(stacked), useMediaQuery(roomy)];
  const [keptSide, keepSide] = usePreference("recording.side");
  // A link to a tab shows it, which says nothing about other recordings.
  const [asked, setAsked] = useState(tab !== null);
  const lastTab = useRef(tab);
  const kept = isChoice(keptSide) ? (keptSide as "open" | "closed") : null;
  const choice = asked || (kept === null && hasPanels === false) ? "open" : kept;
  const isSide = isStacked || choice === "open" || (choice === null && isRoomy);
  const [keptTopics, keepTopics] = usePreference("recording.topics");
  const isTopics = keptTopics === "open" || (keptTopics !== "closed" && hasPanels === false);
  const [lanes, keepLanes] = usePreference("recording.lanes");
  const [isFocus, setFocus] = useState(false);
  const isFolded = lanes === "folded";
  return {
    side: {
      choice,
      isShown: isSide,
      toggle: () => {
        setAsked(false);
        keepSide(isSide ? "closed" : "open");
        // A closed panel must not open again with the address that it left.
        if (isSide) lastTab.current = tab;
        void setAddress({ tab: isSide ? null : lastTab.current });
      },
      open: () => setAsked(true),
    },
    topics: { isShown: isStacked || isTopics, toggle: () => keepTopics(isTopics ? "closed" : "open") },
    lanes: { isFolded, toggle: () => keepLanes(isFolded ? "" : "folded") },
    focus: { isOn: isFocus, set: setFocus },
  };
}
