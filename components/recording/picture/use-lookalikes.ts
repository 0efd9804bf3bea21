"use client";

import { useEffect, useMemo, useState } from "react";
import { mayHoldPictures } from "@/engine/messages/pictures/picture-lookalikes";

interface LookalikeTopic {
  name: string;
  schema: string;
  fields: readonly { path: string; kind: string }[];
}

/** What finds pictures among messages. */
interface PictureSearch {
  findPictures: (topics: readonly string[]) => Promise<string[]>;
}

/** Topics whose first message is looked at. */
const maxTopics = 20;
const none: readonly string[] = [];

/** Topics whose messages look like pictures, though nothing is known of their schema; empty until they are looked at. */
export function useLookalikes(session: PictureSearch, topics: readonly LookalikeTopic[]): readonly string[] {
  const [found, setFound] = useState(none);
  const possible = useMemo(
    () =>
      topics
        .filter(mayHoldPictures)
        .slice(0, maxTopics)
        .map(({ name }) => name),
    [topics],
  );
  useEffect(() => {
    if (possible.length === 0) return;
    let isOver = false;
    session.findPictures(possible).then(
      (names) => !isOver && setFound(names),
      () => {}, // panels say why the recording cannot be read
    );
    return () => {
      isOver = true;
    };
  }, [session, possible]);
  return possible.length === 0 ? none : found;
}
