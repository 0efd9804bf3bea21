-- CreateTable
CREATE TABLE "agents" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "events" TEXT[],
    "callback_url" TEXT NOT NULL DEFAULT '',
    "secret_sealed" TEXT NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "project_id" TEXT,
    "task_types" TEXT[],
    "created_by_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agents_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "agent_executions" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "event_type" TEXT NOT NULL,
    "event_payload" JSON NOT NULL,
    "project_id" TEXT,
    "task_id" TEXT,
    "task_type" TEXT,
    "result_id" TEXT,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "action" TEXT,
    "reason" TEXT NOT NULL DEFAULT '',
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "response_payload" JSONB,
    "error_message" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "deadline" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agent_executions_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "exports" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'requested',
    "filter" TEXT NOT NULL DEFAULT '',
    "datasets" TEXT[],
    "slices" TEXT[],
    "projects" TEXT[],
    "total_task_count" INTEGER,
    "exported_task_count" INTEGER,
    "storage_key" TEXT,
    "size_bytes" BIGINT NOT NULL DEFAULT 0,
    "error_message" TEXT,
    "created_by_id" TEXT,
    "completed_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "exports_pkey" PRIMARY KEY ("uid")
);

-- CreateIndex
CREATE INDEX "agents_organization_id_uid_idx" ON "agents"("organization_id", "uid");

-- CreateIndex
CREATE UNIQUE INDEX "agents_organization_id_name_key" ON "agents"("organization_id", "name");

-- CreateIndex
CREATE INDEX "agent_executions_agent_id_uid_idx" ON "agent_executions"("agent_id", "uid");

-- CreateIndex
CREATE INDEX "agent_executions_agent_id_status_uid_idx" ON "agent_executions"("agent_id", "status", "uid");

-- CreateIndex
CREATE INDEX "agent_executions_due_idx" ON "agent_executions"("agent_id", "next_attempt_at") WHERE (next_attempt_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "agent_executions_open_idx" ON "agent_executions"("deadline") WHERE (completed_at IS NULL);

-- CreateIndex
CREATE INDEX "exports_organization_id_uid_idx" ON "exports"("organization_id", "uid");

-- CreateIndex
CREATE INDEX "exports_organization_id_name_uid_idx" ON "exports"("organization_id", "name", "uid");

-- CreateIndex
CREATE INDEX "exports_organization_id_status_uid_idx" ON "exports"("organization_id", "status", "uid");

-- CreateIndex
CREATE INDEX "exports_expires_at_idx" ON "exports"("expires_at");

-- AddForeignKey
ALTER TABLE "agents" ADD CONSTRAINT "agents_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_executions" ADD CONSTRAINT "agent_executions_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "exports" ADD CONSTRAINT "exports_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
