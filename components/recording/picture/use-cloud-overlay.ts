"use client";

import { useEffect, useMemo, useRef, useState, type RefObject } from "react";
import type { DrawnCloud, RecordingSession, ShownPictures } from "@/components/recording/session/recording-session";
import type { CloudChoice, CloudReport } from "@/components/recording/thread/cloud-overlay";
import type { SceneTopic } from "@/components/recording/thread/scene-feed";

/** Milliseconds between two changes of the texts, while clouds change many times a second. */
const textMs = 100;

/**
 * Draws a cloud over the pictures of a panel, in a canvas inside `frame`, and says what is drawn. `wanted`: null draws
 * nothing; compared by what it holds, since panels make it anew whenever they render.
 */
export function useCloudOverlay(
  session: RecordingSession,
  camera: string,
  pictures: RefObject<ShownPictures | null>,
  topics: readonly SceneTopic[],
  wanted: CloudChoice | null,
) {
  const text = JSON.stringify(wanted);
  const choice = useMemo(() => JSON.parse(text) as CloudChoice | null, [text]);
  const frame = useRef<HTMLDivElement>(null);
  const drawn = useRef<DrawnCloud>(null);
  const newest = useRef(choice);
  const [report, setReport] = useState<CloudReport | null>(null);
  const isDrawn = choice !== null;
  useEffect(() => {
    newest.current = choice;
    if (choice !== null) drawn.current?.configure(choice);
  }, [choice]);
  useEffect(() => {
    const first = newest.current;
    if (!isDrawn || first === null) return;
    const canvas = document.createElement("canvas");
    canvas.setAttribute("aria-hidden", "true");
    frame.current?.append(canvas);
    let latest: CloudReport | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const cloud = pictures.current?.drawCloud(first, topics, canvas, (next) => {
      latest = next;
      timer ??= setTimeout(() => {
        timer = undefined;
        setReport(latest);
      }, textMs);
    });
    drawn.current = cloud ?? null;
    return () => {
      clearTimeout(timer);
      cloud?.end();
      drawn.current = null;
      canvas.remove();
      setReport(null);
    };
  }, [session, camera, pictures, topics, isDrawn]);
  return { frame, report: isDrawn && report?.topic === choice.topic ? report : null };
}
