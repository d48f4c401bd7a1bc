import { member } from '../../../shared/bridge/operation-facts.ts'
import type { OperationEvent } from '../../../shared/bridge/operation-states.ts'
import type { StoredOperation } from '../journal/types.ts'
import { isObject } from '../../../shared/json/object.ts'

/**
 * The card and the study set of a command: the ones that it named, or that the host names in the outcome of a request that was made elsewhere;
 * of a card the study set that it was read in, whatever the command says of it.
 */
export function namedIn(
  { noteid, topicid, source }: StoredOperation,
  events: readonly OperationEvent[],
): { readonly noteid: string | null; readonly topicid: string | null } {
  const target = source === 'watched' ? targetIn(events) : undefined
  return {
    noteid: noteid ?? text(member(target, 'noteid')),
    topicid: studySetIn(events) ?? topicid ?? text(member(target, 'topicid')),
  }
}

function targetIn(events: readonly OperationEvent[]): unknown {
  const last = events.findLast((event) => event.kind === 'observation' && member(event.body, 'target') !== undefined)
  return last?.kind === 'observation' ? member(last.body, 'target') : undefined
}

/** Of several cards of one command, the study set of the first one. */
function studySetIn(events: readonly OperationEvent[]): string | null {
  for (const event of events) {
    if (event.kind !== 'read-back' || !isObject(event.facts)) continue
    const [found] = Object.entries(event.facts).filter(([name]) => name === 'topicid' || name.endsWith('.topicid'))
    const id = text(found?.[1])
    if (id !== null) return id
  }
  return null
}

/** Ids as they may be: of anything longer nothing could be asked. */
const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= 200 ? value : null
