"use client";

import { useMemo, useState } from "react";
import { Combobox } from "@/components/kit/combobox";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { formatPath, parsePath, searchPaths, type PathTopic } from "@/components/recording/session/topic-path";

export interface FieldComboboxProps {
  /** What happened to the plain box in its place. */
  begins: { typed: string; isOpen: boolean };
  onChoose: (path: string) => void;
}

/** Chooses a field of any topic, with the focus from the beginning. */
export function FieldCombobox({ begins, onChoose }: FieldComboboxProps) {
  const { recording, plots, topic } = useTimeline();
  const [text, setText] = useState(begins.typed);
  const topics = useMemo<PathTopic[]>(
    () => recording.topics.map(({ name, fields }) => ({ name, fields: fields.filter(({ kind }) => kind !== "time") })),
    [recording.topics],
  );
  const options = useMemo(() => {
    const exact = parsePath(text, topics);
    const found = exact
      ? [exact]
      : searchPaths(
          text ? topics : topics.toSorted((a, b) => Number(b.name === topic) - Number(a.name === topic)),
          text,
        );
    return found
      .filter((path) => !plots.includes(formatPath(path)))
      .map((path) => {
        const field = topics.find(({ name }) => name === path.topic)?.fields.find((each) => each.path === path.field);
        const unit = typeof field?.unit === "string" ? `, ${field.unit}` : "";
        return { value: formatPath(path), label: formatPath(path), hint: `${field?.kind ?? ""}${unit}` };
      });
  }, [text, topics, plots, topic]);
  return (
    <Combobox
      aria-label="Add a plot"
      placeholder="Add a plot: /topic.field"
      className="max-w-80"
      options={options}
      value={null}
      begins={begins}
      onSearch={setText}
      emptyText={
        topics.some(({ fields }) => fields.length > 0)
          ? "No field matches"
          : "This recording has no fields that can be plotted"
      }
      onValueChange={(path) => path && onChoose(path)}
    />
  );
}
