import type { Journal } from '../services/journal/types.ts'
import type { AgentService } from '../services/agents/agent-service.ts'
import type { Lab } from '../services/operations/lab/lab.ts'
import type { Operations } from '../services/operations/operations.ts'
import type { OperationRecords } from '../services/operations/records/records.ts'
import type { OperationFollower } from '../services/operations/watch/operation-follower.ts'
import type { WriteLock } from '../services/operations/send/write-lock.ts'
import type { Handlers } from './app-ports.ts'

export interface OperationServices {
  readonly operations: Operations
  readonly records: OperationRecords
  readonly follow: OperationFollower
  readonly lab: Lab
  readonly agents: AgentService
  readonly lock: WriteLock
  readonly journal: Journal
}

type OperationHandlers = Pick<
  Handlers,
  Extract<keyof Handlers, `${'operations' | 'journal' | 'lab' | 'agents'}.${string}`>
>

export function createOperationHandlers({
  operations,
  records,
  follow,
  lock,
  journal,
  lab,
  agents,
}: OperationServices): OperationHandlers {
  return {
    'operations.prepare': (draft) => operations.prepare(draft),
    'operations.preview': ({ ticket }) => operations.preview(ticket),
    // The page's signal does not cancel a sent write, whose record must be completed.
    'operations.send': ({ ticket }) => operations.send(ticket),
    'operations.list': (filter) => records.list(filter),
    'operations.get': ({ id }) => records.getDetail(records.get(id)),
    'operations.seen': ({ id }) => {
      records.observed(id)
      return {}
    },
    'operations.seenAll': () => {
      records.markAllSeen()
      return {}
    },
    'operations.watch': ({ requestId }) => operations.watch(requestId),
    'operations.look': async ({ id }, { signal }) => {
      const record = records.get(id)
      await operations.look(record, signal)
      return records.getDetail(record)
    },
    'operations.stop': ({ id }) => {
      const record = records.get(id)
      operations.stop(record)
      return records.getDetail(record)
    },
    'operations.resume': ({ id }) => {
      const record = records.get(id)
      operations.resume(record)
      return records.getDetail(record)
    },
    'operations.readBack': async ({ id }) => {
      const record = records.get(id)
      await follow.readBackOnRequest(record)
      return records.getDetail(record)
    },
    'operations.readBackAll': () => follow.readBackAll(),
    'operations.writing': ({ profileId }) => lock.getWriting(profileId),
    'operations.unlock': ({ profileId, scope }) => lock.setWriting(profileId, scope),
    'agents.asks': () => ({ asks: agents.listAsks() }),
    'agents.ask': ({ id }) => agents.getAsk(id),
    'agents.decide': ({ id, send }) => {
      agents.decide(id, send)
      return {}
    },
    'lab.plan': ({ probe, target }) => lab.plan(probe, target),
    'lab.run': ({ probe, target, plan }) => lab.run(probe, target, plan),
    'journal.info': () => journal.info(),
    'journal.clear': ({ before }) => ({ removed: records.removeBefore(before) }),
  }
}
