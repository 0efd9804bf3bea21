-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "alerts" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "rule_id" TEXT NOT NULL,
    "rule_name" TEXT NOT NULL,
    "rule_version" INTEGER NOT NULL,
    "device_id" TEXT NOT NULL,
    "device_name" TEXT NOT NULL,
    "recording_id" TEXT,
    "severity" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'open',
    "previous_status" TEXT,
    "message" TEXT NOT NULL,
    "evidence" JSONB NOT NULL DEFAULT '{}',
    "occurrence_count" INTEGER NOT NULL DEFAULT 1,
    "dedupe_key" TEXT NOT NULL,
    "triggered_at" TIMESTAMPTZ(3) NOT NULL,
    "triggered_ns" BIGINT NOT NULL,
    "acknowledged_at" TIMESTAMPTZ(3),
    "acknowledged_by" TEXT,
    "resolved_at" TIMESTAMPTZ(3),
    "resolved_by" TEXT,
    "note" TEXT NOT NULL DEFAULT '',
    "resolution_reason" TEXT,
    "assignee_id" TEXT,
    "snoozed_until" TIMESTAMPTZ(3),
    "silence_id" TEXT,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "alerts_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "alert_comments" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "alert_id" TEXT NOT NULL,
    "author_id" TEXT NOT NULL,
    "author_name" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "alert_comments_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "silences" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "matchers" JSONB NOT NULL,
    "reason" TEXT NOT NULL,
    "ticket" TEXT NOT NULL DEFAULT '',
    "created_by_id" TEXT,
    "created_by_name" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "silences_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "channels" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "config" JSONB NOT NULL,
    "secrets_sealed" TEXT,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "channels_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "notifications" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "channel_id" TEXT NOT NULL,
    "alert_id" TEXT,
    "event" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "status_code" INTEGER,
    "error" TEXT,
    "dedupe_key" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "notification_attempts" (
    "uid" TEXT NOT NULL,
    "notification_id" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "ok" BOOLEAN NOT NULL,
    "status_code" INTEGER,
    "error" TEXT,
    "response" TEXT,

    CONSTRAINT "notification_attempts_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "devices" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL DEFAULT 'unknown',
    "status" TEXT NOT NULL DEFAULT 'offline',
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "firmware_version" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "metrics" JSONB NOT NULL DEFAULT '{}',
    "last_seen_at" TIMESTAMPTZ(3),
    "token_hash" TEXT NOT NULL,
    "token_last_four" TEXT NOT NULL,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "devices_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "device_tags" (
    "organization_id" TEXT NOT NULL,
    "tag" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,

    CONSTRAINT "device_tags_pkey" PRIMARY KEY ("organization_id","tag","device_id")
);

-- CreateTable
CREATE TABLE "device_groups" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "device_groups_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "device_group_members" (
    "group_id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,

    CONSTRAINT "device_group_members_pkey" PRIMARY KEY ("group_id","device_id")
);

