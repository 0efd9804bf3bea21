import { Progress } from "@/components/kit/progress";

export interface TriageProgressProps {
  /** "Resolving 3,200 alerts" */
  label: string;
  share: number;
}

/** How far an action on very many alerts is: at the top, where neither toasts nor buttons are. */
export const TriageProgress = (props: TriageProgressProps) => (
  <div className="fixed top-14 left-1/2 z-35 w-80 max-w-[calc(100vw-2rem)] -translate-x-1/2 rounded-panel bg-raised p-4 shadow-float">
    <Progress {...props} showLabel />
  </div>
);
