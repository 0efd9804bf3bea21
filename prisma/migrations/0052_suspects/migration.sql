-- AlterTable
ALTER TABLE "worker_heartbeats" ADD COLUMN     "process_id" TEXT;

-- CreateTable
CREATE TABLE "deaf_processes" (
    "process_id" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "deaf_processes_pkey" PRIMARY KEY ("process_id")
);

-- CreateTable
CREATE TABLE "suspects" (
    "task" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "ends" INTEGER NOT NULL,
    "ends_alone" INTEGER NOT NULL,
    "refused" BOOLEAN NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "suspects_pkey" PRIMARY KEY ("task","subject")
);

-- CreateIndex
CREATE INDEX "deaf_processes_ended_at_idx" ON "deaf_processes"("ended_at");

-- CreateIndex
CREATE INDEX "suspects_updated_at_idx" ON "suspects"("updated_at");
