import { toNonEmptyText, isObject, getMember } from '../../../../shared/json/object.ts'
import type { OperationSummary } from '../../../../shared/ipc/operations.ts'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'
import type { StoredOperation } from '../../journal/types.ts'

/** Maximum characters of a title in a summary. */
const MAX_TITLE_CHARS = 300

/**
 * The card and the study set of a command: those that it names, or that the host names in the
 * outcome of a watched request. The study set in the first read-back takes precedence over the
 * command's.
 */
export function findNamedCard(
  { noteid, topicid, source }: StoredOperation,
  events: readonly OperationEvent[],
): Pick<OperationSummary, 'noteid' | 'topicid' | 'cardTitle'> {
  const target = source === 'watched' ? findObservedTarget(events) : undefined
  const card = noteid ?? toId(getMember(target, 'noteid'))
  const cardTitle = card === null ? null : findCardTitle(events, card)
  return {
    noteid: card,
    ...(cardTitle === null ? {} : { cardTitle }),
    topicid: findStudySet(events) ?? topicid ?? toId(getMember(target, 'topicid')),
  }
}

function findObservedTarget(events: readonly OperationEvent[]): unknown {
  const observation = events.findLast(
    (event) => event.kind === 'observation' && getMember(event.body, 'target') !== undefined,
  )
  return observation?.kind === 'observation' ? getMember(observation.body, 'target') : undefined
}

/** The card's title when it was last read. */
function findCardTitle(events: readonly OperationEvent[], noteid: string): string | null {
  for (const event of events.toReversed()) {
    if (event.kind !== 'read-back' || !isObject(event.facts)) continue
    const { facts } = event
    const title = toNonEmptyText(facts[facts['noteid'] === noteid ? 'title' : `${noteid}.title`])
    if (title) return title.slice(0, MAX_TITLE_CHARS)
  }
  return null
}

/** If a command has several cards, this is the study set of the first one. */
function findStudySet(events: readonly OperationEvent[]): string | null {
  for (const event of events) {
    if (event.kind !== 'read-back' || !isObject(event.facts)) continue
    const [entry] = Object.entries(event.facts).filter(([name]) => name === 'topicid' || name.endsWith('.topicid'))
    const id = toId(entry?.[1])
    if (id !== null) return id
  }
  return null
}

/** Longer ids are ignored, because no lookup accepts them. */
const toId = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= 200 ? value : null
