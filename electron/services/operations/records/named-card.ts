import { toNonEmptyText, isObject, getMember } from '../../../../shared/json/object.ts'
import type { OperationSummary } from '../../../../shared/ipc/operations.ts'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'
import type { StoredOperation } from '../../journal/types.ts'

/** Characters of a title that are enough to recognise a card. */
const MAX_TITLE_CHARS = 300

/**
 * The card and the study set of a command: those that it names, or that the host names in the outcome of a request made elsewhere. If a
 * card was read, its study set is the one it was read in, whatever the command says.
 */
export function findNamedCard(
  { noteid, topicid, source }: StoredOperation,
  events: readonly OperationEvent[],
): Pick<OperationSummary, 'noteid' | 'topicid' | 'cardTitle'> {
  const target = source === 'watched' ? targetIn(events) : undefined
  const card = noteid ?? text(getMember(target, 'noteid'))
  const cardTitle = card === null ? null : titleIn(events, card)
  return {
    noteid: card,
    ...(cardTitle === null ? {} : { cardTitle }),
    topicid: studySetIn(events) ?? topicid ?? text(getMember(target, 'topicid')),
  }
}

function targetIn(events: readonly OperationEvent[]): unknown {
  const last = events.findLast((event) => event.kind === 'observation' && getMember(event.body, 'target') !== undefined)
  return last?.kind === 'observation' ? getMember(last.body, 'target') : undefined
}

/** The card's title when it was last read. */
function titleIn(events: readonly OperationEvent[], noteid: string): string | null {
  for (const event of events.toReversed()) {
    if (event.kind !== 'read-back' || !isObject(event.facts)) continue
    const { facts } = event
    const title = toNonEmptyText(facts[facts['noteid'] === noteid ? 'title' : `${noteid}.title`])
    if (title) return title.slice(0, MAX_TITLE_CHARS)
  }
  return null
}

/** If a command has several cards, the study set of the first one. */
function studySetIn(events: readonly OperationEvent[]): string | null {
  for (const event of events) {
    if (event.kind !== 'read-back' || !isObject(event.facts)) continue
    const [found] = Object.entries(event.facts).filter(([name]) => name === 'topicid' || name.endsWith('.topicid'))
    const id = text(found?.[1])
    if (id !== null) return id
  }
  return null
}

/** Ids of a plausible length; nothing could be looked up with a longer one. */
const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= 200 ? value : null
