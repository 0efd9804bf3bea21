"use client";

import { useMemo } from "react";
import { formatNumber } from "@/components/kit/format";
import { fromBase64 } from "@/engine/bytes";
import { listBytes } from "./message-bytes";

/** The first bytes of a message that cannot be decoded, as a listing; `base64`: those bytes, `size`: of the whole message. */
export function MessageBytes({ base64, size }: { base64: string; size: number }) {
  const bytes = useMemo(() => fromBase64(base64), [base64]);
  const rows = useMemo(() => listBytes(bytes), [bytes]);
  const count = bytes.length;
  if (count === 0) return <p className="text-meta text-subtle">The message is empty.</p>;
  return (
    <>
      <p className="text-meta text-subtle">
        {count < size ? `The first ${formatNumber(count, 0)} bytes of ${formatNumber(size, 0)}` : "All of its bytes"}
      </p>
      <div className="max-h-[60vh] overflow-auto font-mono text-meta" tabIndex={0} role="group" aria-label="Bytes">
        <table aria-label="Bytes of the message" className="whitespace-pre">
          <thead className="sr-only">
            <tr>
              <th scope="col">Position</th>
              <th scope="col">Bytes</th>
              <th scope="col">As text</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ offset, hex, text }) => (
              <tr key={offset}>
                <th scope="row" className="pr-3 text-left font-normal text-subtle">
                  {offset}
                </th>
                <td className="pr-3">{hex}</td>
                <td className="text-muted">{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
