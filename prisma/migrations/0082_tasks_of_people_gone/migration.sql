-- What is open of people who left is nobody's: few rows, of results that were rejected after they had gone.
UPDATE "tasks" t SET "assignee_id" = NULL, "assigned_by" = NULL
WHERE t."status" <> 'completed' AND t."assignee_id" IS NOT NULL AND t."lease_user" IS NULL
  AND NOT EXISTS (SELECT 1 FROM "memberships" m WHERE m."user_id" = t."assignee_id" AND m."organization_id" = t."organization_id");
