import { endpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { common } from '../../../../shared/bridge/endpoints/define.ts'
import { namedCards, parsedBody } from '../../../../shared/operations/commands.ts'
import type { ReadBack } from '../../../../shared/bridge/endpoints/read-back.ts'
import type { StoredOperation } from '../../journal/types.ts'

/** How many things of one command are read before and after it; of more, only the first. */
const MOST = 50

type Entry = Extract<ReadBack, { kind: 'entry' }>
type Session = Extract<ReadBack, { kind: 'session' }>

/** What a command touches, as far as it can be read, and where. */
export type Subject =
  | { readonly kind: 'entries'; readonly by: Entry; readonly ids: readonly string[] }
  | { readonly kind: 'session'; readonly by: Session; readonly requestId: string | null; readonly body: unknown }
  | { readonly kind: 'nothing' }

/** What a record's command touches: the first of its row's read-backs whose id its body or path names. */
export function subjectOf(stored: StoredOperation): Subject {
  const { touches } = endpointById(stored.endpoint) ?? common
  for (const by of touches) {
    if (by.kind === 'session')
      return { kind: 'session', by, requestId: stored.requestId, body: parsedBody(stored.body) }
    const ids = idsOf(by, stored)
    if (ids.length > 0) return { kind: 'entries', by, ids: ids.slice(0, MOST) }
  }
  return { kind: 'nothing' }
}

function idsOf({ id }: Entry, { endpoint, path, body, noteid, topicid }: StoredOperation): readonly string[] {
  const one = { noteid, topicid, deckId: inPath(endpoint, path, id) }[id]
  const several = id === 'noteid' ? namedCards(body) : []
  return several.length > 0 || one === null ? several : [one]
}

/** The value of a placeholder in a path that begins like the row's. */
function inPath(endpoint: string, path: string, name: string): string | null {
  const [start = '', rest] = endpointById(endpoint)?.path.split(`{${name}}`) ?? []
  if (rest === undefined || !path.startsWith(start)) return null
  const [value = ''] = path.slice(start.length).split(/[/?]/, 1)
  return value === '' ? null : decodeURIComponent(value)
}
