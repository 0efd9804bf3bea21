import { useMemo, useState } from "react";
import { expect, test } from "vitest";
import TopicPanel from "@/components/recording/page/topic-panel";
import { useTimelineAxis } from "@/components/recording/session/address";
import { Playback } from "@/components/recording/session/playback";
import { TimelineContext } from "@/components/recording/session/timeline-context";
import { useRecordingSession } from "@/components/recording/session/use-recording-session";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { sample } from "@/components/testing/sample";
import { RecordingDetail } from "@/server/features/recordings/resource";

const topic = { schema: "pkg/msg/A", message_count: 5, frequency_hz: 10, encoding: "cdr", error: null };
const recording = sample(RecordingDetail, {
  start_ns: "1760000000000000000",
  end_ns: "1760000001000000000",
  topics: [
    { ...topic, name: "/scan", fields: [], long_lists: [{ path: "ranges", elements: 720 }] },
    {
      ...topic,
      name: "/tf",
      fields: [{ path: "transforms[0].transform.translation.x", kind: "number", unit: "m" }],
      long_lists: [],
    },
  ],
});

/** The tab with the parts of its page that it uses. */
function Topics() {
  const axis = useTimelineAxis(recording);
  const playback = useMemo(() => new Playback(axis), [axis]);
  const session = useRecordingSession(recording, axis, playback);
  const [focused, focusTopic] = useState<string | null>(null);
  const [plots, setPlots] = useState<string[]>([]);
  const nothing = {
    lanes: undefined,
    events: undefined,
    findings: [],
    coverPlots: () => {},
    noteLayout: () => {},
    isAlone: false,
    createEvent: () => {},
  };
  const timeline = { recording, axis, playback, session, topic: focused, focusTopic, plots, setPlots, ...nothing };
  return (
    <TimelineContext value={{ ...timeline, exportRange: () => {}, readOnly: false, reason: undefined, left: 0 }}>
      <TopicPanel />
    </TimelineContext>
  );
}

test("a topic names its lists of which no element is a field, and plots those of others", async () => {
  const screen = await show(<Topics />, `/recordings/${recording.uid}?tab=topics`);
  await screen.getByText("/scan").click();
  await expect.element(screen.getByText("ranges", { exact: true })).toBeVisible();
  await expect.element(screen.getByText("720 elements: not kept as fields")).toBeVisible();
  await expectGoodLooks();
  await screen.getByText("/tf").click();
  await screen.getByRole("button", { name: "Plot /tf.transforms[0].transform.translation.x" }).click();
  await expect
    .element(screen.getByRole("button", { name: "/tf.transforms[0].transform.translation.x is plotted" }))
    .toBeDisabled();
});
