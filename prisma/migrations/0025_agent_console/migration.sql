-- AlterTable
ALTER TABLE "agent_executions" ADD COLUMN     "acted_by" TEXT,
ADD COLUMN     "by_hand" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "agents" ADD COLUMN     "last_seen_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "agent_attempts" (
    "uid" TEXT NOT NULL,
    "execution_id" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "ok" BOOLEAN NOT NULL,
    "status_code" INTEGER,
    "error" TEXT,
    "response" TEXT,

    CONSTRAINT "agent_attempts_pkey" PRIMARY KEY ("uid")
);

-- CreateIndex
CREATE INDEX "agent_attempts_execution_id_uid_idx" ON "agent_attempts"("execution_id", "uid");

-- CreateIndex
CREATE INDEX "agent_executions_agent_id_event_type_uid_idx" ON "agent_executions"("agent_id", "event_type", "uid");

-- CreateIndex
CREATE INDEX "agent_executions_action_idx" ON "agent_executions"("agent_id", "action", "uid") WHERE (action IS NOT NULL);

-- CreateIndex
CREATE INDEX "agent_executions_result_idx" ON "agent_executions"("result_id") WHERE (result_id IS NOT NULL);

-- AddForeignKey
ALTER TABLE "agent_attempts" ADD CONSTRAINT "agent_attempts_execution_id_fkey" FOREIGN KEY ("execution_id") REFERENCES "agent_executions"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
