"use client";

import { Button } from "@/components/kit/button";
import { answerTaken } from "./upload-queue";
import type { Upload } from "./upload-store";

/** Asks once what happens with all files whose names the dataset has already. */
export function TakenNames({ upload, taken }: { upload: Upload; taken: { count: number; first: string } }) {
  const { count, first } = taken;
  return (
    <div role="alert" className="flex flex-col gap-2">
      <p className="text-meta text-warning-text">
        The dataset has {count === 1 ? `an item named ${first}` : `${count.toLocaleString("en")} of these names`}{" "}
        already{count > 1 && `, such as ${first}`}.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={() => answerTaken(upload.key, "skip")}>
          {count === 1 ? "Skip it" : "Skip them"}
        </Button>
        <Button size="sm" onClick={() => answerTaken(upload.key, "rename")}>
          Rename
        </Button>
        <Button size="sm" variant="danger-quiet" onClick={() => answerTaken(upload.key, "stop")}>
          Stop
        </Button>
      </div>
    </div>
  );
}
