import { NotFound } from "@/components/product/page-failure";

export default function TaskNotFound() {
  return <NotFound noun="task" list={{ label: "Tasks", href: "/tasks" }} reason="Its item was deleted" />;
}
