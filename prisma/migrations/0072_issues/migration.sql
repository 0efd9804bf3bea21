-- CreateTable
CREATE TABLE "issues" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "result_id" TEXT,
    "round" INTEGER NOT NULL,
    "shape_id" TEXT,
    "point_x" DOUBLE PRECISION,
    "point_y" DOUBLE PRECISION,
    "kind" TEXT NOT NULL,
    "text" TEXT NOT NULL DEFAULT '',
    "state" TEXT NOT NULL DEFAULT 'open',
    "created_by_id" TEXT,
    "by_name" TEXT NOT NULL,
    "resolved_by" TEXT,
    "resolved_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "issues_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "issue_comments" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "issue_id" TEXT NOT NULL,
    "created_by_id" TEXT,
    "by_name" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "issue_comments_pkey" PRIMARY KEY ("uid")
);

-- CreateIndex
CREATE INDEX "issues_task_id_uid_idx" ON "issues"("task_id", "uid");

-- CreateIndex
CREATE INDEX "issues_project_id_state_uid_idx" ON "issues"("project_id", "state", "uid");

-- CreateIndex
CREATE INDEX "issue_comments_issue_id_uid_idx" ON "issue_comments"("issue_id", "uid");

-- AddForeignKey
ALTER TABLE "issues" ADD CONSTRAINT "issues_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "issue_comments" ADD CONSTRAINT "issue_comments_issue_id_fkey" FOREIGN KEY ("issue_id") REFERENCES "issues"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
