"use client";

import { createContext, use } from "react";
import { Button } from "@/components/kit/button";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { Refusal } from "@/components/product/panel-error";
import { showTimeOfDay } from "@/components/product/panel-texts";

/** A message of a recording, by its topic and its time in nanoseconds since 1970. */
export interface MessagePlace {
  topic: string;
  time: bigint;
}

/** What can be done with a message that a panel cannot show. */
export interface MessageActions {
  /** Shows its values; null where nothing else shows them. */
  showRaw: ((message: MessagePlace) => void) | null;
  /** Saves its bytes as a file. */
  download: (message: MessagePlace) => void;
}

/** Set by pages with recordings. */
export const MessageActionsContext = createContext<MessageActions | null>(null);

interface UnshownMessageProps {
  /** Names the field, or what else is wrong. */
  reason: string;
  /** Null where the recording cannot be read. */
  message: MessagePlace | null;
  /** Whether its values are what is shown already. */
  isRaw?: boolean;
}

/** Why a message is not shown, in every panel alike, and what can be done with it. */
export function UnshownMessage({ reason, message, isRaw = false }: UnshownMessageProps) {
  const { zone } = useTimeZone();
  if (message === null) return <Refusal text={reason} />;
  return (
    <span className="wrap-anywhere">
      {`Cannot be shown: ${reason} (${showTimeOfDay(message.time, zone)})`}
      <UnshownActions message={message} isRaw={isRaw} />
    </span>
  );
}

/** Why no message of a topic is shown. */
export function UnshownTopic({ reason }: { reason: string }) {
  return <span className="wrap-anywhere">{`Cannot be shown: ${reason}`}</span>;
}

/** Why a message is not shown, in one line of a table that says the time of its messages itself. */
export function UnshownRow({ reason, message }: { reason: string; message: MessagePlace }) {
  return (
    <span className="flex min-w-0 font-sans">
      <span title={reason} className="min-w-0 truncate text-warning-text">
        <span className="max-sm:sr-only">Cannot be shown: </span>
        {reason}
      </span>
      {/* What is pressed there is not a press on the row. */}
      <span className="shrink-0 whitespace-pre" onClick={(event) => event.stopPropagation()}>
        <UnshownActions message={message} />
      </span>
    </span>
  );
}

/** What can be done with a message that is not shown, after the reason. */
function UnshownActions({ message, isRaw = false }: { message: MessagePlace; isRaw?: boolean }) {
  const actions = use(MessageActionsContext);
  if (!actions) return null;
  return (
    <>
      {actions.showRaw && !isRaw && (
        <>
          {" · "}
          <Action label={`Raw message of ${message.topic}`} onClick={() => actions.showRaw?.(message)}>
            Raw
          </Action>
        </>
      )}
      {" · "}
      <Action label={`Download message of ${message.topic}`} onClick={() => actions.download(message)}>
        Download message
      </Action>
    </>
  );
}

function Action({ label, onClick, children }: { label: string; onClick: () => void; children: string }) {
  return (
    <Button
      variant="link"
      className="inline! align-baseline text-[length:inherit]! leading-[inherit]! whitespace-normal!"
      aria-label={label}
      onClick={onClick}
    >
      {children}
    </Button>
  );
}
