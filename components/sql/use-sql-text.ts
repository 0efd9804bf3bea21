"use client";

import { parseAsString, useQueryState } from "nuqs";
import { useEffect, useRef, useState } from "react";
import { fitsAddress } from "./query";

/**
 * The text of the query, which the address holds as `?sql=` while it is short enough. `isShared`: the address holds it.
 */
export function useSqlText(): { sql: string; setSql: (sql: string) => void; isShared: boolean } {
  const [address, setAddress] = useQueryState("sql", parseAsString.withDefault(""));
  const [sql, setText] = useState(address);
  const written = useRef(address);
  // Back, Forward and links to another query replace the text.
  useEffect(() => {
    if (address === written.current) return;
    written.current = address;
    setText(address);
  }, [address]);
  return {
    sql,
    isShared: fitsAddress(sql),
    setSql: (next) => {
      setText(next);
      written.current = fitsAddress(next) ? next : "";
      void setAddress(written.current || null, { history: "replace", throttleMs: 400 });
    },
  };
}
