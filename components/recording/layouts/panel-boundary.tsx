"use client";

import { Component, use, type ReactNode } from "react";
import { TruncateMiddle } from "@/components/kit/truncate";
import { ErrorState } from "@/components/product/error-state";
import { PanelToolsContext } from "@/components/product/panel-tools";

interface State {
  error: unknown;
}

/** A failure of what is inside stops nothing else, and can be tried again. */
export class PanelBoundary extends Component<{ title: string; children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const { title } = this.props;
    return (
      <div className="flex h-full flex-col">
        <Head title={title} />
        <div className="flex min-h-0 flex-1 flex-col justify-center-safe overflow-y-auto">
          <ErrorState
            error={error}
            title={`${title} could not be shown`}
            onRetry={() => this.setState({ error: null })}
            className="py-4"
          />
        </div>
      </div>
    );
  }
}

/** In place of the head that the panel itself draws while it does not fail. */
function Head({ title }: { title: string }) {
  const tools = use(PanelToolsContext);
  if (tools === null) return null;
  return (
    <div className="flex h-7 shrink-0 items-center gap-2 pr-1 pl-2 text-meta text-muted">
      <TruncateMiddle text={title} className="min-w-0 flex-1" />
      {tools}
    </div>
  );
}
