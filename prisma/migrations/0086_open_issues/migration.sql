-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "open_issues" INTEGER NOT NULL DEFAULT 0;

-- Keeps the open issues of tasks, whichever version opens or resolves them. Whoever does has locked the task. What goes with
-- its task finds none to change.
CREATE FUNCTION count_open_issues() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    UPDATE tasks t SET open_issues = t.open_issues + c.change
    FROM (SELECT task_id, sum(change)::integer AS change
      FROM (SELECT task_id, 1 AS change FROM made WHERE state = 'open' UNION ALL SELECT task_id, -1 FROM gone WHERE state = 'open') e
      GROUP BY task_id HAVING sum(change) <> 0) c
    WHERE t.uid = c.task_id;
  ELSIF TG_OP = 'INSERT' THEN
    UPDATE tasks t SET open_issues = t.open_issues + c.change
    FROM (SELECT task_id, count(*)::integer AS change FROM made WHERE state = 'open' GROUP BY task_id) c
    WHERE t.uid = c.task_id;
  ELSE
    UPDATE tasks t SET open_issues = t.open_issues - c.change
    FROM (SELECT task_id, count(*)::integer AS change FROM gone WHERE state = 'open' GROUP BY task_id) c
    WHERE t.uid = c.task_id;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER count_opened_issues AFTER INSERT ON issues REFERENCING NEW TABLE AS made
FOR EACH STATEMENT EXECUTE FUNCTION count_open_issues();

CREATE TRIGGER count_changed_issues AFTER UPDATE ON issues REFERENCING OLD TABLE AS gone NEW TABLE AS made
FOR EACH STATEMENT EXECUTE FUNCTION count_open_issues();

CREATE TRIGGER count_deleted_issues AFTER DELETE ON issues REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION count_open_issues();

-- Few rows: tasks about which something is open.
UPDATE "tasks" t SET "open_issues" = i.open
FROM (SELECT "task_id", count(*)::integer AS open FROM "issues" WHERE "state" = 'open' GROUP BY 1) i
WHERE t."uid" = i."task_id";
