"use client";

import { Component, type ReactNode } from "react";
import { ErrorState } from "@/components/product/error-state";

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
    return (
      <ErrorState
        error={error}
        title={`${this.props.title} could not be shown`}
        onRetry={() => this.setState({ error: null })}
        className="py-4"
      />
    );
  }
}
