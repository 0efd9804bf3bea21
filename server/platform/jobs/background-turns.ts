import type { WorkerEvents } from "graphile-worker";
import { backgroundFlag } from "@/server/platform/jobs/queue";

interface Turn {
  /** Whether each slot that is about to ask may get a job of the background, in their order. */
  decided: boolean[];
  /** The slot that asks and may get one. */
  asking: object | null;
}

/**
 * Jobs of the background leave a slot of each pool to others. What a slot gets is only known with the answer, so one slot of a
 * pool at a time asks for any job, and the others for those that somebody waits for.
 */
export class BackgroundTurns {
  private readonly running = new Set<string>();
  private readonly turns = new Map<string, Turn>();

  constructor(events: WorkerEvents) {
    events.on("job:start", ({ job }) => job.flags?.[backgroundFlag] && this.running.add(String(job.id)));
    events.on("job:complete", ({ job }) => this.running.delete(String(job.id)));
    // A slot emits this next after it asked `decide`: slots that are only starting do so in the same order.
    events.on("worker:getJob:start", ({ worker }) => {
      const turn = this.turnOf(worker.workerPool.id);
      if (turn.decided.shift()) turn.asking = worker;
    });
    for (const event of ["job:start", "worker:getJob:empty", "worker:getJob:error"] as const)
      events.on(event, ({ worker }) => {
        const turn = this.turnOf(worker.workerPool.id);
        if (turn.asking === worker) turn.asking = null;
      });
  }

  private turnOf(poolId: string): Turn {
    const turn = this.turns.get(poolId) ?? { decided: [], asking: null };
    this.turns.set(poolId, turn);
    return turn;
  }

  /** The flags of jobs that the slot of a pool of so many that asks next may not get. */
  decide(poolId: string, slots: number): string[] {
    const turn = this.turnOf(poolId);
    const mayGet = turn.asking === null && !turn.decided.includes(true) && this.running.size < Math.max(1, slots - 1);
    turn.decided.push(mayGet);
    return mayGet ? [] : [backgroundFlag];
  }
}
