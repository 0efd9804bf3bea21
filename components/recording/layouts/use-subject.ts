"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useLookalikes } from "@/components/recording/picture/use-lookalikes";
import type { Subject } from "@/components/recording/session/panel-type";
import { useTimeline, type Timeline } from "@/components/recording/session/timeline-context";
import { useTRPC } from "@/components/trpc/client";
import { isWaySchema } from "@/engine/messages/scene-schemas";
import { isJointSchema } from "@/engine/messages/scenes/joints";

/** Whether joints of a recording move a robot that its device type describes; undefined while that is not known. */
export function useJointedRobot(recording: Timeline["recording"]): boolean | undefined {
  const trpc = useTRPC();
  const hasJoints = recording.topics.some(({ schema }) => isJointSchema(schema));
  const robot = useQuery({
    ...trpc.robotDescriptions.ofRecording.queryOptions({ uid: recording.uid }),
    enabled: hasJoints,
  });
  if (!hasJoints || robot.isError) return false;
  return robot.isPending ? undefined : robot.data !== null;
}

/** What the server says places the odometry of a recording on earth: a topic of it, or the device's metadata (null). */
type Datum = { topic: string | null };

const isPlaced = (datum: Datum | null, { topics }: Timeline["recording"]): boolean =>
  datum !== null && (datum.topic === null || topics.some(({ name }) => name === datum.topic));

/** Whether something places the odometry of a recording on earth; undefined while that is not known. */
export function useDatum(recording: Timeline["recording"]): boolean | undefined {
  const trpc = useTRPC();
  const hasOdometry = recording.topics.some(({ schema }) => isWaySchema(schema));
  const opening = useQuery({
    ...trpc.layouts.open.queryOptions({ recording: recording.uid }),
    enabled: hasOdometry,
  });
  if (!hasOdometry || opening.isError) return false;
  return opening.isPending ? undefined : isPlaced(opening.data.datum, recording);
}

/** What the recording of the page offers to panels; `datum`: what the server says places its odometry. */
export function useSubject(datum: Datum | null): Subject {
  const { recording, lanes, topic, findings, session } = useTimeline();
  const hasRobot = useJointedRobot(recording) ?? false;
  const pictureLike = useLookalikes(session, recording.topics);
  const hasDatum = isPlaced(datum, recording);
  return useMemo(() => {
    const rules = lanes?.rules ?? [];
    const named = new Map<string, number>();
    const name = (topic: string | null) => topic !== null && named.set(topic, (named.get(topic) ?? 0) + 1);
    for (const rule of rules)
      for (const each of new Set([rule.topic, ...rule.fields.map((field) => field.topic)])) name(each);
    name(topic);
    return {
      topics: recording.topics,
      named,
      fields: findings,
      hasRobot,
      hasDatum,
      isNotable: rules.length > 0 || (lanes?.alerts.length ?? 0) > 0,
      pictureLike,
    };
  }, [recording.topics, lanes, topic, findings, hasRobot, hasDatum, pictureLike]);
}
