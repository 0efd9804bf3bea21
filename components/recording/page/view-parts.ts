"use client";

import { useRef, useState } from "react";
import { useMediaQuery } from "@/components/kit/media-query";
import { usePreference } from "@/components/kit/preferences-provider";
import { useAddress } from "@/components/recording/session/address";
import { isCameraSchema } from "@/engine/messages/pictures/picture-schemas";
import { isFixSchema } from "@/engine/messages/positions/fix";
import { deservesScene, isPoseSchema } from "@/engine/messages/scene-schemas";

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
  focus: { isOn: boolean; set: (isOn: boolean) => void };
}

/** Whether a layout is likely to have panels, before it is known: a recording of pictures, places or things in space. */
export const expectsPanels = ({ topics }: { topics: readonly { schema: string }[] }): boolean =>
  topics.some(
    ({ schema }) => isCameraSchema(schema) || isFixSchema(schema) || (deservesScene(schema) && !isPoseSchema(schema)),
  );

/** `hasPanels`: whether the layout has any; without them the topics and the panel of the moment take their place. */
export function useViewParts(hasPanels: boolean): ViewParts {
  const [{ tab }, setAddress] = useAddress();
  const [isStacked, isRoomy] = [useMediaQuery(stacked), useMediaQuery(roomy)];
  // Until the page knows its width the stylesheet decides alone.
  const isMeasured = useMediaQuery("all");
  const [keptSide, keepSide] = usePreference("recording.side");
  // A link to a tab shows it, which says nothing about other recordings.
  const [asked, setAsked] = useState(tab !== null);
  const lastTab = useRef(tab);
  const kept = isChoice(keptSide) ? (keptSide as "open" | "closed") : null;
  const choice = asked || (kept === null && !hasPanels) ? "open" : kept;
  const isSide = !isMeasured || isStacked || choice === "open" || (choice === null && isRoomy);
  const [keptTopics, keepTopics] = usePreference("recording.topics");
  const isTopics = keptTopics === "open" || (keptTopics !== "closed" && !hasPanels);
  const [lanes, keepLanes] = usePreference("recording.lanes");
  const [isFocus, setFocus] = useState(false);
  const isFolded = lanes === "folded";
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
    focus: { isOn: isFocus, set: setFocus },
  };
}
