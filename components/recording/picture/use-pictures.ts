"use client";

import { useEffect, useRef, useState } from "react";
import type { RecordingSession, ShownPictures } from "@/components/recording/session/recording-session";
import type { PictureChoice } from "@/components/recording/thread/picture-options";
import type { PictureReport } from "@/components/recording/thread/picture-player";

/** Milliseconds between two changes of the texts, while pictures change many times a second. */
const textMs = 100;

/** Shows pictures in a canvas inside `frame`, and says what is shown. */
export function usePictures(session: RecordingSession, topic: string, choice: PictureChoice) {
  const frame = useRef<HTMLDivElement>(null);
  const shown = useRef<ShownPictures>(null);
  const isChosen = useRef(false);
  const [report, setReport] = useState<PictureReport | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const canvas = document.createElement("canvas");
    canvas.setAttribute("aria-hidden", "true");
    frame.current?.append(canvas);
    let newest: PictureReport | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const pictures = session.showPictures(topic, canvas, (next) => {
      newest = next;
      timer ??= setTimeout(() => {
        timer = undefined;
        setReport(newest);
      }, textMs);
    });
    shown.current = pictures;
    isChosen.current = false;
    return () => {
      clearTimeout(timer);
      pictures.end();
      shown.current = null;
      canvas.remove();
    };
  }, [session, topic, round]);
  const { scale, range, calibration } = choice;
  useEffect(() => {
    const isDefault = scale === "turbo" && range === null && calibration === null;
    if (isDefault && !isChosen.current) return; // as the thread draws by itself
    isChosen.current = true;
    shown.current?.configure({ scale, range, calibration });
  }, [session, topic, round, scale, range, calibration]);
  /** Asks the recording's thread anew, or another one where that could not begin. */
  const retry = () => {
    setReport(null);
    setRound(round + 1);
  };
  return { frame, report, shown, retry };
}
