"use client";

import { useQuery } from "@tanstack/react-query";
import { ArrowLeftRight } from "lucide-react";
import { Button } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { PageHeader } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { useCompareAddress } from "./compare-address";
import { CompareView } from "./compare-view";
import { ComparedRecording } from "./compared-recording";
import { ProposedRuns } from "./proposed-runs";
import { isPlayable, UnplayableRecording } from "./unplayable-recording";
import { useCompared } from "./use-compared";

const list = { label: "Recordings", href: "/recordings" };

/** Two recordings compared: which they are, and all that they have in common or not. */
export function ComparePage() {
  const trpc = useTRPC();
  const [address, setAddress] = useCompareAddress();
  const [a, b] = [useCompared(address.a), useCompared(address.b)];
  const [first, second] = [a.recording, b.recording];
  const areReady = first !== null && second !== null && isPlayable(first) && isPlayable(second);
  const isSame = address.a !== null && address.a === address.b;
  const anchors = useQuery({
    ...trpc.recordings.anchors.queryOptions({ a: first?.uid ?? "", b: second?.uid ?? "" }),
    enabled: areReady && !isSame,
  });
  // What is shown of one pair of recordings says nothing about another.
  const fresh = { align: null, shift: null, t: null, from: null, to: null };
  const choose = (side: "a" | "b") => (uid: string) =>
    void setAddress({ ...fresh, plots: null, panels: null, settings: null, [side]: uid }, { history: "push" });
  const swap = () =>
    void setAddress({ ...fresh, a: address.b, b: address.a, align: address.align, shift: -address.shift });
  return (
    // Where its parts are below each other, the head scrolls away with them.
    <div className="flex min-h-0 flex-1 flex-col max-lg:overflow-y-auto">
      <PageHeader
        title="Compare recordings"
        trail={[list]}
        isOneLine
        className="pb-2"
        actions={
          <>
            <CopyLink />
            <Button
              icon={<ArrowLeftRight aria-hidden />}
              disabledReason={areReady ? undefined : "Both recordings must be there and processed."}
              onClick={swap}
            >
              Swap
            </Button>
          </>
        }
      />
      <div className="grid shrink-0 gap-2 px-4 pb-2 max-xl:sm:px-6 lg:grid-cols-2">
        <ComparedRecording letter="A" compared={a} other={address.b} onChoose={choose("a")} />
        <ComparedRecording letter="B" compared={b} other={address.a} onChoose={choose("b")} />
      </div>
      {isSame ? (
        <p className="border-t px-4 py-8 text-body text-muted sm:px-6">
          A and B are the same recording. Choose another one for either.
        </p>
      ) : !areReady ? (
        <div className="flex flex-col gap-4 border-t px-4 py-8 sm:px-6">
          {(["A", "B"] as const).map((letter) => {
            const recording = letter === "A" ? first : second;
            return recording && <UnplayableRecording key={letter} letter={letter} recording={recording} />;
          })}
          {first !== null && address.b === null ? (
            <ProposedRuns uid={first.uid} onChoose={choose("b")} />
          ) : second !== null && address.a === null ? (
            <ProposedRuns uid={second.uid} onChoose={choose("a")} />
          ) : (
            (address.a === null || address.b === null) && (
              <p className="text-body text-muted">Choose two recordings to see what differs between them.</p>
            )
          )}
        </div>
      ) : anchors.data ? (
        <CompareView key={`${first.uid} ${second.uid}`} a={first} b={second} anchors={anchors.data} />
      ) : anchors.error ? (
        <ErrorState
          error={anchors.error}
          title="The recordings could not be aligned"
          onRetry={() => void anchors.refetch()}
        />
      ) : (
        <SkeletonText lines={6} className="border-t p-6" />
      )}
    </div>
  );
}