-- CreateTable
CREATE TABLE "users" (
    "uid" TEXT NOT NULL,
    "username" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "first_name" TEXT NOT NULL DEFAULT '',
    "last_name" TEXT NOT NULL DEFAULT '',
    "password_hash" TEXT NOT NULL,
    "is_staff" BOOLEAN NOT NULL DEFAULT false,
    "session_version" INTEGER NOT NULL DEFAULT 1,
    "preferences" JSONB NOT NULL DEFAULT '{}',
    "last_active_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "organizations" (
    "uid" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "logo_url" TEXT,
    "settings" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "organizations_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "name_claims" (
    "name" TEXT NOT NULL,
    "user_id" TEXT,
    "organization_id" TEXT,

    CONSTRAINT "name_claims_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "memberships" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "joined_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_active_at" TIMESTAMPTZ(3),

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "invitations" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "token_hash" TEXT NOT NULL,
    "token_sealed" TEXT NOT NULL,
    "invited_by_id" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "last_four" TEXT NOT NULL,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "last_used_ip" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "actor_type" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "actor_name" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target_type" TEXT NOT NULL,
    "target_id" TEXT NOT NULL,
    "target_name" TEXT NOT NULL DEFAULT '',
    "before" JSONB,
    "after" JSONB,
    "ip" TEXT,
    "request_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "recordings" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "device_name" TEXT NOT NULL,
    "name" TEXT NOT NULL DEFAULT '',
    "status" TEXT NOT NULL DEFAULT 'uploading',
    "error_message" TEXT,
    "warnings" JSONB NOT NULL DEFAULT '[]',
    "gaps" JSONB NOT NULL DEFAULT '[]',
    "truncated" BOOLEAN NOT NULL DEFAULT false,
    "format" TEXT,
    "size_bytes" BIGINT NOT NULL DEFAULT 0,
    "topic_count" INTEGER NOT NULL DEFAULT 0,
    "message_count" BIGINT NOT NULL DEFAULT 0,
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,
    "start_ns" BIGINT,
    "end_ns" BIGINT,
    "stage" TEXT,
    "progress" DOUBLE PRECISION,
    "active_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "processed_at" TIMESTAMPTZ(3),
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "recordings_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "recording_tags" (
    "organization_id" TEXT NOT NULL,
    "tag" TEXT NOT NULL,
    "recording_id" TEXT NOT NULL,

    CONSTRAINT "recording_tags_pkey" PRIMARY KEY ("organization_id","tag","recording_id")
);

-- CreateTable
CREATE TABLE "upload_sessions" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "recording_id" TEXT,
    "status" TEXT NOT NULL DEFAULT 'active',
    "files_hash" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "total_files" INTEGER NOT NULL,
    "total_bytes" BIGINT NOT NULL,
    "confirmed_files" INTEGER NOT NULL DEFAULT 0,
    "confirmed_bytes" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finalized_at" TIMESTAMPTZ(3),

    CONSTRAINT "upload_sessions_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "stored_files" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "recording_id" TEXT,
    "path" TEXT NOT NULL,
    "storage_key" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "etag" TEXT,
    "confirmed_at" TIMESTAMPTZ(3),
    "position" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "stored_files_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "topics" (
    "recording_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "schema_name" TEXT NOT NULL,
    "encoding" TEXT NOT NULL,
    "message_count" BIGINT NOT NULL,
    "frequency_hz" DOUBLE PRECISION NOT NULL,
    "first_ns" BIGINT,
    "last_ns" BIGINT,
    "median_period_ns" BIGINT,
    "fields" JSONB NOT NULL DEFAULT '[]',
    "error" TEXT,

    CONSTRAINT "topics_pkey" PRIMARY KEY ("recording_id","name")
);

-- CreateTable
CREATE TABLE "series" (
    "recording_id" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "field" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "unit" TEXT,
    "sample_count" BIGINT NOT NULL,
    "data" BYTEA NOT NULL,

    CONSTRAINT "series_pkey" PRIMARY KEY ("recording_id","topic","field")
);

-- CreateTable
CREATE TABLE "events" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "recording_id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "timestamp_ns" BIGINT NOT NULL,
    "duration_ns" BIGINT,
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "source" TEXT NOT NULL,
    "rule_id" TEXT,
    "created_by_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "events_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "event_tags" (
    "organization_id" TEXT NOT NULL,
    "tag" TEXT NOT NULL,
    "timestamp_ns" BIGINT NOT NULL,
    "event_id" TEXT NOT NULL,

    CONSTRAINT "event_tags_pkey" PRIMARY KEY ("organization_id","tag","timestamp_ns","event_id")
);

