"use client";

import { useEffect, useRef, useState } from "react";
import { readFailure } from "@/components/product/failure";
import { putFile, UploadFailed } from "@/components/upload/put-file";

/** How sending a file stands: a share of the bytes, then what the server does with it. */
export interface SendState {
  /** 0 to 1; null while the server looks at what was sent. */
  share: number | null;
  /** Why nothing is being sent at the moment. */
  waiting: string | null;
}

interface SingleFile<Done> {
  file: File;
  /** Begins on the server. Called again when a link has expired: another one begins then. */
  begin: () => Promise<{ uid: string; put_url: string }>;
  /** What is said when what was begun is gone. */
  deletedText: string;
  /** Has the server look at what was sent. */
  finish: (uid: string) => Promise<Done>;
  /**
   * What the file is for. A file that was sent whole for it is not sent again when the server could not be reached, or was not able,
   * to look at it; without this it always is.
   */
  purpose?: string;
}

/** A file that was sent whole. */
interface Sent {
  uid: string;
  file: File;
  purpose: string;
}

/** Whether asking again may help: nothing was refused for what it is. */
const isPassing = (status: number | undefined): boolean => status === undefined || status === 429 || status >= 500;

/** Sends one file to the installation's own store and has it looked at; sending ends with the dialog that shows it. */
export function useSingleFile() {
  const [state, setState] = useState<SendState | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const abort = useRef<AbortController | null>(null);
  const sent = useRef<Sent | null>(null);
  useEffect(() => () => abort.current?.abort(), []);

  /** Calls `onDone` with what `finish` resolves to, unless the dialog was closed meanwhile. */
  const send = async <Done>(
    { file, begin, deletedText, finish, purpose }: SingleFile<Done>,
    onDone: (done: Done) => void,
  ) => {
    const { signal } = (abort.current = new AbortController());
    setProblem(null);
    setState({ share: 0, waiting: null });
    try {
      const before = sent.current?.file === file && sent.current.purpose === purpose ? sent.current.uid : null;
      let uid = before ?? "";
      if (before === null)
        await putFile({
          file,
          isFresh: true,
          deletedText,
          target: async () => {
            const begun = await begin();
            ({ uid } = begun);
            return { url: begun.put_url, headers: {}, resumable: true };
          },
          signal,
          onProgress: (bytes) => setState({ share: bytes / Math.max(1, file.size), waiting: null }),
          onWaiting: (waiting) => setState((now) => now && { ...now, waiting: waiting?.reason ?? null }),
        });
      sent.current = purpose === undefined ? null : { uid, file, purpose };
      setState({ share: null, waiting: null });
      const done = await finish(uid);
      sent.current = null;
      if (!signal.aborted) onDone(done);
    } catch (error) {
      if (signal.aborted) return;
      const { detail, issues, status } = readFailure(error);
      if (!isPassing(status)) sent.current = null;
      setProblem(error instanceof UploadFailed ? error.message : (issues[0]?.message ?? detail));
    } finally {
      if (!signal.aborted) setState(null);
    }
  };
  return { send, state, problem, setProblem };
}
