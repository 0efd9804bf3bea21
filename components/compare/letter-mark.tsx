import type { Letter } from "./compared-letter";

/** The letter of a recording, with the line that draws it in plots. */
export function LetterMark({ letter }: { letter: Letter }) {
  return (
    <span
      className={`inline-flex size-5 shrink-0 items-center justify-center rounded-control border-[1.5px] border-border-strong text-meta font-semibold ${letter === "B" ? "border-dashed" : ""}`}
    >
      {letter}
    </span>
  );
}