-- CreateTable
CREATE TABLE "rules" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "builtin" BOOLEAN NOT NULL DEFAULT false,
    "version" INTEGER NOT NULL DEFAULT 1,
    "condition_type" TEXT NOT NULL,
    "condition" JSONB NOT NULL,
    "actions" JSONB NOT NULL,
    "scope" JSONB,
    "hit_count" BIGINT NOT NULL DEFAULT 0,
    "last_hit_ns" BIGINT,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_by_id" TEXT,
    "updated_by_id" TEXT,
    "updated_by_name" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rules_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "rule_versions" (
    "rule_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "condition" JSONB NOT NULL,
    "actions" JSONB NOT NULL,
    "scope" JSONB,
    "note" TEXT NOT NULL DEFAULT '',
    "created_by_id" TEXT,
    "created_by_name" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rule_versions_pkey" PRIMARY KEY ("rule_id","version")
);

-- CreateTable
CREATE TABLE "rule_evaluations" (
    "rule_id" TEXT NOT NULL,
    "recording_id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "reason" TEXT NOT NULL DEFAULT '',
    "hit_count" INTEGER NOT NULL DEFAULT 0,
    "suppressed" INTEGER NOT NULL DEFAULT 0,
    "storm" BOOLEAN NOT NULL DEFAULT false,
    "notes" JSONB NOT NULL DEFAULT '[]',
    "last_trigger_ns" BIGINT,
    "duration_ms" INTEGER NOT NULL DEFAULT 0,
    "run_id" TEXT,
    "action_results" JSONB NOT NULL DEFAULT '[]',
    "evaluated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rule_evaluations_pkey" PRIMARY KEY ("rule_id","recording_id")
);

-- CreateTable
CREATE TABLE "rule_hits" (
    "rule_id" TEXT NOT NULL,
    "recording_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "organization_id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "started_ns" BIGINT NOT NULL,
    "triggered_ns" BIGINT NOT NULL,
    "ended_ns" BIGINT NOT NULL,
    "peak" DOUBLE PRECISION,
    "evidence" JSONB NOT NULL,

    CONSTRAINT "rule_hits_pkey" PRIMARY KEY ("rule_id","recording_id","position")
);

-- CreateTable
CREATE TABLE "rule_runs" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "rule_id" TEXT,
    "rule_version" INTEGER,
    "kind" TEXT NOT NULL,
    "request" JSONB NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "total" INTEGER NOT NULL DEFAULT 0,
    "processed" INTEGER NOT NULL DEFAULT 0,
    "hit_count" INTEGER NOT NULL DEFAULT 0,
    "result" JSONB,
    "error" TEXT,
    "created_by_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "rule_runs_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "worker_heartbeats" (
    "pool_id" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "worker_heartbeats_pkey" PRIMARY KEY ("pool_id")
);

