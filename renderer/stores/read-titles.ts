import type { Verdict } from '../../shared/operations/verdict.ts'
import { call } from '../ipc/call.ts'
import { subscribe } from '../ipc/subscribe.ts'

/** Verdicts that rest on an independent read after the write. */
const readBack: ReadonlySet<Verdict['code']> = new Set(['saved-and-verified', 'unsaid-but-verified'])

/**
 * Calls `apply` with the title that a card has after a write, once a read of the card has shown it: the host's word alone changes no
 * title; then `done` for the card that the write names. Records older than the caller do not count. Returns a function that stops it.
 */
export function onTitlesRead(on: {
  readonly apply: (noteid: string, title: string) => Promise<void>
  readonly done: (noteid: string) => void
}): () => void {
  const since = Date.now()
  const done = new Set<string>()

  async function take(id: string, noteid: string): Promise<void> {
    const { changes } = await call('operations.get', { id })
    for (const { field, after } of changes) {
      // With several cards, each field is prefixed with its card's id.
      const several = field.endsWith('.title') ? field.slice(0, -'.title'.length) : null
      if ((field === 'title' || several !== null) && typeof after === 'string') await on.apply(several ?? noteid, after)
    }
    on.done(noteid)
  }

  return subscribe('operations.changed', ({ items }) => {
    for (const { id, noteid, createdAt, verdict } of items) {
      if (noteid === null || createdAt < since || done.has(id) || !readBack.has(verdict.code)) continue
      done.add(id)
      void take(id, noteid).catch(() => undefined)
    }
  })
}
