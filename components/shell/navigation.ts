import {
  BellOff,
  BookOpen,
  Bot,
  Box,
  BrainCircuit,
  Building2,
  Cable,
  CalendarClock,
  Database,
  Disc,
  FileCode,
  Filter,
  FolderKanban,
  FolderTree,
  HardDrive,
  HeartPulse,
  Images,
  KeyRound,
  LayoutDashboard,
  ListChecks,
  PackageOpen,
  ScrollText,
  Send,
  Siren,
  SquareCheckBig,
  SquareTerminal,
  Users,
  Webhook,
  type LucideIcon,
} from "lucide-react";

export interface NavigationItem {
  label: string;
  href: string;
  icon: LucideIcon;
  /** Sequence that goes there. */
  keys?: string;
  /** More keywords for the command palette. */
  keywords?: string;
}

export interface NavigationGroup {
  /** Shown above the group; the main group has none. */
  heading?: string;
  items: readonly NavigationItem[];
}

/** The rail, the command palette and the `g` shortcuts are all drawn from this list. Add a line with each new page. */
export const navigation: readonly NavigationGroup[] = [
  {
    items: [
      { label: "Overview", href: "/overview", icon: LayoutDashboard, keys: "g o", keywords: "home fleet" },
      { label: "Devices", href: "/devices", icon: HardDrive, keys: "g d", keywords: "robots fleet" },
      { label: "Groups", href: "/groups", icon: FolderTree, keywords: "device groups halls lines sites" },
      { label: "Recordings", href: "/recordings", icon: Disc, keys: "g r", keywords: "bag mcap upload timeline" },
      { label: "Events", href: "/events", icon: CalendarClock, keys: "g e", keywords: "marks moments" },
      { label: "Rules", href: "/rules", icon: ListChecks, keys: "g u", keywords: "conditions monitors detectors" },
      { label: "Alerts", href: "/alerts", icon: Siren, keys: "g a", keywords: "inbox incidents triage" },
    ],
  },
  {
    heading: "Data",
    items: [
      { label: "Datasets", href: "/datasets", icon: Images, keys: "g t", keywords: "items pictures training labels" },
      { label: "Slices", href: "/slices", icon: Filter, keys: "g i", keywords: "filters questions items datasets" },
      {
        label: "Projects",
        href: "/projects",
        icon: FolderKanban,
        keys: "g p",
        keywords: "labels tasks annotation review",
      },
      {
        label: "Tasks",
        href: "/tasks",
        icon: SquareCheckBig,
        keys: "g j",
        keywords: "queue labelling work annotation",
      },
      {
        label: "Models",
        href: "/models",
        icon: BrainCircuit,
        keys: "g n",
        keywords: "predictions inference runs detector pre-labels",
      },
      { label: "SQL", href: "/sql", icon: SquareTerminal, keys: "g q", keywords: "query signals duckdb parquet chart" },
      {
        label: "Exports",
        href: "/exports",
        icon: PackageOpen,
        keys: "g x",
        keywords: "download yolo json training file",
      },
    ],
  },
  {
    heading: "Connect",
    items: [
      { label: "Webhooks", href: "/webhooks", icon: Webhook, keys: "g w", keywords: "http events deliveries replay" },
      { label: "Agents", href: "/agents", icon: Bot, keys: "g b", keywords: "programs judge results executions bots" },
      {
        label: "Storage",
        href: "/storage",
        icon: Database,
        keys: "g y",
        keywords: "buckets s3 gcs google cloud files",
      },
      { label: "MCP", href: "/settings/mcp", icon: Cable, keywords: "models assistants claude cursor tools" },
    ],
  },
  {
    heading: "Settings",
    items: [
      { label: "Organization", href: "/settings/organization", icon: Building2, keywords: "name delete company" },
      { label: "Members", href: "/settings/members", icon: Users, keys: "g m", keywords: "people team invite" },
      { label: "API keys", href: "/settings/api-keys", icon: KeyRound, keys: "g k", keywords: "tokens scopes" },
      {
        label: "Channels",
        href: "/settings/channels",
        icon: Send,
        keys: "g c",
        keywords: "slack mail pagerduty teams notifications",
      },
      { label: "Silences", href: "/settings/silences", icon: BellOff, keys: "g s", keywords: "mute maintenance" },
      {
        label: "Health",
        href: "/settings/health",
        icon: HeartPulse,
        keywords: "metrics heartbeats battery cpu temperature bounds units",
      },
      {
        label: "Message definitions",
        href: "/settings/message-definitions",
        icon: FileCode,
        keywords: "msg srv action idl ros types schemas",
      },
      {
        label: "Robot descriptions",
        href: "/settings/robot-descriptions",
        icon: Box,
        keywords: "urdf mesh model stl dae gltf",
      },
      { label: "Audit", href: "/settings/audit", icon: ScrollText, keys: "g l", keywords: "log history" },
    ],
  },
  {
    heading: "Help",
    items: [
      { label: "Documentation", href: "/docs", icon: BookOpen, keys: "g h", keywords: "guides api reference curl" },
    ],
  },
];

export const profileHref = "/settings/profile";

/** Whether a page belongs to an item: its own path or one below it. */
export function isCurrent(pathname: string, href: string): boolean {
  return pathname === href || pathname.startsWith(`${href}/`);
}