-- CreateTable
CREATE TABLE "rate_limits" (
    "key" VARCHAR(255) NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "rate_limits_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE UNIQUE INDEX "alerts_dedupe_key_key" ON "alerts"("dedupe_key");

-- CreateIndex
CREATE INDEX "alerts_organization_id_uid_idx" ON "alerts"("organization_id", "uid");

-- CreateIndex
CREATE INDEX "alerts_organization_id_status_severity_uid_idx" ON "alerts"("organization_id", "status", "severity", "uid");

-- CreateIndex
CREATE INDEX "alerts_organization_id_severity_uid_idx" ON "alerts"("organization_id", "severity", "uid");

-- CreateIndex
CREATE INDEX "alerts_device_id_status_uid_idx" ON "alerts"("device_id", "status", "uid");

-- CreateIndex
CREATE INDEX "alerts_rule_id_status_uid_idx" ON "alerts"("rule_id", "status", "uid");

-- CreateIndex
CREATE INDEX "alerts_rule_id_device_id_uid_idx" ON "alerts"("rule_id", "device_id", "uid");

-- CreateIndex
CREATE INDEX "alerts_recording_id_uid_idx" ON "alerts"("recording_id", "uid");

-- CreateIndex
CREATE INDEX "alerts_silence_id_idx" ON "alerts"("silence_id");

-- CreateIndex
CREATE INDEX "alerts_status_snoozed_until_idx" ON "alerts"("status", "snoozed_until");

-- CreateIndex
CREATE INDEX "alert_comments_alert_id_uid_idx" ON "alert_comments"("alert_id", "uid");

-- CreateIndex
CREATE INDEX "silences_organization_id_uid_idx" ON "silences"("organization_id", "uid");

-- CreateIndex
CREATE INDEX "silences_organization_id_ends_at_idx" ON "silences"("organization_id", "ends_at");

-- CreateIndex
CREATE INDEX "channels_organization_id_uid_idx" ON "channels"("organization_id", "uid");

-- CreateIndex
CREATE UNIQUE INDEX "notifications_dedupe_key_key" ON "notifications"("dedupe_key");

-- CreateIndex
CREATE INDEX "notifications_channel_id_uid_idx" ON "notifications"("channel_id", "uid");

-- CreateIndex
CREATE INDEX "notifications_alert_id_channel_id_idx" ON "notifications"("alert_id", "channel_id");

-- CreateIndex
CREATE INDEX "notifications_channel_id_alert_id_idx" ON "notifications"("channel_id", "alert_id");

-- CreateIndex
CREATE INDEX "notifications_status_next_attempt_at_idx" ON "notifications"("status", "next_attempt_at");

-- CreateIndex
CREATE INDEX "notification_attempts_notification_id_uid_idx" ON "notification_attempts"("notification_id", "uid");

-- CreateIndex
CREATE UNIQUE INDEX "devices_token_hash_key" ON "devices"("token_hash");

-- CreateIndex
CREATE INDEX "devices_organization_id_uid_idx" ON "devices"("organization_id", "uid");

-- CreateIndex
CREATE INDEX "devices_organization_id_status_uid_idx" ON "devices"("organization_id", "status", "uid");

-- CreateIndex
CREATE INDEX "devices_organization_id_type_uid_idx" ON "devices"("organization_id", "type", "uid");

-- CreateIndex
CREATE INDEX "devices_status_last_seen_at_idx" ON "devices"("status", "last_seen_at");

-- CreateIndex
CREATE INDEX "devices_metadata_idx" ON "devices" USING GIN ("metadata" jsonb_path_ops);

-- CreateIndex
CREATE INDEX "device_tags_device_id_idx" ON "device_tags"("device_id");

-- CreateIndex
CREATE INDEX "device_groups_organization_id_uid_idx" ON "device_groups"("organization_id", "uid");

-- CreateIndex
CREATE UNIQUE INDEX "device_groups_organization_id_name_key" ON "device_groups"("organization_id", "name");

-- CreateIndex
CREATE INDEX "device_group_members_device_id_group_id_idx" ON "device_group_members"("device_id", "group_id");

-- CreateIndex
CREATE UNIQUE INDEX "users_username_key" ON "users"("username");

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE UNIQUE INDEX "organizations_slug_key" ON "organizations"("slug");

-- CreateIndex
CREATE INDEX "name_claims_user_id_idx" ON "name_claims"("user_id");

-- CreateIndex
CREATE INDEX "name_claims_organization_id_idx" ON "name_claims"("organization_id");

-- CreateIndex
CREATE INDEX "memberships_user_id_uid_idx" ON "memberships"("user_id", "uid");

-- CreateIndex
CREATE INDEX "memberships_organization_id_uid_idx" ON "memberships"("organization_id", "uid");

-- CreateIndex
CREATE UNIQUE INDEX "memberships_organization_id_user_id_key" ON "memberships"("organization_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "invitations_token_hash_key" ON "invitations"("token_hash");

-- CreateIndex
CREATE INDEX "invitations_organization_id_uid_idx" ON "invitations"("organization_id", "uid");

-- CreateIndex
CREATE INDEX "invitations_organization_id_email_idx" ON "invitations"("organization_id", "email");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys"("hash");

-- CreateIndex
CREATE INDEX "api_keys_organization_id_uid_idx" ON "api_keys"("organization_id", "uid");

-- CreateIndex
CREATE INDEX "api_keys_user_id_idx" ON "api_keys"("user_id");

-- CreateIndex
CREATE INDEX "audit_entries_organization_id_uid_idx" ON "audit_entries"("organization_id", "uid");

-- CreateIndex
CREATE INDEX "audit_entries_organization_id_target_id_uid_idx" ON "audit_entries"("organization_id", "target_id", "uid");

-- CreateIndex
CREATE INDEX "audit_entries_organization_id_actor_id_uid_idx" ON "audit_entries"("organization_id", "actor_id", "uid");

-- CreateIndex
CREATE INDEX "audit_entries_organization_id_action_uid_idx" ON "audit_entries"("organization_id", "action", "uid");

-- CreateIndex
CREATE INDEX "recordings_organization_id_uid_idx" ON "recordings"("organization_id", "uid");

-- CreateIndex
CREATE INDEX "recordings_organization_id_status_uid_idx" ON "recordings"("organization_id", "status", "uid");

-- CreateIndex
CREATE INDEX "recordings_device_id_uid_idx" ON "recordings"("device_id", "uid");

-- CreateIndex
CREATE INDEX "recordings_device_id_status_uid_idx" ON "recordings"("device_id", "status", "uid");

-- CreateIndex
CREATE INDEX "recordings_status_active_at_idx" ON "recordings"("status", "active_at");

-- CreateIndex
CREATE INDEX "recording_tags_recording_id_idx" ON "recording_tags"("recording_id");

-- CreateIndex
CREATE UNIQUE INDEX "upload_sessions_recording_id_key" ON "upload_sessions"("recording_id");

-- CreateIndex
CREATE UNIQUE INDEX "stored_files_storage_key_key" ON "stored_files"("storage_key");

-- CreateIndex
CREATE INDEX "stored_files_recording_id_position_idx" ON "stored_files"("recording_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "stored_files_session_id_path_key" ON "stored_files"("session_id", "path");

-- CreateIndex
CREATE INDEX "topics_organization_id_name_recording_id_idx" ON "topics"("organization_id", "name", "recording_id");

-- CreateIndex
CREATE INDEX "topics_device_id_name_idx" ON "topics"("device_id", "name");

-- CreateIndex
CREATE INDEX "events_organization_id_timestamp_ns_uid_idx" ON "events"("organization_id", "timestamp_ns", "uid");

-- CreateIndex
CREATE INDEX "events_organization_id_type_severity_timestamp_ns_uid_idx" ON "events"("organization_id", "type", "severity", "timestamp_ns", "uid");

-- CreateIndex
CREATE INDEX "events_recording_id_timestamp_ns_uid_idx" ON "events"("recording_id", "timestamp_ns", "uid");

-- CreateIndex
CREATE INDEX "events_device_id_timestamp_ns_uid_idx" ON "events"("device_id", "timestamp_ns", "uid");

-- CreateIndex
CREATE INDEX "events_rule_id_recording_id_idx" ON "events"("rule_id", "recording_id");

-- CreateIndex
CREATE INDEX "events_metadata_idx" ON "events" USING GIN ("metadata" jsonb_path_ops);

-- CreateIndex
CREATE INDEX "event_tags_event_id_idx" ON "event_tags"("event_id");

-- CreateIndex
CREATE INDEX "rules_organization_id_uid_idx" ON "rules"("organization_id", "uid");

-- CreateIndex
CREATE INDEX "rules_organization_id_enabled_condition_type_uid_idx" ON "rules"("organization_id", "enabled", "condition_type", "uid");

-- CreateIndex
CREATE INDEX "rules_organization_id_condition_type_uid_idx" ON "rules"("organization_id", "condition_type", "uid");

-- CreateIndex
CREATE INDEX "rule_evaluations_recording_id_idx" ON "rule_evaluations"("recording_id");

-- CreateIndex
CREATE INDEX "rule_evaluations_rule_id_evaluated_at_recording_id_idx" ON "rule_evaluations"("rule_id", "evaluated_at", "recording_id");

-- CreateIndex
CREATE INDEX "rule_hits_recording_id_triggered_ns_idx" ON "rule_hits"("recording_id", "triggered_ns");

-- CreateIndex
CREATE INDEX "rule_hits_rule_id_triggered_ns_idx" ON "rule_hits"("rule_id", "triggered_ns");

-- CreateIndex
CREATE INDEX "rule_runs_organization_id_uid_idx" ON "rule_runs"("organization_id", "uid");

-- CreateIndex
CREATE INDEX "rule_runs_rule_id_uid_idx" ON "rule_runs"("rule_id", "uid");

-- AddForeignKey
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_comments" ADD CONSTRAINT "alert_comments_alert_id_fkey" FOREIGN KEY ("alert_id") REFERENCES "alerts"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "silences" ADD CONSTRAINT "silences_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_alert_id_fkey" FOREIGN KEY ("alert_id") REFERENCES "alerts"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_attempts" ADD CONSTRAINT "notification_attempts_notification_id_fkey" FOREIGN KEY ("notification_id") REFERENCES "notifications"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "devices" ADD CONSTRAINT "devices_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "device_tags" ADD CONSTRAINT "device_tags_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "device_groups" ADD CONSTRAINT "device_groups_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "device_group_members" ADD CONSTRAINT "device_group_members_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "device_groups"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "device_group_members" ADD CONSTRAINT "device_group_members_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "name_claims" ADD CONSTRAINT "name_claims_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "name_claims" ADD CONSTRAINT "name_claims_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_invited_by_id_fkey" FOREIGN KEY ("invited_by_id") REFERENCES "users"("uid") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recordings" ADD CONSTRAINT "recordings_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recording_tags" ADD CONSTRAINT "recording_tags_recording_id_fkey" FOREIGN KEY ("recording_id") REFERENCES "recordings"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_sessions" ADD CONSTRAINT "upload_sessions_recording_id_fkey" FOREIGN KEY ("recording_id") REFERENCES "recordings"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "stored_files" ADD CONSTRAINT "stored_files_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "upload_sessions"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "stored_files" ADD CONSTRAINT "stored_files_recording_id_fkey" FOREIGN KEY ("recording_id") REFERENCES "recordings"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "topics" ADD CONSTRAINT "topics_recording_id_fkey" FOREIGN KEY ("recording_id") REFERENCES "recordings"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "series" ADD CONSTRAINT "series_recording_id_fkey" FOREIGN KEY ("recording_id") REFERENCES "recordings"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_recording_id_fkey" FOREIGN KEY ("recording_id") REFERENCES "recordings"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event_tags" ADD CONSTRAINT "event_tags_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rules" ADD CONSTRAINT "rules_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rule_versions" ADD CONSTRAINT "rule_versions_rule_id_fkey" FOREIGN KEY ("rule_id") REFERENCES "rules"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rule_evaluations" ADD CONSTRAINT "rule_evaluations_rule_id_fkey" FOREIGN KEY ("rule_id") REFERENCES "rules"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rule_evaluations" ADD CONSTRAINT "rule_evaluations_recording_id_fkey" FOREIGN KEY ("recording_id") REFERENCES "recordings"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rule_hits" ADD CONSTRAINT "rule_hits_rule_id_recording_id_fkey" FOREIGN KEY ("rule_id", "recording_id") REFERENCES "rule_evaluations"("rule_id", "recording_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rule_runs" ADD CONSTRAINT "rule_runs_rule_id_fkey" FOREIGN KEY ("rule_id") REFERENCES "rules"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

