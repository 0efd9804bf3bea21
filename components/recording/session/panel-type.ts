import type { LucideIcon } from "lucide-react";
import type { ComponentType } from "react";
import type { RecordingTopic } from "@/components/recording/session/query";

/** What a recording offers to panels. */
export interface Subject {
  topics: readonly RecordingTopic[];
  /** Topics that rules hit, or that the page was opened for, with how often they are named. */
  named: ReadonlyMap<string, number>;
  /** Paths of the fields that rules compared. */
  fields: readonly string[];
  /** Whether joints move a robot that is described for the type of the device. */
  hasRobot: boolean;
  /** Whether odometry has a true place on earth: a datum is there for its frame. */
  hasDatum: boolean;
  /** Whether a rule hit or an alert was raised. */
  isNotable: boolean;
  /** Topics of unknown schemas whose messages look like pictures. */
  pictureLike: readonly string[];
}

/** What a panel of a type could show of a recording. */
export interface Candidate<Config> {
  config: Config;
  /** How much it says about the recording; 0 for what is offered but never suggested. */
  score: number;
  /** What to know before choosing it. */
  note?: string;
}

export interface PanelProps<Config> {
  config: Config;
  /** Keeps another config, as part of the layout. */
  onConfig: (config: Config) => void;
}

/** A type of panel: everything that layouts need to know of it. */
export interface PanelType<Config> {
  /** "Camera": what a panel of it is called. */
  label: string;
  icon: LucideIcon;
  /** What it shows, for its head and for screen readers. */
  title: (config: Config) => string;
  /** The topics it cannot do without. */
  topics: (config: Config) => readonly string[];
  /** What it could show, the best first. */
  candidates: (subject: Subject) => readonly Candidate<Config>[];
  /** Its part in suggested layouts: how many at most, and in which row. */
  suggested: { most: number; row: "above" | "below"; leads: boolean };
  View: ComponentType<PanelProps<Config>>;
  /** Whether the view draws the head itself, with `PanelTools` at its end. */
  hasOwnHead?: boolean;
}
